/// What a participant may do in a session; each scope includes the ones below it.
public enum Scope: String, Sendable, CaseIterable, Comparable {
    /// Receives only.
    case viewer
    case participant
    case moderator
    case admin
    case owner

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .participant: 1
        case .moderator: 2
        case .admin: 3
        case .owner: 4
        }
    }

    public static func < (left: Scope, right: Scope) -> Bool {
        left.rank < right.rank
    }
}

/// Where something that is sent comes from.
public enum Source: String, Sendable, CaseIterable {
    case microphone, camera, screen, screenAudio
}

/// What a call token allows beyond the scope.
public struct Grants: Sendable, Equatable {
    /// Sources that may be published. Viewers and hidden ones publish nothing, whatever stands here.
    public var publish: Set<Source>
    /// Whether anything is received.
    public var subscribe: Bool
    /// Not in the roster, and nobody is told. Publishes nothing: nobody is heard who can't be seen.
    public var hidden: Bool

    public init(
        publish: Set<Source> = Set(Source.allCases), subscribe: Bool = true, hidden: Bool = false
    ) {
        self.publish = publish
        self.subscribe = subscribe
        self.hidden = hidden
    }

    /// The sources that somebody of this scope may publish with these grants.
    public func publishable(as scope: Scope) -> Set<Source> {
        scope == .viewer || hidden ? [] : publish
    }
}
