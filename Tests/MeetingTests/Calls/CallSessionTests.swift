import Meeting
import Testing

/// A call and the session that it leads to.
@Suite struct CallSessionTests {
    private static let team = ["anna", "bob", "carol"]

    private func join(_ ringing: inout Ringing, _ id: String, _ uid: String, device: String? = nil) {
        ringing.book.deviceJoined(id, by: uid, device: device, meetingID: "m1", now: ringing.now)
        ringing.outputs += ringing.book.takeOutputs()
    }

    private func leave(_ ringing: inout Ringing, _ id: String, _ uid: String) {
        ringing.book.deviceLeft(id, by: uid, now: ringing.now)
        ringing.outputs += ringing.book.takeOutputs()
    }

    private func code(_ ringing: Ringing, _ uid: String, _ id: String) -> ErrorCode? {
        do throws(MeetingError) {
            try ringing.book.checkMayJoin(uid, id)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `the parties alone come to the session, the caller once it was answered`() throws {
        var ringing = Ringing()
        let id = try ringing.call("bob", from: "anna")
        #expect(code(ringing, "anna", id) == .callNotStarted)
        #expect(code(ringing, "bob", id) == nil)
        #expect(code(ringing, "eve", id) == .notAPart)
        #expect(code(ringing, "bob", "x") == .sessionNotFound)
        try ringing.apply(.accept, to: id, by: "bob")
        #expect(code(ringing, "anna", id) == nil)
        try ringing.apply(.end, to: id, by: "bob")
        #expect(code(ringing, "anna", id) == .callTerminated)
        #expect(code(ringing, "eve", id) == .notAPart)
    }

    @Test func `who is in another call doesn't come to this one's session`() throws {
        var ringing = Ringing()
        let group = try ringing.call("team", from: "carol", members: Self.team)
        let two = try ringing.call("bob", from: "anna")
        #expect(code(ringing, "bob", group) == .busySelf)
        try ringing.apply(.cancel, to: two, by: "anna")
        #expect(code(ringing, "bob", group) == nil)
    }

    @Test func `coming to the session answers the call, and silences the other devices`() throws {
        var ringing = Ringing()
        let id = try ringing.call("bob", from: "anna", device: "desk")
        _ = ringing.lines()
        join(&ringing, id, "bob", device: "phone")
        #expect(
            ringing.lines() == [
                "record ongoing", "outgoingCallAccepted bob > anna/desk",
                "incomingCallCancelled answeredElsewhere > bob/not-phone",
            ])
        let record = try #require(ringing.book.call(id)?.record)
        #expect(record.meetingID == "m1")
        #expect(record.participants.map(\.deviceID) == ["desk", "phone"])
    }

    @Test func `an answered call whose session nobody comes to ends after a minute`() throws {
        var ringing = Ringing()
        let id = try ringing.call("bob", from: "anna", timeout: 1_000)
        try ringing.apply(.accept, to: id, by: "bob")
        _ = ringing.lines()
        ringing.pass(Call.joinWithinMs - 1)
        #expect(ringing.lines().isEmpty)
        ringing.pass(1)
        #expect(ringing.lines() == ["record ended", "callEnded > anna,bob", "endSession"])
        #expect(ringing.book.nextDeadline == nil)
        #expect(ringing.book.activeCall(of: "anna") == nil)
    }

    @Test func `once somebody came, a call of two lasts until the session's last one left`() throws {
        var ringing = Ringing()
        let id = try ringing.call("bob", from: "anna")
        try ringing.apply(.accept, to: id, by: "bob", device: "phone")
        join(&ringing, id, "bob", device: "phone")
        join(&ringing, id, "anna")
        join(&ringing, id, "anna", device: "tablet")
        ringing.pass(2 * Call.joinWithinMs)
        #expect(ringing.book.call(id)?.record.status == .ongoing)
        leave(&ringing, id, "anna")
        #expect(ringing.book.activeCall(of: "anna") != nil)
        _ = ringing.lines()
        leave(&ringing, id, "anna")
        #expect(ringing.lines() == ["record ongoing"])
        // Who has left is free for others, and comes back as long as the call goes on.
        #expect(ringing.book.activeCall(of: "anna") == nil)
        join(&ringing, id, "anna")
        #expect(ringing.book.activeCall(of: "anna")?.sessionID == id)
        leave(&ringing, id, "anna")
        leave(&ringing, id, "bob")
        #expect(ringing.lines().suffix(3) == ["record ended", "callEnded > anna,bob", "endSession"])
        let stays = try #require(ringing.book.call(id)?.record.participants)
        #expect(stays.map(\.id) == ["anna", "bob", "anna#2"])
        #expect(stays.allSatisfy { $0.state == .ended && $0.leftAt != nil })
    }

    @Test func `the end of the session ends the call, also for those who never came`() throws {
        var ringing = Ringing()
        let id = try ringing.call("team", from: "anna", members: Self.team)
        try ringing.apply(.accept, to: id, by: "bob")
        join(&ringing, id, "bob")
        _ = ringing.lines()
        ringing.book.sessionEnded(id, now: ringing.now)
        ringing.outputs += ringing.book.takeOutputs()
        #expect(
            ringing.lines() == [
                "record ended", "incomingCallCancelled cancelled > carol", "callEnded > anna,bob",
                "endSession",
            ])
        ringing.book.sessionEnded(id, now: ringing.now)
        join(&ringing, id, "carol")
        leave(&ringing, id, "bob")
        #expect(ringing.book.takeOutputs().isEmpty && ringing.lines().isEmpty)
    }

    @Test func `who leaves a group's call or is put out of the group leaves the session too`() throws {
        var ringing = Ringing()
        let id = try ringing.call("team", from: "anna", members: Self.team)
        for uid in ["bob", "carol", "anna"] { join(&ringing, id, uid) }
        _ = ringing.lines()
        try ringing.apply(.end, to: id, by: "bob")
        #expect(ringing.lines() == ["record ongoing", "leaveSession bob"])
        leave(&ringing, id, "bob")
        #expect(ringing.lines().isEmpty)
        ringing.expel("carol")
        #expect(ringing.lines() == ["record ongoing", "leaveSession carol", "callEnded > carol"])
        #expect(code(ringing, "carol", id) == .notAPart)
    }

    @Test func `a caller who is put out of the group while it rings is told that the call is over`() throws {
        var ringing = Ringing()
        let id = try ringing.call("team", from: "anna", device: "desk", members: Self.team)
        _ = ringing.lines()
        ringing.expel("anna")
        #expect(
            ringing.lines() == [
                "record cancelled", "incomingCallCancelled cancelled > bob,carol", "callEnded > anna/desk",
            ])
        #expect(ringing.book.call(id)?.isOver == true && ringing.book.nextDeadline == nil)
    }

    @Test func `a group's call ends when the last one who could answer is put out`() throws {
        var ringing = Ringing()
        let id = try ringing.call("team", from: "anna", members: Self.team)
        _ = ringing.lines()
        ringing.expel("bob")
        #expect(ringing.lines() == ["incomingCallCancelled cancelled > bob"])
        ringing.expel("carol")
        #expect(
            ringing.lines() == [
                "record unanswered", "outgoingCallRejected unanswered > anna",
                "incomingCallCancelled cancelled > carol",
            ])
        #expect(ringing.book.activeCall(of: "anna") == nil && ringing.book.nextDeadline == nil)
        #expect(code(ringing, "bob", id) == .notAPart)
    }

    @Test func `a user who is gone rings no more, calls nobody and is in no call`() throws {
        var ringing = Ringing()
        let called = try ringing.call("bob", from: "anna")
        let calling = try ringing.call("dora", from: "carol")
        let going = try ringing.call("fred", from: "eve")
        try ringing.apply(.accept, to: going, by: "fred")
        let group = try ringing.call("team", from: "gina", members: ["gina", "bob", "hugo"])
        _ = ringing.lines()
        for uid in ["bob", "carol", "eve"] { ringing.book.userDeleted(uid, now: ringing.now) }
        ringing.outputs += ringing.book.takeOutputs()
        #expect(
            ringing.lines() == [
                "record unanswered", "outgoingCallRejected unanswered > anna",
                "incomingCallCancelled timeout > bob", "incomingCallCancelled cancelled > bob",
                "record cancelled", "incomingCallCancelled cancelled > dora", "callEnded > carol",
                "record ended", "callEnded > eve,fred", "endSession",
            ])
        for id in [called, calling, going] { #expect(ringing.book.call(id)?.isOver == true) }
        #expect(ringing.book.call(group)?.record.status == .initiated)
        #expect(throws: MeetingError.notAPart) { try ringing.apply(.accept, to: group, by: "bob") }
    }

    @Test func `a group that is deleted takes its call with it`() throws {
        var ringing = Ringing()
        try ringing.call("team", from: "anna", members: Self.team)
        _ = ringing.lines()
        ringing.book.groupDeleted("team", now: ringing.now)
        ringing.outputs += ringing.book.takeOutputs()
        #expect(
            ringing.lines() == [
                "record unanswered", "outgoingCallRejected unanswered > anna",
                "incomingCallCancelled timeout > bob,carol",
            ])
        let second = try ringing.call("team", from: "anna", members: Self.team)
        try ringing.apply(.accept, to: second, by: "bob")
        ringing.book.groupDeleted("team", now: ringing.now)
        #expect(ringing.book.call(second)?.record.status == .ended)
    }

    @Test func `a call that is withdrawn was never made`() throws {
        var ringing = Ringing()
        let id = try ringing.call("team", from: "anna", members: Self.team)
        let two = try ringing.call("carol", from: "bob", timeout: 90)
        ringing.book.withdraw(id)
        ringing.book.withdraw("x")
        #expect(ringing.book.call(id) == nil)
        #expect(ringing.book.nextDeadline == ringing.now + 90_000)
        ringing.book.withdraw(two)
        #expect(ringing.book.nextDeadline == nil)
        #expect(throws: Never.self) { try ringing.call("team", from: "anna", members: Self.team) }
        #expect(throws: Never.self) { try ringing.call("carol", from: "bob") }
    }
}
