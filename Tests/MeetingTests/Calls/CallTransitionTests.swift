import Meeting
import Testing

/// Every status × command × side, once for two users and once for a group.
@Suite struct CallTransitionTests {
    /// What a command leads to: a status, or the code of the error.
    private enum Result: Equatable {
        case status(CallRecord.Status)
        case refused(ErrorCode)
    }

    /// A row: what the caller, one who is called and an outsider get.
    private typealias Row = (command: CallCommand, caller: Result, called: Result, outsider: Result)

    private static let outside = Result.refused(.notAPart)
    private static let otherSide = Result.refused(.noAccess)
    private static let notStarted = Result.refused(.callNotStarted)
    private static let ongoing = Result.refused(.callOngoingToInvalid)

    private static let initiatedByTwo: [Row] = [
        (.accept, otherSide, .status(.ongoing), outside),
        (.reject, otherSide, .status(.rejected), outside),
        (.busy, otherSide, .status(.busy), outside),
        (.cancel, .status(.cancelled), otherSide, outside),
        (.unanswered, .status(.unanswered), otherSide, outside),
        (.end, notStarted, notStarted, outside),
    ]
    private static let ongoingByTwo: [Row] = [
        (.accept, ongoing, ongoing, outside),
        (.reject, ongoing, ongoing, outside),
        (.busy, ongoing, ongoing, outside),
        (.cancel, ongoing, ongoing, outside),
        (.unanswered, ongoing, ongoing, outside),
        (.end, .status(.ended), .status(.ended), outside),
    ]
    private static let joined = Result.refused(.groupCallAlreadyJoined)
    private static let invalid = Result.refused(.groupCallInvalidStatus)
    private static let initiatedByGroup: [Row] = [
        (.accept, joined, .status(.ongoing), outside),
        (.reject, invalid, invalid, outside),
        (.busy, invalid, invalid, outside),
        (.cancel, .status(.cancelled), otherSide, outside),
        (.unanswered, .status(.unanswered), otherSide, outside),
        (.end, notStarted, notStarted, outside),
    ]
    private static let ongoingByGroup: [Row] = [
        (.accept, joined, joined, outside),
        (.reject, invalid, invalid, outside),
        (.busy, invalid, invalid, outside),
        (.cancel, ongoing, ongoing, outside),
        (.unanswered, ongoing, ongoing, outside),
        (.end, .status(.ongoing), .status(.ongoing), outside),
    ]

    /// Leads a call of bob (and carol) by anna into a status; bob answers on his phone.
    private func lead(to status: CallRecord.Status, group: Bool) throws -> (Ringing, String) {
        var ringing = Ringing()
        let members = group ? ["anna", "bob", "carol"] : []
        let id = try ringing.call(group ? "team" : "bob", from: "anna", members: members)
        switch status {
        case .initiated: break
        case .ongoing: try ringing.apply(.accept, to: id, by: "bob", device: "phone")
        case .ended:
            try ringing.apply(.accept, to: id, by: "bob", device: "phone")
            try ringing.apply(.end, to: id, by: "bob")
            if group { try ringing.apply(.end, to: id, by: "anna") }
        case .busy: try ringing.apply(.busy, to: id, by: "bob")
        case .rejected: try ringing.apply(.reject, to: id, by: "bob")
        case .cancelled: try ringing.apply(.cancel, to: id, by: "anna")
        case .unanswered, .missed: ringing.pass(45_000)
        }
        ringing.outputs = []
        return (ringing, id)
    }

    private func expect(
        _ expected: Result, of command: CallCommand, by uid: String, in status: CallRecord.Status, group: Bool
    ) throws {
        var (ringing, id) = try lead(to: status, group: group)
        let before = ringing.book.call(id)?.record
        #expect(before?.status == status)
        let comment: Comment = "\(uid) \(command) while \(status), group: \(group)"
        do {
            try ringing.apply(command, to: id, by: uid, device: "desk")
            let after = try #require(ringing.book.call(id)?.record.status)
            #expect(expected == .status(after), comment)
            #expect(!ringing.outputs.isEmpty, comment)
        } catch let error as MeetingError {
            #expect(expected == .refused(error.code), comment)
            #expect(ringing.book.call(id)?.record == before, comment)
            #expect(ringing.book.takeOutputs().isEmpty, comment)
        }
    }

    @Test(arguments: [false, true])
    func `each command has one result in each status of a live call`(group: Bool) throws {
        let tables: [(CallRecord.Status, [Row])] = [
            (.initiated, group ? Self.initiatedByGroup : Self.initiatedByTwo),
            (.ongoing, group ? Self.ongoingByGroup : Self.ongoingByTwo),
        ]
        for (status, table) in tables {
            #expect(table.map(\.command) == CallCommand.allCases)
            for row in table {
                try expect(row.caller, of: row.command, by: "anna", in: status, group: group)
                try expect(row.called, of: row.command, by: "bob", in: status, group: group)
                try expect(row.outsider, of: row.command, by: "mallory", in: status, group: group)
            }
        }
    }

    @Test(arguments: [CallRecord.Status.busy, .rejected, .cancelled, .unanswered, .ended])
    func `nothing changes a call that is over`(status: CallRecord.Status) throws {
        for group in [false, true] where !group || (status != .busy && status != .rejected) {
            for command in CallCommand.allCases {
                for uid in ["anna", "bob"] {
                    try expect(.refused(.callTerminated), of: command, by: uid, in: status, group: group)
                }
                try expect(Self.outside, of: command, by: "mallory", in: status, group: group)
            }
        }
    }

    @Test(arguments: [
        CallRecord.Status.initiated, .ongoing, .busy, .rejected, .cancelled, .unanswered, .ended,
    ])
    func `no call is initiated again`(status: CallRecord.Status) throws {
        var (ringing, id) = try lead(to: status, group: false)
        let again = ringing.request(id, "bob", from: "anna")
        #expect(throws: MeetingError.callExists) { try ringing.book.initiate(again, now: ringing.now) }
        #expect(MeetingError.callExists.code == .callInvalidInit)
        #expect(ringing.book.call(id)?.record.status == status)
    }

    @Test func `an id that is empty or unknown is refused`() {
        var ringing = Ringing()
        for command in CallCommand.allCases {
            #expect(throws: MeetingError.emptySessionID) { try ringing.apply(command, to: "", by: "anna") }
            #expect(throws: MeetingError.callNotFound) { try ringing.apply(command, to: "x", by: "anna") }
        }
        #expect(MeetingError.callNotFound.code == .sessionNotFound)
        #expect(MeetingError.emptySessionID.code == .emptySessionID)
    }
}
