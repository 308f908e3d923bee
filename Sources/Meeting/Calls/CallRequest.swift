/// Somebody wants to call a user or a group.
public struct CallRequest: Sendable {
    /// The id of the session that the call leads to, made up by the caller of this API, never used before.
    public var sessionID: String
    /// The id of its entry in the call log, made up likewise.
    public var recordID: String
    public var caller: CallParty
    /// The caller's device: it alone is told of the answer. Nil: all of them are.
    public var device: String?
    public var receiver: CallReceiver
    /// The group's members, with or without the caller; empty if a user is called.
    public var members: [CallParty]
    public var kind: CallRecord.Kind
    /// How long it rings, in whole seconds, at least 1.
    public var timeoutSeconds: Int
    /// JSON text.
    public var metadata: String?

    /// - Parameter timeoutSeconds: as the client asked; see `timeout(from:)`.
    public init(
        sessionID: String, recordID: String, caller: CallParty, device: String? = nil, receiver: CallReceiver,
        members: [CallParty] = [], kind: CallRecord.Kind = .video, timeoutSeconds: Double? = nil,
        metadata: String? = nil
    ) {
        self.sessionID = sessionID
        self.recordID = recordID
        self.caller = caller
        self.device = device
        self.receiver = receiver
        self.members = members
        self.kind = kind
        self.timeoutSeconds = Self.timeout(from: timeoutSeconds)
        self.metadata = metadata
    }

    public static let defaultTimeoutSeconds = 45
    /// A day.
    public static let longestTimeoutSeconds = 86_400

    /// How many a call may ring. Larger groups have meetings, which ring nobody.
    public static let mostCalled = 200

    public static let tooManyCalled = MeetingError.invalid(
        field: "receiverId",
        reason: "is a group in which more than \(mostCalled) would be called: meet there instead")

    /// What is asked for in whole seconds, the fraction cut, a day at most; 45 if nothing of it is left.
    public static func timeout(from seconds: Double?) -> Int {
        guard let seconds, seconds >= 1 else { return defaultTimeoutSeconds }
        return seconds >= Double(longestTimeoutSeconds) ? longestTimeoutSeconds : Int(seconds)
    }

    /// Those who are rung, each once.
    var called: [CallParty] {
        guard receiver.kind == .group else { return [CallParty(uid: receiver.id, name: receiver.name)] }
        var seen: Set<String> = [caller.uid]
        return members.filter { seen.insert($0.uid).inserted }
    }

    func check() throws(MeetingError) {
        if sessionID.isEmpty { throw .emptySessionID }
        try Limit.checkID(sessionID, field: "sessionId")
        if receiver.kind == .user, receiver.id == caller.uid { throw .callingSelf }
        try Limit.checkID(receiver.id, field: "receiverId")
        if called.count > Self.mostCalled { throw Self.tooManyCalled }
        if let metadata, metadata.utf8.count > Limit.data {
            throw .invalid(field: "metadata", reason: "must be at most \(Limit.data) bytes")
        }
    }
}
