import Meeting
import Testing

@Suite struct ReconnectingTests {
    @Test func `others are told of a lost connection after three seconds`() throws {
        var room = Room()
        let a = try room.join("a")
        let b = try room.join("b")
        room.pass(1_000)
        _ = room.events(of: b)
        room.drop(a)
        room.pass(2_999)
        #expect(room.events(of: b).isEmpty)
        #expect(room.meeting.nextDeadline == room.now + 1)
        room.pass(1)
        #expect(room.events(of: b) == ["participantConnectionLost"])
        #expect(room.meeting.participant(a)?.state == .reconnecting)
        try room.resume(a)
        #expect(room.events(of: b) == ["participantConnectionRestored"])
        #expect(room.meeting.participant(a)?.state == .joined)
    }

    @Test func `a short loss is nobody's business`() throws {
        var room = Room()
        let a = try room.join("a")
        let b = try room.join("b")
        room.pass(1_000)
        _ = room.events(of: b)
        room.drop(a)
        room.pass(2_000)
        try room.resume(a)
        room.pass(60_000)
        #expect(room.events(of: b).isEmpty)
    }

    @Test func `who doesn't come back within thirty seconds has left`() throws {
        var room = Room()
        let a = try room.join("a")
        let b = try room.join("b")
        try _ = room.meeting.raiseHand(a, now: room.now)
        room.drop(a)
        room.pass(30_000)
        #expect(room.outputs.contains(.drop(a, .timeout)))
        let events = room.events(of: b)
        #expect(events.suffix(3) == ["participantHandLowered", "participantLeft", "participantListChanged"])
        #expect(throws: MeetingError.notInSession) { try room.meeting.resume(a, lastSeq: 0, now: room.now) }
    }

    @Test func `missed events come in order, or a snapshot if they are no longer kept`() throws {
        var room = Room(limits: MeetingLimits(eventLogEntries: 5))
        let a = try room.join("a")
        let b = try room.join("b")
        room.pass(1_000)
        room.drop(a)
        let seq = try #require(room.clients[a]?.seq)
        for text in ["1", "2"] {
            let draft = Message.Draft(type: "chat", text: text)
            _ = try room.meeting.sendMessage(draft, from: b, messageID: text, now: room.now)
        }
        room.deliver()
        guard case .events(let missed) = try room.meeting.resume(a, lastSeq: seq, now: room.now) else {
            Issue.record("a snapshot")
            return
        }
        #expect(missed.map(\.seq) == [seq + 1, seq + 2])
        #expect(missed.map(\.event.name) == ["message", "message"])
        room.drop(a)
        for text in ["3", "4", "5", "6"] {
            let draft = Message.Draft(type: "chat", text: text)
            _ = try room.meeting.sendMessage(draft, from: b, messageID: text, now: room.now)
        }
        guard case .snapshot(let snapshot) = try room.meeting.resume(a, lastSeq: seq, now: room.now) else {
            Issue.record("events")
            return
        }
        #expect(snapshot.seq == seq + 6)
    }

    @Test func `a log of large messages is bounded in bytes`() throws {
        var room = Room(limits: MeetingLimits(eventLogBytes: 100_000))
        let a = try room.join("a")
        let b = try room.join("b")
        room.drop(a)
        let seq = try #require(room.clients[a]?.seq)
        let draft = Message.Draft(type: "chat", text: String(repeating: "x", count: 60_000))
        for id in ["1", "2"] {
            _ = try room.meeting.sendMessage(draft, from: b, messageID: id, now: room.now)
        }
        guard case .snapshot = try room.meeting.resume(a, lastSeq: seq, now: room.now) else {
            Issue.record("both were kept")
            return
        }
    }

    @Test(arguments: [-1, 1_000, Int.min, Int.max])
    func `a lastSeq that never was is refused`(lastSeq: Int) throws {
        var room = Room()
        let a = try room.join("a")
        #expect(throws: MeetingError.self) { try room.meeting.resume(a, lastSeq: lastSeq, now: room.now) }
    }

    @Test func `full lists come at most once in a quarter of a second`() throws {
        var room = Room()
        let a = try room.join("a")
        room.pass(1_000)
        _ = room.events(of: a)
        for index in 0..<20 {
            try room.join("u\(index)")
            room.pass(10)
        }
        room.pass(1_000)
        let events = room.events(of: a)
        #expect(events.count { $0 == "participantJoined" } == 20)
        #expect(events.count { $0 == "participantListChanged" } == 2)
    }

    @Test func `the lists of a large session come less often`() throws {
        var room = Room(limits: MeetingLimits(maxParticipants: 500, promptListEntries: 10))
        let a = try room.join("a")
        for index in 0..<39 { try room.join("u\(index)") }
        // 40 of 10: every 16 · 250 ms.
        room.pass(8_000)
        _ = room.events(of: a)
        for index in 0..<20 {
            let visitor = try room.join("v\(index)")
            room.meeting.leave(visitor, now: room.now)
            room.pass(400)
        }
        room.pass(8_000)
        let events = room.events(of: a)
        #expect(events.count { $0 == "participantJoined" } == 20)
        let lists = events.count { $0 == "participantListChanged" }
        #expect((2...4).contains(lists), "every 4 s in 8 s, and the last one; else there would be 20")
    }
}
