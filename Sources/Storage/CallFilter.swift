public import Meeting

/// Which calls of the log are wanted: those that meet every condition that is set.
public struct CallFilter: Sendable, Equatable {
    public enum Direction: Sendable {
        /// Somebody else called.
        case incoming
        /// The user called.
        case outgoing
    }

    /// A user who called, was called, or took part.
    public struct Involved: Sendable, Equatable {
        public var uid: String
        /// Either, if nil.
        public var direction: Direction?

        public init(uid: String, direction: Direction? = nil) {
            self.uid = uid
            self.direction = direction
        }
    }

    /// The most users that a filter can name.
    public static let mostInvolved = 2

    /// All of them, at most `mostInvolved`: whose log it is, and with whom they were called.
    public var involved: [Involved] = []
    public var kind: CallRecord.Kind?
    public var mode: CallRecord.Mode?
    /// As `viewer` sees it. `missed` are calls that nobody answered and that somebody else than the viewer made; nobody's
    /// view given, than the first of `involved`.
    public var status: CallRecord.Status?
    /// Whose view of the log it is: what others called and nobody answered isn't `unanswered` for this user, but `missed`.
    public var viewer: String?
    public var receiverKind: CallReceiver.Kind?
    /// A group that was called or met.
    public var guid: String?
    public var sessionID: String?
    public var hasRecording: Bool?
    /// Milliseconds since 1970. Holds for the start, or for the attempt if the call never started.
    public var startedAfter: Int64?
    /// As `startedAfter`.
    public var startedBefore: Int64?

    public init() {}

    func check() throws(StoreError) {
        guard involved.count <= Self.mostInvolved else {
            throw .invalid(parameter: "involved", reason: "must be at most \(Self.mostInvolved) users")
        }
    }
}
