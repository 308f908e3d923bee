import Meeting

/// What the one who asks for something may do in a group, at that moment.
struct Standing: Sendable {
    /// Nil: a back end.
    let uid: String?
    /// Nil: a back end, which may do everything.
    let scope: Scope?

    /// As others are told.
    var author: Author { uid.map { .user(uid: $0) } ?? .backEnd }

    static let backEnd = Standing(uid: nil, scope: nil)

    /// Refuses whoever is less than a moderator.
    func checkModerates() throws(APIError) {
        guard let scope, scope < .moderator else { return }
        throw APIError(.noModeratorScope, "this needs moderator scope in the group")
    }

    /// Refuses whoever wants to do it to itself.
    func checkIsNot(_ target: String) throws(APIError) {
        guard uid == target else { return }
        throw APIError(.noSelfAction, "nobody does this to oneself")
    }

    /// Refuses whoever isn't of a higher scope than this.
    func checkOutranks(_ other: Scope) throws(APIError) {
        guard let scope, scope <= other else { return }
        throw APIError(.noClearance, "this needs a higher scope than \(other.rawValue)")
    }
}
