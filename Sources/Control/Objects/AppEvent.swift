import JSON
import Meeting

/// What a user is told outside of sessions.
enum AppEvent {
    private struct Frame<Data: Encodable>: Encodable {
        let event: String
        let at: Int64
        let data: Data
    }

    /// Nil if it can't be written, which would be a fault of ours.
    static func text(_ name: String, _ data: some Encodable) -> [UInt8]? {
        try? JSON.encode(Frame(event: name, at: Clock.now(), data: data))
    }
}

/// Somebody's place in a group has changed.
struct GroupEvent: Encodable {
    enum Name: String {
        case groupMemberJoined, groupMemberLeft, groupMemberKicked, groupMemberBanned, groupMemberScopeChanged
    }

    let guid: String
    let uid: String
    let scope: Scope?
    /// Who did it; absent for a back end.
    let by: String?
}

/// The server is about to stop.
struct DrainingNews: Encodable {
    let deadlineAt: Int64
}

/// A meeting of a group begins or is over.
struct MeetingNews: Encodable {
    let guid: String
    let sessionId: String
}
