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

    /// As above, for what the members of a group are told.
    static func text(_ event: GroupEvent) -> [UInt8]? {
        text(event.name, GroupEventData(event))
    }
}

/// The server is about to stop.
struct DrainingNews: Encodable {
    let deadlineAt: Int64
}

/// `data` of what the members of a group are told.
private struct GroupEventData: Encodable {
    let guid: String
    var sessionId: String?
    var uid: String?
    var scope: Scope?
    /// Who did it, by uid; absent for a back end.
    var by: String?

    init(_ event: GroupEvent) {
        switch event {
        case .meetingStarted(let guid, let session), .meetingEnded(let guid, let session):
            self.guid = guid
            sessionId = session.id
        case .memberJoined(let guid, let member, let author):
            self.guid = guid
            (uid, scope, by) = (member.uid, member.scope, author?.uid)
        case .memberLeft(let guid, let uid):
            self.guid = guid
            self.uid = uid
        case .memberKicked(let guid, let uid, let author), .memberBanned(let guid, let uid, let author):
            self.guid = guid
            (self.uid, by) = (uid, author.uid)
        case .memberScopeChanged(let guid, let uid, let scope, let author):
            self.guid = guid
            (self.uid, self.scope, by) = (uid, scope, author.uid)
        }
    }
}
