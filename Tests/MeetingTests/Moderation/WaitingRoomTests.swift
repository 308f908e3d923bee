import Meeting
import Testing

@Suite struct WaitingRoomTests {
    private func room(places: Int = 50) -> Room {
        var settings = SessionSettings(maxParticipants: places)
        settings.waitingRoom = true
        return Room(settings: settings)
    }

    @Test func `newcomers wait without a place until a moderator lets them in`() throws {
        var room = room()
        let host = try room.join("host", scope: .moderator)
        let other = try room.join("other", scope: .admin)
        _ = room.events(of: host)
        let a = try room.wait("a")
        #expect(room.meeting.participant(a)?.state == .waiting)
        #expect(room.meeting.placesTaken == 2)
        #expect(room.meeting.roster.map(\.id) == [host, other])
        #expect(room.clients[host]?.waiting.map(\.id) == [a])
        #expect(room.clients[other]?.waiting.map(\.id) == [a])
        #expect(throws: MeetingError.notInSession) {
            try room.meeting.completeJoin(a, seats: [], now: room.now)
        }
        #expect(throws: MeetingError.notInSession) { try room.meeting.muteAudio(a, now: room.now) }
        room.outputs = []
        let count = try room.meeting.admit(.one(a), by: .participant(host), now: room.now)
        room.deliver()
        #expect(count == 1)
        #expect(room.outputs.last == .admit(a))
        #expect(room.meeting.placesTaken == 3)
        #expect(room.events(of: a) == ["admitted"])
        try room.enter(a)
        #expect(room.clients[host]?.waiting.isEmpty == true)
        #expect(room.clients[other]?.participants.map(\.id) == [host, other, a])
        #expect(room.clients[a]?.faults.isEmpty == true)
    }

    @Test func `moderators, hidden ones and who is in already don't wait`() throws {
        var room = room()
        let host = try room.join("host", device: "d", scope: .moderator)
        let again = try room.join("host", device: "d", scope: .moderator)
        #expect(room.meeting.participant(host) == nil)
        try room.join("recorder", grants: Grants(hidden: true))
        let a = try room.wait("a", device: "phone")
        try room.meeting.admit(.all, by: .participant(again), now: room.now)
        try room.enter(a)
        let back = try room.join("a", device: "phone")
        #expect(room.meeting.participant(back)?.state == .joined)
    }

    @Test func `another scope of somebody who waits is told, and a new moderator needn't wait`() throws {
        var room = room(places: 2)
        let host = try room.join("host", scope: .moderator)
        let ids = try ["a", "b"].map { uid throws(MeetingError) in try room.wait(uid) }
        let author = Author.participant(host, uid: "host")
        func change(_ uid: String, to scope: Scope) -> [String] {
            room.meeting.memberScopeChanged(uid, to: scope, by: author, now: room.now)
            room.deliver()
            return room.events(of: host)
        }
        _ = room.events(of: host)
        #expect(change("a", to: .viewer) == ["waitingParticipant"])
        #expect(room.clients[host]?.waiting.map(\.scope) == [.viewer, .participant])
        #expect(change("a", to: .moderator) == ["admitted"])
        #expect(room.meeting.participant(ids[0])?.state == .joining)
        #expect(room.clients[host]?.waiting.map(\.id) == [ids[1]])
        // There is no place for another one: it waits on.
        #expect(change("b", to: .moderator) == ["waitingParticipant"])
        #expect(room.clients[host]?.waiting.map(\.scope) == [.moderator])
        try room.enter(ids[0])
        #expect(room.clients[ids[0]]?.waiting.map(\.id) == [ids[1]])
    }

    @Test func `without a waiting room nobody waits who has a place`() throws {
        var room = room(places: 3)
        let host = try room.join("host", scope: .moderator)
        let ids = try ["a", "b", "c"].map { uid throws(MeetingError) in try room.wait(uid) }
        var settings = room.meeting.session.settings
        settings.waitingRoom = false
        try room.meeting.setSettings(settings, by: .participant(host), now: room.now)
        room.deliver()
        #expect(room.meeting.waiting.map(\.id) == [ids[2]])
        #expect(room.events(of: ids[0]) == ["admitted"])
        for id in ids.prefix(2) { try room.enter(id) }
        // It asks again, in vain at first.
        room.meeting.recheckWait(ids[2], now: room.now)
        #expect(room.meeting.participant(ids[2])?.state == .waiting)
        room.meeting.leave(ids[0], now: room.now)
        room.meeting.recheckWait(ids[2], now: room.now)
        #expect(room.meeting.participant(ids[2])?.state == .joining)
    }

    @Test func `all are let in as far as places go`() throws {
        var room = room(places: 3)
        let host = try room.join("host", scope: .moderator)
        let ids = try ["a", "b", "c", "d"].map { uid throws(MeetingError) in try room.wait(uid) }
        let count = try room.meeting.admit(.all, by: .participant(host), now: room.now)
        #expect(count == 2)
        #expect(room.meeting.waiting.map(\.id) == [ids[2], ids[3]])
        for waiters in [MeetingSession.Waiters.all, .one(ids[3])] {
            #expect(throws: MeetingError.full(maxParticipants: 3)) {
                try room.meeting.admit(waiters, by: .participant(host), now: room.now)
            }
        }
        room.meeting.cancelJoin(ids[0], now: room.now)
        #expect(throws: Never.self) {
            try room.meeting.admit(.one(ids[3]), by: .participant(host), now: room.now)
        }
    }

    @Test func `whoever is sent away or goes is missed by moderators only`() throws {
        var room = room()
        let host = try room.join("host", scope: .moderator)
        let a = try room.wait("a")
        let b = try room.wait("b")
        let c = try room.wait("c")
        let d = try room.wait("d")
        try room.meeting.admit(.one(d), by: .participant(host), now: room.now)
        try room.enter(d)
        room.outputs = []
        try room.meeting.deny(.one(a), by: .participant(host), now: room.now)
        room.meeting.connectionLost(b, now: room.now)
        room.meeting.leave(c, now: room.now)
        room.deliver()
        for id in [a, b, c] { #expect(room.outputs.contains(.drop(id, .left))) }
        #expect(room.clients[host]?.waiting.isEmpty == true)
        let toD = room.outputs.contains { output in
            guard case .event(_, _, let to) = output else { return false }
            return to.contains { $0.participant == d }
        }
        #expect(!toD)
        #expect(throws: MeetingError.participantNotFound) {
            try room.meeting.deny(.one(a), by: .participant(host), now: room.now)
        }
    }

    @Test func `who waits before the first comes in keeps waiting, who waits when the last leaves goes`()
        throws
    {
        var room = room()
        let early = try room.wait("early")
        #expect(!room.meeting.isOver)
        let host = try room.join("host", scope: .moderator)
        #expect(room.clients[host]?.waiting.map(\.id) == [early])
        room.outputs = []
        room.meeting.leave(host, now: room.now)
        room.deliver()
        #expect(room.outputs.contains(.drop(early, .ended)))
        #expect(room.outputs.last == .over)
        #expect(room.events(of: early) == ["sessionEnded"])
    }

    @Test func `a new moderator learns who waits, and a former one forgets`() throws {
        var room = room()
        let host = try room.join("host", scope: .owner)
        let a = try room.wait("a")
        try room.meeting.admit(.all, by: .participant(host), now: room.now)
        try room.enter(a)
        let b = try room.wait("b")
        #expect(room.clients[a]?.waiting.isEmpty == true)
        try room.meeting.setParticipantScope(
            .user("a"), to: .moderator, by: .participant(host), now: room.now)
        room.deliver()
        #expect(room.clients[a]?.waiting.map(\.id) == [b])
        try room.meeting.setParticipantScope(
            .user("a"), to: .participant, by: .participant(host), now: room.now)
        room.deliver()
        let truth = try room.meeting.snapshot(for: a)
        #expect(room.clients[a]?.waiting.isEmpty == true && truth.waiting.isEmpty)
    }

    @Test func `the waiting room is bounded, and one device waits once`() throws {
        var settings = SessionSettings()
        settings.waitingRoom = true
        var room = Room(limits: MeetingLimits(maxWaiting: 2), settings: settings)
        let first = try room.wait("a", device: "phone")
        let second = try room.wait("a", device: "phone")
        #expect(room.outputs.contains(.drop(first, .replaced)))
        #expect(room.meeting.waiting.map(\.id) == [second])
        try room.wait("b")
        #expect(throws: MeetingError.self) { try room.wait("c") }
    }

    @Test func `who was admitted says anew how it comes in, and loses the place if it doesn't`() throws {
        var room = room(places: 3)
        let host = try room.join("host", scope: .moderator)
        let (a, b) = (try room.wait("a"), try room.wait("b"))
        try room.meeting.admit(.all, by: .participant(host), now: room.now)
        #expect(throws: MeetingError.self) {
            try room.meeting.beginEntry(a, MeetingSession.Entry(name: ""), now: room.now)
        }
        try room.meeting.beginEntry(
            a, MeetingSession.Entry(name: "A.", startAudioMuted: true), now: room.now)
        #expect(room.meeting.participant(a)?.name == "A.")
        #expect(room.meeting.participant(a)?.audioMuted == true)
        #expect(room.meeting.participant(a)?.videoPaused == false)
        #expect(room.meeting.nextDeadline == room.now + 30_000)
        room.deliver()
        room.outputs = []
        room.pass(29_999)
        #expect(room.meeting.placesTaken == 3)
        room.pass(1)
        #expect(room.outputs.contains(.drop(b, .timeout)))
        #expect(room.events(of: b) == ["sessionLeft"])
        #expect(room.meeting.participant(b) == nil)
        // Who has begun to come in takes the time that it needs.
        try room.enter(a)
        #expect(room.meeting.roster.map(\.id) == [host, a])
        #expect(throws: MeetingError.notInSession) {
            try room.meeting.beginEntry(a, MeetingSession.Entry(), now: room.now)
        }
    }

    @Test func `who was admitted and loses its socket gives the place back, who comes in doesn't yet`() throws
    {
        var room = room(places: 3)
        let host = try room.join("host", scope: .moderator)
        let (a, b) = (try room.wait("a"), try room.wait("b"))
        try room.meeting.admit(.all, by: .participant(host), now: room.now)
        try room.meeting.beginEntry(a, MeetingSession.Entry(), now: room.now)
        room.drop(a)
        room.drop(b)
        #expect(room.outputs.contains(.drop(b, .left)))
        #expect(room.meeting.participant(a)?.state == .joining && room.meeting.placesTaken == 2)
    }

    @Test func `what is set while somebody waits holds when it comes in`() throws {
        var room = room()
        let host = try room.join("host", scope: .owner)
        let a = try room.wait("a")
        try room.meeting.muteAll(lock: true, onEntry: true, by: .participant(host), now: room.now)
        room.meeting.memberScopeChanged("a", to: .viewer, by: .backEnd, now: room.now)
        #expect(room.meeting.publishable(by: a) == [])
        try room.meeting.admit(.one(a), by: .participant(host), now: room.now)
        try room.meeting.beginEntry(
            a, MeetingSession.Entry(startAudioMuted: false, startVideoPaused: false), now: room.now)
        let state = room.meeting.participant(a)
        #expect(state?.audioMuted == true && state?.audioLocked == true && state?.videoPaused == true)
    }

    @Test func `a meeting made ahead doesn't end before somebody has joined`() throws {
        for isMadeAhead in [true, false] {
            var meeting = MeetingSession(
                sessionID: "room", meetingID: "m", isMadeAhead: isMadeAhead, now: 1)
            meeting.endIfEmpty()
            #expect(meeting.isOver == !isMadeAhead)
        }
        var meeting = MeetingSession(sessionID: "room", meetingID: "m", isMadeAhead: true, now: 1)
        let request = JoinRequest(id: ParticipantID(rawValue: "p"), uid: "u", name: "U")
        _ = try meeting.beginJoin(request, now: 1)
        meeting.cancelJoin(request.id, now: 1)
        #expect(!meeting.isOver)
        _ = try meeting.beginJoin(request, now: 1)
        _ = try meeting.completeJoin(request.id, seats: [], now: 1)
        meeting.leave(request.id, now: 2)
        #expect(meeting.isOver && !meeting.wasEnded)
    }
}
