/// What the members of a group are told, wherever they are.
public enum GroupEvent: Sendable, Equatable {
    case meetingStarted(guid: String, Session)
    case meetingEnded(guid: String, Session)
    case memberJoined(guid: String, Member, by: Author?)
    /// By itself.
    case memberLeft(guid: String, uid: String)
    case memberKicked(guid: String, uid: String, by: Author)
    case memberBanned(guid: String, uid: String, by: Author)
    case memberScopeChanged(guid: String, uid: String, Scope, by: Author)

    /// Its name in the API.
    public var name: String {
        switch self {
        case .meetingStarted: "meetingStarted"
        case .meetingEnded: "meetingEnded"
        case .memberJoined: "groupMemberJoined"
        case .memberLeft: "groupMemberLeft"
        case .memberKicked: "groupMemberKicked"
        case .memberBanned: "groupMemberBanned"
        case .memberScopeChanged: "groupMemberScopeChanged"
        }
    }

    /// What an output of a meeting means to the members of its group; nil: nothing.
    public init?(_ output: Output) {
        switch output {
        case .meetingStarted(let session):
            guard let guid = session.guid else { return nil }
            self = .meetingStarted(guid: guid, session)
        case .meetingEnded(let session):
            guard let guid = session.guid else { return nil }
            self = .meetingEnded(guid: guid, session)
        default: return nil
        }
    }
}
