import Meeting
import Testing

@Suite struct GroupCallTests {
    private static let team = ["anna", "bob", "carol", "dora"]

    @Test func `a group of whom more than two hundred would be rung isn't called`() throws {
        var ringing = Ringing()
        let many = (0...CallRequest.mostCalled).map { "u\($0)" }
        #expect(throws: CallRequest.tooManyCalled) {
            try ringing.call("crowd", from: "anna", members: many + ["anna"])
        }
        #expect(ringing.lines() == [] && ringing.book.activeCall(of: "anna") == nil)
        let id = try ringing.call("crowd", from: "anna", members: many.dropLast() + ["anna"])
        #expect(ringing.book.call(id)?.rings("u0") == true)
    }

    @Test func `a group call lasts from the first answer until the last one left`() throws {
        var ringing = Ringing()
        let id = try ringing.call("team", from: "anna", device: "desk", members: Self.team)
        #expect(
            ringing.lines() == [
                "record initiated", "incomingCallReceived > bob,carol,dora", "push bob,carol,dora",
            ])
        try ringing.apply(.accept, to: id, by: "bob", device: "phone")
        #expect(
            ringing.lines() == [
                "record ongoing", "outgoingCallAccepted bob > anna/desk",
                "incomingCallCancelled answeredElsewhere > bob/not-phone",
            ])
        try ringing.apply(.accept, to: id, by: "carol", device: "phone")
        #expect(
            ringing.lines() == [
                "record ongoing", "incomingCallCancelled answeredElsewhere > carol/not-phone",
            ])
        ringing.pass(45_000)
        #expect(ringing.lines() == ["incomingCallCancelled timeout > dora"])
        try ringing.apply(.end, to: id, by: "anna")
        try ringing.apply(.accept, to: id, by: "dora")
        try ringing.apply(.end, to: id, by: "bob")
        try ringing.apply(.end, to: id, by: "carol")
        #expect(ringing.lines() == Array(repeating: "record ongoing", count: 4))
        try ringing.apply(.end, to: id, by: "dora")
        #expect(
            ringing.lines() == ["record ended", "callEnded > anna,bob,carol,dora", "endSession"])
    }

    @Test func `joining and leaving twice are refused, coming back is not`() throws {
        var ringing = Ringing()
        let id = try ringing.call("team", from: "anna", members: Self.team)
        try ringing.apply(.accept, to: id, by: "bob")
        #expect(throws: MeetingError.alreadyJoined) { try ringing.apply(.accept, to: id, by: "bob") }
        #expect(throws: MeetingError.alreadyLeft) { try ringing.apply(.end, to: id, by: "carol") }
        ringing.now += 5_000
        try ringing.apply(.end, to: id, by: "bob")
        #expect(throws: MeetingError.alreadyLeft) { try ringing.apply(.end, to: id, by: "bob") }
        ringing.now += 5_000
        try ringing.apply(.accept, to: id, by: "bob", device: "desk")
        let record = try #require(ringing.book.call(id)?.record)
        let stays = record.participants.filter { $0.uid == "bob" }
        #expect(stays.map(\.id) == ["bob", "bob#2"])
        #expect(stays.map(\.state) == [.ended, .ongoing])
        #expect(stays[0].durationSeconds == 5)
    }

    @Test func `whoever still rings is told when the call ends`() throws {
        var ringing = Ringing()
        let id = try ringing.call("team", from: "anna", members: Self.team)
        try ringing.apply(.accept, to: id, by: "bob")
        try ringing.apply(.end, to: id, by: "bob")
        _ = ringing.lines()
        try ringing.apply(.end, to: id, by: "anna")
        #expect(
            ringing.lines() == [
                "record ended", "incomingCallCancelled cancelled > carol,dora", "callEnded > anna,bob",
                "endSession",
            ])
        #expect(ringing.book.nextDeadline == nil)
    }

    @Test func `a group has one call at a time`() throws {
        var ringing = Ringing()
        let id = try ringing.call("team", from: "anna", members: Self.team)
        #expect(throws: MeetingError.busyGroup) {
            try ringing.call("team", from: "bob", members: Self.team)
        }
        #expect(ringing.book.activeCall(ofGroup: "team")?.sessionID == id)
        try ringing.apply(.cancel, to: id, by: "anna")
        #expect(ringing.book.activeCall(ofGroup: "team") == nil)
        #expect(throws: Never.self) { try ringing.call("team", from: "bob", members: Self.team) }
    }

    @Test func `being rung with a group keeps nobody from other calls`() throws {
        var ringing = Ringing()
        let group = try ringing.call("team", from: "anna", members: Self.team)
        let two = try ringing.call("carol", from: "bob")
        #expect(throws: MeetingError.busySelf) { try ringing.apply(.accept, to: group, by: "bob") }
        try ringing.apply(.cancel, to: two, by: "bob")
        try ringing.apply(.accept, to: group, by: "bob")
        #expect(throws: MeetingError.busyUser) { try ringing.call("bob", from: "carol") }
        try ringing.apply(.end, to: group, by: "bob")
        #expect(throws: Never.self) { try ringing.call("bob", from: "carol") }
    }

    @Test(arguments: [CallCommand.busy, .reject])
    func `a busy answer to a group call breaks no call of two`(answer: CallCommand) throws {
        var ringing = Ringing()
        let two = try ringing.call("carol", from: "bob")
        try ringing.apply(.accept, to: two, by: "carol")
        let group = try ringing.call("team", from: "anna", members: Self.team)
        let before = ringing.book.call(two)?.record
        for uid in ["bob", "carol"] {
            #expect(throws: MeetingError.groupInvalidStatus) {
                try ringing.apply(answer, to: group, by: uid)
            }
        }
        #expect(ringing.book.call(two)?.record == before)
        #expect(ringing.book.activeCall(of: "bob")?.sessionID == two)
        #expect(ringing.book.call(group)?.record.status == .initiated)
        #expect(ringing.book.ringing("dora").map(\.sessionID) == [group])
    }

    @Test func `the caller among the members and members named twice are rung once or not at all`() throws {
        var ringing = Ringing()
        try ringing.call("team", from: "anna", members: ["bob", "anna", "bob"])
        #expect(ringing.lines().last == "push bob")
    }
}
