import Meeting

/// A book of calls with a clock, and what came out of it.
struct Ringing {
    var book: CallBook
    var now: Int64 = 1_000_000
    var outputs: [CallOutput] = []
    private var count = 0

    init(remembered: Int = 1_000) {
        book = CallBook(remembered: remembered)
    }

    /// Calls a user, or a group if there are members, and returns the session id.
    @discardableResult
    mutating func call(
        _ receiver: String, from caller: String, device: String? = nil, members: [String] = [],
        timeout: Double? = nil
    ) throws(MeetingError) -> String {
        count += 1
        let id = "call-\(count)"
        try book.initiate(
            request(id, receiver, from: caller, device: device, members: members, timeout: timeout), now: now)
        outputs += book.takeOutputs()
        return id
    }

    func request(
        _ id: String, _ receiver: String, from caller: String, device: String? = nil, members: [String] = [],
        timeout: Double? = nil
    ) -> CallRequest {
        CallRequest(
            sessionID: id, recordID: "r-\(id)", caller: CallParty(uid: caller, name: caller), device: device,
            receiver: CallReceiver(kind: members.isEmpty ? .user : .group, id: receiver, name: receiver),
            members: members.map { CallParty(uid: $0, name: $0) }, timeoutSeconds: timeout)
    }

    mutating func apply(
        _ command: CallCommand, to id: String, by uid: String, device: String? = nil
    ) throws(MeetingError) {
        try book.apply(command, to: id, by: uid, device: device, now: now)
        outputs += book.takeOutputs()
    }

    /// Puts somebody out of the group "team".
    mutating func expel(_ uid: String) {
        book.memberRemoved(uid, fromGroup: "team", now: now)
        outputs += book.takeOutputs()
    }

    mutating func pass(_ milliseconds: Int64) {
        now += milliseconds
        book.advance(to: now)
        outputs += book.takeOutputs()
    }

    /// The outputs since the last time, one line each.
    mutating func lines() -> [String] {
        defer { outputs = [] }
        return outputs.map { output in
            switch output {
            case .record(let record): "record \(record.status)"
            case .push(_, let users): "push \(users.joined(separator: ","))"
            case .endSession: "endSession"
            case .leaveSession(_, let uid): "leaveSession \(uid)"
            case .event(let event, let to):
                Self.describe(event) + " > " + to.map(Self.describe).joined(separator: ",")
            }
        }
    }

    private static func describe(_ event: CallEvent) -> String {
        switch event {
        case .outgoingCallRejected(let record): "\(event.name) \(record.status)"
        case .incomingCallCancelled(_, let reason): "\(event.name) \(reason)"
        case .outgoingCallAccepted(_, let by): "\(event.name) \(by.uid)"
        case .incomingCallReceived, .callEnded: event.name
        }
    }

    private static func describe(_ address: CallAddress) -> String {
        switch address.devices {
        case .all: address.uid
        case .only(let device): "\(address.uid)/\(device)"
        case .allBut(let device): "\(address.uid)/not-\(device)"
        }
    }
}
