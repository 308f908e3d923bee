import Meeting
import Testing

@Suite struct GroupMeetingTests {
    /// The events for the group's members in what a meeting put out.
    private func told(_ outputs: [Output]) -> [GroupEvent] {
        outputs.compactMap { GroupEvent($0) }
    }

    @Test func `a group hears when the first comes and when the last goes, and of nothing between`() throws {
        var room = Room(guid: "room")
        try room.join("ghost", grants: Grants(hidden: true))
        #expect(told(room.outputs).isEmpty)
        #expect(room.meeting.activeMeeting == nil)
        let a = try room.join("a")
        guard case .meetingStarted("room", let session) = told(room.outputs).first else {
            Issue.record("not told")
            return
        }
        #expect(session.meetingID == "meeting" && session.participantCount == 1)
        let b = try room.join("b")
        room.meeting.leave(a, now: room.now)
        _ = try room.join("a")
        room.meeting.leave(b, now: room.now)
        room.deliver()
        #expect(told(room.outputs).map(\.name) == ["meetingStarted"])
        try room.meeting.endSession(by: .backEnd, now: room.now)
        room.deliver()
        #expect(told(room.outputs).map(\.name) == ["meetingStarted", "meetingEnded"])
    }

    @Test func `a session that isn't a group's tells no group`() throws {
        var room = Room()
        let a = try room.join("a")
        room.meeting.leave(a, now: room.now)
        room.deliver()
        #expect(told(room.outputs).isEmpty)
        #expect(room.outputs.contains { if case .meetingEnded = $0 { true } else { false } })
    }

    @Test func `a meeting to which nobody came isn't announced`() throws {
        var room = Room(guid: "room")
        let request = room.request(uid: "a")
        _ = try room.meeting.beginJoin(request, now: room.now)
        room.meeting.cancelJoin(request.id, now: room.now)
        room.deliver()
        #expect(told(room.outputs).isEmpty)
        #expect(room.meeting.record(id: "r") == nil)
    }

    @Test func `what there is to join says whether one can`() throws {
        var room = Room(limits: MeetingLimits(maxParticipants: 2), guid: "room")
        #expect(room.meeting.activeMeeting == nil)
        let a = try room.join("a")
        let active = try #require(room.meeting.activeMeeting)
        #expect(!active.isFull && !active.isLocked)
        #expect(active.session == room.meeting.session)
        try room.join("b")
        try room.meeting.lockSession(by: .backEnd, now: room.now)
        let full = try #require(room.meeting.activeMeeting)
        #expect(full.isFull && full.isLocked && full.session.participantCount == 2)
        try room.meeting.endSession(by: .backEnd, now: room.now)
        #expect(room.meeting.activeMeeting == nil)
        #expect(room.meeting.participant(a) == nil)
    }

    @Test func `the log has who was in and for how long, each time they came`() throws {
        var settings = SessionSettings()
        settings.mode = .presenter
        var room = Room(settings: settings, guid: "room")
        try room.join("ghost", grants: Grants(hidden: true))
        let a = try room.join("a", device: "phone")
        room.pass(2_000)
        let b = try room.join("b")
        room.pass(3_000)
        room.meeting.leave(a, now: room.now)
        room.pass(1_000)
        try room.join("a", device: "desk")
        let going = try #require(room.meeting.record(id: "r", group: "Team"))
        #expect(going.status == .ongoing && going.endedAt == nil)
        room.pass(4_000)
        try room.meeting.endSession(by: .participant(b, scope: .owner), now: room.now)
        let record = try #require(room.meeting.record(id: "r", group: "Team"))
        #expect(record.status == .ended && record.mode == .presenter && record.durationSeconds == 10)
        #expect(record.initiator == CallParty(uid: "a", name: "a"))
        #expect(record.receiver == CallReceiver(kind: .group, id: "room", name: "Team"))
        #expect(record.participants.map(\.uid) == ["a", "b", "a"])
        #expect(record.participants.map(\.deviceID) == ["phone", nil, "desk"])
        #expect(record.participants.map(\.durationSeconds) == [5, 8, 4])
        #expect(record.participants.allSatisfy { $0.state == .ended })
    }

    @Test func `who is kicked from the group is out at once, on every device and while coming in`() throws {
        var settings = SessionSettings()
        settings.waitingRoom = true
        var room = Room(settings: settings, guid: "room")
        let host = try room.join("host", scope: .owner)
        let phone = try room.join("a", device: "phone", scope: .moderator)
        let joining = room.request(uid: "a", device: "desk", scope: .moderator)
        _ = try room.meeting.beginJoin(joining, now: room.now)
        let waiting = try room.wait("a", device: "watch")
        room.outputs = []
        room.meeting.memberRemoved("a", by: .backEnd, reason: "kicked", now: room.now)
        room.deliver()
        #expect(room.outputs.contains(.drop(phone, .removed)))
        #expect(room.outputs.contains(.drop(joining.id, .removed)))
        #expect(room.outputs.contains(.drop(waiting, .left)))
        #expect(room.outputs.contains { $0.event == .removed(by: .backEnd, reason: "kicked") })
        #expect(room.meeting.roster.map(\.id) == [host])
        #expect(room.meeting.placesTaken == 1)
        #expect(room.clients[host]?.waiting.isEmpty == true)
        // Whether it may come back is the group's to say.
        #expect(throws: Never.self) { try room.join("a", scope: .moderator) }
    }

    @Test func `a place is free at once when somebody is kicked`() throws {
        var room = Room(limits: MeetingLimits(maxParticipants: 2), guid: "room")
        let host = try room.join("host", scope: .owner)
        try room.join("a")
        #expect(throws: MeetingError.full(maxParticipants: 2)) { try room.join("b") }
        room.meeting.memberRemoved("a", by: .participant(host, uid: "host"), now: room.now)
        #expect(throws: Never.self) { try room.join("b") }
        #expect(throws: MeetingError.full(maxParticipants: 2)) { try room.join("c") }
    }

    @Test func `a scope changed in the group holds at once for those in and those coming in`() throws {
        var room = Room(guid: "room")
        let host = try room.join("host", scope: .owner)
        let a = try room.join("a")
        let joining = room.request(uid: "a", device: "desk")
        _ = try room.meeting.beginJoin(joining, now: room.now)
        room.outputs = []
        room.meeting.memberScopeChanged("a", to: .viewer, by: .backEnd, now: room.now)
        room.deliver()
        #expect(room.outputs.contains(.setPermissions(a, publish: [])))
        #expect(room.outputs.contains(.setPermissions(joining.id, publish: [])))
        #expect(room.clients[host]?.participants.last?.scope == .viewer)
        try room.enter(joining.id)
        let entered = try #require(room.clients[host]?.participants.last)
        #expect(entered.id == joining.id && entered.scope == .viewer && entered.audioMuted)
        room.meeting.memberScopeChanged("a", to: .viewer, by: .backEnd, now: room.now)
        #expect(room.meeting.takeOutputs().isEmpty)
    }

    @Test func `who is kicked from the group leaves its call`() throws {
        var ringing = Ringing()
        let members = ["anna", "bob", "carol"]
        let id = try ringing.call("team", from: "anna", members: members)
        _ = ringing.lines()
        ringing.expel("carol")
        #expect(ringing.lines() == ["incomingCallCancelled cancelled > carol"])
        #expect(throws: MeetingError.notAPart) { try ringing.apply(.accept, to: id, by: "carol") }
        try ringing.apply(.accept, to: id, by: "bob")
        _ = ringing.lines()
        ringing.expel("bob")
        #expect(ringing.lines() == ["record ongoing", "callEnded > bob"])
        #expect(ringing.book.activeCall(of: "bob") == nil)
        ringing.expel("anna")
        #expect(ringing.lines().first == "record ended")
        let again = try ringing.call("team", from: "anna", members: members)
        _ = ringing.lines()
        ringing.expel("anna")
        #expect(
            ringing.lines() == [
                "record cancelled", "incomingCallCancelled cancelled > bob,carol", "callEnded > anna",
            ])
        #expect(ringing.book.call(again)?.isOver == true)
        #expect(ringing.book.nextDeadline == nil)
    }
}
