/// All calls of a node: who is busy, which call is meant, when something happens to one by itself.
///
/// As in a meeting, commands throw and change nothing or take effect, and `takeOutputs()` is called after each.
/// `now` is milliseconds since 1970. Calls that are over are remembered for a while, the last `remembered` of them;
/// for older ones the call log knows, and `refusal(of:by:)` says what to answer.
public struct CallBook: Sendable {
    private var calls: [String: Call] = [:]
    /// The call that keeps a user from others.
    private var engagements: [String: String] = [:]
    private var groupCalls: [String: String] = [:]
    /// Of calls to which something happens by itself, the earliest last, so that it is taken off cheaply.
    private var deadlines: [Deadline] = []
    private var over: [String] = []
    private let remembered: Int
    private var outputs: [CallOutput] = []

    private struct Deadline: Comparable {
        let at: Int64
        let call: String

        /// Later ones come first; calls with the same deadline are ordered by id, so that runs can be repeated.
        static func < (left: Deadline, right: Deadline) -> Bool {
            (left.at, left.call) > (right.at, right.call)
        }
    }

    public init(remembered: Int = 1_000) {
        self.remembered = remembered
    }

    /// What has to happen, in this order, since the last call.
    public mutating func takeOutputs() -> [CallOutput] {
        defer { outputs.removeAll() }
        return outputs
    }

    // MARK: - Commands

    /// Rings a user or a group. The caller is in a call from now on, and so is a user who is called.
    @discardableResult
    public mutating func initiate(_ request: CallRequest, now: Int64) throws(MeetingError) -> CallRecord {
        guard calls[request.sessionID] == nil else { throw .callExists }
        let call = try Call(request, now: now)
        if engagements[request.caller.uid] != nil { throw .busySelf }
        switch request.receiver.kind {
        case .user: if engagements[request.receiver.id] != nil { throw .busyUser }
        case .group: if groupCalls[request.receiver.id] != nil { throw .busyGroup }
        }
        outputs += call.begin()
        keep(call, changed: [request.caller.uid] + call.called)
        return call.record
    }

    /// Carries out what somebody in a call asks for.
    ///
    /// - Parameter device: which of the user's devices asks, if that is known.
    @discardableResult
    public mutating func apply(
        _ command: CallCommand, to sessionID: String, by uid: String, device: String? = nil, now: Int64
    ) throws(MeetingError) -> CallRecord {
        if sessionID.isEmpty { throw .emptySessionID }
        guard var call = calls[sessionID] else { throw .callNotFound }
        let brought = try call.apply(command, by: uid, device: device, now: now)
        if command == .accept, let other = engagements[uid], other != sessionID { throw .busySelf }
        outputs += brought
        keep(call, changed: call.isGroupCall ? [call.caller.uid, uid] : [])
        return call.record
    }

    /// A user is no longer in a group, and so not in its call.
    public mutating func memberRemoved(_ uid: String, fromGroup guid: String, now: Int64) {
        guard var call = activeCall(ofGroup: guid) else { return }
        outputs += call.expel(uid, now: now)
        keep(call, changed: [uid])
    }

    /// A user is gone, and has no part in any call any more. Complexity: O(calls that are known).
    public mutating func userDeleted(_ uid: String, now: Int64) {
        let ids = calls.values.filter { !$0.isOver && $0.hasPart(uid) }.map(\.sessionID)
        for id in ids.sorted() {
            guard var call = calls[id] else { continue }
            outputs += call.dismiss(uid, now: now)
            keep(call, changed: [uid])
        }
    }

    /// A group is gone, and its call with it.
    public mutating func groupDeleted(_ guid: String, now: Int64) {
        guard var call = activeCall(ofGroup: guid) else { return }
        outputs += call.dissolve(now: now)
        keep(call, changed: [])
    }

    /// Forgets a call that nobody was told of, as if it hadn't been made. What it brought about is the caller's to drop.
    public mutating func withdraw(_ sessionID: String) {
        guard let call = calls.removeValue(forKey: sessionID) else { return }
        setDeadline(of: sessionID, from: call.nextDeadline, to: nil)
        for uid in [call.caller.uid] + call.called where engagements[uid] == sessionID {
            engagements[uid] = nil
        }
        for (guid, id) in groupCalls where id == sessionID { groupCalls[guid] = nil }
        over.removeAll { $0 == sessionID }
    }

    // MARK: - The session of a call

    /// Refuses whoever may not come to a call's session now: outsiders, the caller before anybody answered, and who is
    /// in another call.
    public func checkMayJoin(_ uid: String, _ sessionID: String) throws(MeetingError) {
        guard let call = calls[sessionID] else { throw .callNotFound }
        try call.checkMayJoin(uid)
        if let other = engagements[uid], other != sessionID { throw .busySelf }
    }

    /// A device of the user came to a call's session, in this meeting: the user is in the call.
    public mutating func deviceJoined(
        _ sessionID: String, by uid: String, device: String?, meetingID: String, now: Int64
    ) {
        guard var call = calls[sessionID] else { return }
        outputs += call.deviceJoined(uid, device: device, meetingID: meetingID, now)
        keep(call, changed: [call.caller.uid, uid])
    }

    /// A device of the user left a call's session.
    public mutating func deviceLeft(_ sessionID: String, by uid: String, now: Int64) {
        guard var call = calls[sessionID] else { return }
        outputs += call.deviceLeft(uid, now)
        keep(call, changed: [uid])
    }

    /// Nobody is in a call's session any more.
    public mutating func sessionEnded(_ sessionID: String, now: Int64) {
        guard var call = calls[sessionID] else { return }
        outputs += call.sessionEnded(now)
        keep(call, changed: [])
    }

    // MARK: - Time

    /// When `advance(to:)` has something to do next.
    public var nextDeadline: Int64? { deadlines.last?.at }

    /// Lets calls stop to ring whose time is up, and ends those whose session nobody came to.
    public mutating func advance(to now: Int64) {
        while let next = deadlines.last, next.at <= now, var call = calls[next.call] {
            outputs += call.expire(now: now)
            keep(call, changed: [])
        }
    }

    // MARK: - Finding calls

    /// A call that goes on, or was over only lately.
    public func call(_ sessionID: String) -> Call? { calls[sessionID] }

    /// The call that the user is busy with: calling, called or in.
    public func activeCall(of uid: String) -> Call? {
        engagements[uid].flatMap { calls[$0] }
    }

    /// The group's call, ringing or going on.
    public func activeCall(ofGroup guid: String) -> Call? {
        groupCalls[guid].flatMap { calls[$0] }
    }

    /// The calls that ring at the user's devices, for one that connects late. Complexity: O(calls with a deadline).
    public func ringing(_ uid: String) -> [Call] {
        deadlines.reversed().compactMap { calls[$0.call] }.filter { $0.rings(uid) }
    }

    /// Why a call that only the log knows can't be changed any more.
    public static func refusal(of record: CallRecord, by uid: String) -> MeetingError {
        let isPart =
            record.initiator.uid == uid || record.participants.contains { $0.uid == uid }
            || (record.receiver?.kind == .user && record.receiver?.id == uid)
        return isPart ? .callOver : .notAPart
    }

    // MARK: - Parts

    /// Puts a call in its new state where it is found. `changed` need not name both sides of a call between two.
    private mutating func keep(_ call: Call, changed: [String]) {
        let id = call.sessionID
        let wasKnown = calls[id]
        calls[id] = call
        setDeadline(of: id, from: wasKnown?.nextDeadline, to: call.nextDeadline)
        let users = call.isOver || !call.isGroupCall ? [call.caller.uid] + call.called : changed
        for uid in users {
            if call.engages(uid) {
                engagements[uid] = id
            } else if engagements[uid] == id {
                engagements[uid] = nil
            }
        }
        if let receiver = call.record.receiver, receiver.kind == .group {
            groupCalls[receiver.id] = call.isOver ? nil : id
        }
        guard call.isOver, wasKnown?.isOver != true else { return }
        over.append(id)
        forgetOldest()
    }

    private mutating func setDeadline(of call: String, from old: Int64?, to new: Int64?) {
        guard old != new else { return }
        if let old { deadlines.remove(at: place(of: Deadline(at: old, call: call))) }
        guard let new else { return }
        let entry = Deadline(at: new, call: call)
        deadlines.insert(entry, at: place(of: entry))
    }

    /// Where a deadline is, or belongs.
    private func place(of entry: Deadline) -> Int {
        var low = 0
        var high = deadlines.count
        while low < high {
            let middle = (low + high) / 2
            if deadlines[middle] < entry { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Cuts what is remembered once it is twice too much, so that it costs little a call.
    private mutating func forgetOldest() {
        guard over.count > 2 * remembered else { return }
        for id in over.dropLast(remembered) { calls[id] = nil }
        over.removeFirst(over.count - remembered)
    }
}
