import Meeting
import Testing

@Suite struct CallBookTests {
    @Test func `a call rings everywhere, and the accepting device silences the others`() throws {
        var ringing = Ringing()
        let id = try ringing.call("bob", from: "anna", device: "desk")
        #expect(
            ringing.lines() == ["record initiated", "incomingCallReceived > bob", "push bob"])
        try ringing.apply(.accept, to: id, by: "bob", device: "phone")
        #expect(
            ringing.lines() == [
                "record ongoing", "outgoingCallAccepted bob > anna/desk",
                "incomingCallCancelled answeredElsewhere > bob/not-phone",
            ])
        #expect(ringing.book.nextDeadline == ringing.now + Call.joinWithinMs)
        try ringing.apply(.accept, to: id, by: "bob", device: "phone")
        #expect(ringing.lines().isEmpty)
        #expect(throws: MeetingError.callOngoing) {
            try ringing.apply(.accept, to: id, by: "bob", device: "tablet")
        }
        ringing.now += 61_500
        try ringing.apply(.end, to: id, by: "anna")
        #expect(ringing.lines() == ["record ended", "callEnded > anna,bob", "endSession"])
        let record = try #require(ringing.book.call(id)?.record)
        #expect(record.durationSeconds == 61)
        #expect(record.participants.map(\.state) == [.ended, .ended])
        #expect(record.participants.map(\.deviceID) == ["desk", "phone"])
        #expect(record.participants.allSatisfy { $0.durationSeconds == 61 })
    }

    @Test(arguments: [
        (CallCommand.reject, CallRecord.Status.rejected), (.busy, .busy),
    ])
    func `turning a call down on one device silences all`(
        command: CallCommand, status: CallRecord.Status
    ) throws {
        var ringing = Ringing()
        let id = try ringing.call("bob", from: "anna")
        _ = ringing.lines()
        try ringing.apply(command, to: id, by: "bob", device: "phone")
        #expect(
            ringing.lines() == [
                "record \(status)", "outgoingCallRejected \(status) > anna",
                "incomingCallCancelled answeredElsewhere > bob/not-phone",
            ])
        #expect(ringing.book.call(id)?.record.participants.map(\.state) == [.unanswered, .rejected])
    }

    @Test func `a cancelled call stops to ring, and the caller isn't told what it did`() throws {
        var ringing = Ringing()
        let id = try ringing.call("bob", from: "anna")
        _ = ringing.lines()
        try ringing.apply(.cancel, to: id, by: "anna")
        #expect(ringing.lines() == ["record cancelled", "incomingCallCancelled cancelled > bob"])
    }

    @Test(
        arguments: [
            (nil, 45), (0, 45), (-3, 45), (0.9, 45), (1, 1), (1.99, 1), (30.5, 30), (120, 120), (.nan, 45),
            (.infinity, 86_400), (-.infinity, 45), (1e300, 86_400),
        ] as [(Double?, Int)])
    func `a call rings for whole seconds, forty-five if not told`(asked: Double?, seconds: Int) throws {
        var ringing = Ringing()
        let id = try ringing.call("bob", from: "anna", timeout: asked)
        _ = ringing.lines()
        let due = ringing.now + Int64(seconds) * 1_000
        #expect(ringing.book.nextDeadline == due)
        ringing.pass(due - ringing.now - 1)
        #expect(ringing.lines().isEmpty)
        ringing.pass(1)
        #expect(
            ringing.lines() == [
                "record unanswered", "outgoingCallRejected unanswered > anna",
                "incomingCallCancelled timeout > bob",
            ])
        let record = try #require(ringing.book.call(id)?.record)
        #expect(record.status(seenBy: "anna") == .unanswered)
        #expect(record.status(seenBy: "bob") == .missed)
        #expect(ringing.book.nextDeadline == nil)
    }

    @Test func `who is called is busy until the call is over`() throws {
        var ringing = Ringing()
        let first = try ringing.call("bob", from: "anna")
        #expect(throws: MeetingError.callingSelf) { try ringing.call("dora", from: "dora") }
        #expect(throws: MeetingError.busySelf) { try ringing.call("dora", from: "anna") }
        #expect(throws: MeetingError.busySelf) { try ringing.call("dora", from: "bob") }
        #expect(throws: MeetingError.busyUser) { try ringing.call("bob", from: "dora") }
        #expect(throws: MeetingError.busyUser) { try ringing.call("anna", from: "dora") }
        try ringing.apply(.accept, to: first, by: "bob")
        #expect(throws: MeetingError.busyUser) { try ringing.call("bob", from: "dora") }
        #expect(ringing.book.activeCall(of: "bob")?.sessionID == first)
        try ringing.apply(.end, to: first, by: "bob")
        #expect(ringing.book.activeCall(of: "bob") == nil)
        #expect(throws: Never.self) { try ringing.call("bob", from: "dora") }
    }

    @Test func `calls that ring are found by a device that connects late`() throws {
        var ringing = Ringing()
        let group = try ringing.call("team", from: "carol", members: ["anna", "bob", "carol"], timeout: 10)
        let two = try ringing.call("bob", from: "anna", timeout: 20)
        #expect(ringing.book.ringing("bob").map(\.sessionID) == [group, two])
        #expect(ringing.book.ringing("anna").map(\.sessionID) == [group])
        #expect(ringing.book.ringing("carol").isEmpty)
        ringing.pass(10_000)
        #expect(ringing.book.ringing("bob").map(\.sessionID) == [two])
    }

    @Test func `calls long over are known to the log alone`() throws {
        var ringing = Ringing(remembered: 2)
        var ids: [String] = []
        for _ in 0..<5 {
            let id = try ringing.call("bob", from: "anna")
            try ringing.apply(.cancel, to: id, by: "anna")
            ids.append(id)
        }
        #expect(throws: MeetingError.callNotFound) { try ringing.apply(.end, to: ids[0], by: "anna") }
        #expect(throws: MeetingError.callOver) { try ringing.apply(.end, to: ids[4], by: "anna") }
        let record = try #require(ringing.book.call(ids[4])?.record)
        #expect(CallBook.refusal(of: record, by: "bob") == .callOver)
        #expect(CallBook.refusal(of: record, by: "mallory") == .notAPart)
    }
}
