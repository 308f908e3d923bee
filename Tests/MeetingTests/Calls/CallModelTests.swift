import Meeting
import Testing

/// What calls are, said again as simply as possible: facts and rules, no transitions.
private struct CallModel {
    struct Entry {
        var isGroup: Bool
        var caller: String
        var called: Set<String>
        var device: String?
        var due: Int64
        var status = CallRecord.Status.initiated
        var inside: Set<String> = []
        /// Nobody comes to a session here: this long after the first answer it ends.
        var joinBy = Int64.max

        var isLive: Bool { status == .initiated || status == .ongoing }
        var busy: Set<String> {
            guard isLive else { return [] }
            guard isGroup else { return called.union([caller]) }
            return status == .initiated ? [caller] : inside
        }
    }

    var calls: [String: Entry] = [:]
    var guids: [String: String] = [:]

    func busyElsewhere(_ uid: String, than id: String) -> Bool {
        calls.contains { $0.key != id && $0.value.busy.contains(uid) }
    }

    mutating func expire(_ now: Int64) {
        for (id, call) in calls where call.status == .initiated && call.due <= now {
            calls[id]?.status = .unanswered
        }
        for (id, call) in calls where call.status == .ongoing && call.joinBy <= now {
            calls[id]?.status = .ended
        }
    }

    /// The code of the refusal, or nil once it is done.
    mutating func apply(
        _ command: CallCommand, to id: String, by uid: String, device: String, now: Int64
    ) -> ErrorCode? {
        guard var call = calls[id] else { return .sessionNotFound }
        guard uid == call.caller || call.called.contains(uid) else { return .notAPart }
        guard call.isLive else { return .callTerminated }
        let started = call.status == .ongoing
        switch command {
        case .accept:
            if call.isGroup {
                if started ? call.inside.contains(uid) : uid == call.caller { return .groupCallAlreadyJoined }
            } else {
                if started {
                    return uid != call.caller && device == call.device ? nil : .callOngoingToInvalid
                }
                if uid == call.caller { return .noAccess }
            }
            if busyElsewhere(uid, than: id) { return .busySelf }
            call.inside.formUnion(started ? [uid] : [uid, call.caller])
            if !started { call.joinBy = now + Call.joinWithinMs }
            call.status = .ongoing
            call.device = device
        case .reject, .busy:
            if call.isGroup { return .groupCallInvalidStatus }
            if started { return .callOngoingToInvalid }
            if uid == call.caller { return .noAccess }
            call.status = command == .busy ? .busy : .rejected
        case .cancel, .unanswered:
            if started { return .callOngoingToInvalid }
            if uid != call.caller { return .noAccess }
            call.status = command == .cancel ? .cancelled : .unanswered
        case .end:
            if !started { return .callNotStarted }
            if call.isGroup {
                guard call.inside.remove(uid) != nil else { return .groupCallAlreadyLeft }
                if call.inside.isEmpty { call.status = .ended }
            } else {
                call.status = .ended
            }
        }
        calls[id] = call
        return nil
    }
}

@Suite struct CallModelTests {
    private static let users = (0..<8).map { "u\($0)" }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `thousands of random commands do what a simple model does`(seed: UInt64) throws {
        var random = Seeded(state: seed)
        var ringing = Ringing(remembered: 10_000)
        var model = CallModel()
        var refusals: Set<ErrorCode> = []
        var statuses: Set<CallRecord.Status> = []
        for _ in 0..<3_000 {
            ringing.pass(Int64.random(in: 0...4_000, using: &random))
            model.expire(ringing.now)
            let uid = Self.users.randomElement(using: &random) ?? ""
            let code: ErrorCode?
            let expected: ErrorCode?
            if Int.random(in: 0..<4, using: &random) == 0 {
                (code, expected) = initiate(by: uid, &ringing, &model, &random)
            } else {
                let id = target(model, &random)
                let command = CallCommand.allCases.randomElement(using: &random) ?? .end
                let device = Bool.random(using: &random) ? "phone" : "desk"
                expected = model.apply(command, to: id, by: uid, device: device, now: ringing.now)
                code = self.code { () throws(MeetingError) in
                    try ringing.apply(command, to: id, by: uid, device: device)
                }
            }
            #expect(code == expected)
            if let code { refusals.insert(code) }
            statuses.formUnion(model.calls.values.map(\.status))
            let agrees = agree(ringing.book, model)
            #expect(agrees)
        }
        for (id, entry) in model.calls { #expect(ringing.book.call(id)?.record.status == entry.status) }
        // The walk went everywhere.
        #expect(statuses.count == 7)
        #expect(refusals.count == 13)
    }

    private func initiate(
        by uid: String, _ ringing: inout Ringing, _ model: inout CallModel, _ random: inout Seeded
    ) -> (ErrorCode?, ErrorCode?) {
        let isGroup = Int.random(in: 0..<3, using: &random) == 0
        let receiver =
            isGroup
            ? "g\(Int.random(in: 0..<2, using: &random))" : Self.users.randomElement(using: &random) ?? ""
        let members = isGroup ? Self.users.filter { _ in Bool.random(using: &random) } + ["u0"] : []
        let seconds = Int.random(in: 5..<60, using: &random)
        let called = isGroup ? Set(members).subtracting([uid]) : [receiver]
        let entry = CallModel.Entry(
            isGroup: isGroup, caller: uid, called: called, due: ringing.now + Int64(seconds) * 1_000)
        var expected: ErrorCode?
        if !isGroup && receiver == uid {
            expected = .callingSelf
        } else if model.busyElsewhere(uid, than: "") {
            expected = .busySelf
        } else if !isGroup && model.busyElsewhere(receiver, than: "") {
            expected = .busyUser
        } else if isGroup
            && model.calls.contains(where: { $0.value.isLive && model.guids[$0.key] == receiver })
        {
            expected = .busyGroup
        }
        let id = "call-\(model.calls.count + 1)"
        let request = ringing.request(
            id, receiver, from: uid, members: members, timeout: Double(seconds))
        let code = self.code { () throws(MeetingError) in
            try ringing.book.initiate(request, now: ringing.now)
        }
        if expected == nil {
            model.calls[id] = entry
            if isGroup { model.guids[id] = receiver }
        }
        return (code, expected)
    }

    private func code<T>(_ body: () throws(MeetingError) -> T) -> ErrorCode? {
        do throws(MeetingError) {
            _ = try body()
            return nil
        } catch {
            return error.code
        }
    }

    /// Mostly a call that goes on; else any, or one that never was.
    private func target(_ model: CallModel, _ random: inout Seeded) -> String {
        let live = model.calls.filter(\.value.isLive).keys.sorted()
        if Int.random(in: 0..<4, using: &random) > 0, let id = live.randomElement(using: &random) {
            return id
        }
        return "call-\(Int.random(in: 1...model.calls.count + 1, using: &random))"
    }

    /// Whether those who are busy, and the next deadline, are as the model has them.
    private func agree(_ book: CallBook, _ model: CallModel) -> Bool {
        let live = model.calls.filter(\.value.isLive)
        let statuses = live.allSatisfy { book.call($0.key)?.record.status == $0.value.status }
        let users = Self.users.allSatisfy { uid in
            book.activeCall(of: uid)?.sessionID == live.first { $0.value.busy.contains(uid) }?.key
        }
        let due = live.values.map { $0.status == .initiated ? $0.due : $0.joinBy }.min()
        return statuses && users && (due.map { (book.nextDeadline ?? .max) <= $0 } ?? true)
    }
}
