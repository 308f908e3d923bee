import Meeting
import Testing

@Suite struct AdmissionTests {
    @Test func `the last place is given once`() throws {
        var room = Room(limits: MeetingLimits(maxParticipants: 2))
        let first = room.request(uid: "a")
        let second = room.request(uid: "b")
        _ = try room.meeting.beginJoin(first, now: 1)
        _ = try room.meeting.beginJoin(second, now: 1)
        let third = room.request(uid: "c")
        #expect(throws: MeetingError.full(maxParticipants: 2)) { try room.meeting.beginJoin(third, now: 1) }
        room.meeting.cancelJoin(first.id, now: 1)
        #expect(throws: Never.self) { try room.meeting.beginJoin(third, now: 1) }
        #expect(room.meeting.placesTaken == 2)
    }

    @Test func `a place is free at once after leaving, and kept while reconnecting`() throws {
        var room = Room(limits: MeetingLimits(maxParticipants: 2))
        let a = try room.join("a")
        let b = try room.join("b")
        room.drop(a)
        room.pass(29_999)
        #expect(throws: MeetingError.full(maxParticipants: 2)) { try room.join("c") }
        room.meeting.leave(b, now: room.now)
        #expect(throws: Never.self) { try room.join("c") }
        #expect(throws: MeetingError.full(maxParticipants: 2)) { try room.join("d") }
        room.pass(1)
        #expect(room.meeting.participant(a) == nil)
        #expect(throws: Never.self) { try room.join("d") }
    }

    @Test func `the same user on the same device takes over its own place, even in a full session`() throws {
        var room = Room(limits: MeetingLimits(maxParticipants: 2))
        let a = try room.join("a", device: "phone")
        let other = try room.join("b")
        _ = room.events(of: other)
        let again = try room.join("a", device: "phone")
        #expect(room.outputs.contains(.drop(a, .replaced)))
        #expect(
            room.events(of: other) == [
                "participantLeft", "participantListChanged", "participantJoined",
            ] || room.meeting.participant(a) == nil)
        #expect(room.meeting.roster.map(\.id) == [other, again])
        #expect(room.meeting.placesTaken == 2)
    }

    @Test func `the same user on two devices is two participants`() throws {
        var room = Room()
        try room.join("a", device: "phone")
        try room.join("a", device: "desk")
        try room.join("a")
        #expect(room.meeting.roster.count == 3)
    }

    @Test func `racing joins of one device never exceed the places`() throws {
        var room = Room(limits: MeetingLimits(maxParticipants: 1))
        try room.join("a", device: "phone")
        let first = room.request(uid: "a", device: "phone")
        let second = room.request(uid: "a", device: "phone")
        _ = try room.meeting.beginJoin(first, now: room.now)
        #expect(throws: MeetingError.full(maxParticipants: 1)) {
            try room.meeting.beginJoin(second, now: room.now)
        }
        _ = try room.meeting.completeJoin(first.id, seats: [], now: room.now)
        #expect(room.meeting.roster.map(\.id) == [first.id])
    }

    @Test func `the meeting is over when the last one left, and takes nobody any more`() throws {
        var room = Room()
        let a = try room.join("a")
        room.meeting.leave(a, now: room.now)
        room.deliver()
        #expect(room.outputs.last == .over)
        #expect(throws: MeetingError.over) { try room.join("b") }
    }

    @Test func `a meeting whose only join was refused is over`() throws {
        var room = Room()
        let request = room.request(uid: "a")
        _ = try room.meeting.beginJoin(request, now: 1)
        room.meeting.cancelJoin(request.id, now: 1)
        #expect(room.meeting.isOver)
    }

    @Test(arguments: ["", "a b", "ü", "a/b", String(repeating: "x", count: 101)])
    func `an id with other characters is refused`(uid: String) {
        var room = Room()
        #expect(throws: MeetingError.self) { try room.join(uid) }
        #expect(room.meeting.placesTaken == 0)
    }

    @Test(arguments: [
        "", " ", "\t\u{A0}\u{3000}", "\u{200B}\u{2060}", "\u{0}", "\u{3164}\u{115F}", "\u{2800}",
    ])
    func `a name of which nothing is to be seen is refused`(name: String) throws {
        var room = Room()
        var request = room.request(uid: "u")
        request.name = name
        let error = #expect(throws: MeetingError.self) {
            try room.meeting.beginJoin(request, now: room.now)
        }
        guard case .invalid("displayName", _) = error else { throw error ?? .over }
        let a = try room.join("a")
        #expect(throws: MeetingError.self) { try room.meeting.setDisplayName(a, to: name, now: room.now) }
        for name in [".", " a ", "\u{1F469}\u{200D}\u{1F52C}", "\u{5D0}\u{200F}"] {
            #expect(throws: Never.self) { try Limit.checkName(name, field: "name") }
        }
    }

    @Test func `hidden participants hold a place and nobody hears of them`() throws {
        var room = Room(limits: MeetingLimits(maxParticipants: 2))
        let a = try room.join("a")
        _ = room.events(of: a)
        let ghost = try room.join("g", grants: Grants(hidden: true))
        #expect(room.events(of: a).isEmpty)
        #expect(room.meeting.roster.map(\.uid) == ["a"])
        #expect(room.meeting.session.participantCount == 1)
        #expect(throws: MeetingError.full(maxParticipants: 2)) { try room.join("c") }
        #expect(room.meeting.publishable(by: ghost) == [], "nobody is heard who can't be seen")
        for scope in [Scope.viewer, .moderator] {
            try room.meeting.setParticipantScope(
                .participant(ghost), to: scope, by: .backEnd, now: room.now)
            #expect(room.meeting.publishable(by: ghost) == [])
            #expect(throws: MeetingError.publishNotAllowed(.microphone)) {
                try room.meeting.unmuteAudio(ghost, now: room.now)
            }
        }
        try room.meeting.muteAudio(ghost, now: room.now)
        room.meeting.leave(ghost, now: room.now)
        room.deliver()
        #expect(room.events(of: a).isEmpty)
    }
}
