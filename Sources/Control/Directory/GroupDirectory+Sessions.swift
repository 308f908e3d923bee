import Meeting
import Storage

/// Who may do what in sessions. In the session of a group that is what one is in the group at that moment, and the group
/// doesn't change until it is done.
extension GroupDirectory {
    /// Does something as somebody who is in a session.
    func acting<Value>(
        as member: Client.Membership, _ body: @Sendable (Principal) async throws(APIError) -> Value
    ) async throws(APIError) -> Value {
        let id = member.participant
        guard let guid = member.session.guid else { return try await body(.participant(id)) }
        return try await turns.pass(guid) { () async throws(APIError) in
            guard let uid = await member.session.uid(of: id) else {
                throw APIError(MeetingError.notInSession)
            }
            return try await body(.participant(id, scope: try await scope(of: uid, in: guid)))
        }
    }

    /// Does something in a session as whoever makes a request: as a participant, if the user is in, else as a member of the
    /// group.
    func acting<Value>(
        _ caller: Route.Caller, in id: String,
        _ body: @Sendable (SessionActor, Principal) async throws(APIError) -> Value
    ) async throws(APIError) -> Value {
        guard case .user(let token) = caller else { return try await body(try await running(id), .backEnd) }
        guard try await isGroup(id) else {
            let session = try await running(id)
            guard let inside = await session.participant(of: token.uid) else { throw Self.notAPart(token) }
            return try await body(session, .participant(inside))
        }
        return try await turns.pass(id) { () async throws(APIError) in
            let scope = try await scope(of: token.uid, in: id)
            let session = try await running(id)
            guard let inside = await session.participant(of: token.uid) else {
                return try await body(session, .user(token.uid, scope: scope))
            }
            return try await body(session, .participant(inside, scope: scope))
        }
    }

    /// A session for somebody who wants to see it: who is in, or moderates its group.
    func session(_ id: String, seenBy caller: Route.Caller) async throws(APIError) -> SessionActor {
        guard case .user(let token) = caller else { return try await running(id) }
        if let session = await core.registry.running(id), await session.isIn(token.uid) { return session }
        if try await isGroup(id), try await scope(of: token.uid, in: id) >= .moderator {
            return try await running(id)
        }
        _ = try await running(id)
        throw Self.notAPart(token)
    }

    /// Gives somebody in a session another scope: for the meeting, or in the group whose session it is.
    func setScope(
        _ scope: Scope, of target: Target, in session: SessionActor, as principal: Principal
    ) async throws(APIError) {
        guard let guid = session.guid else {
            return try await session.perform {
                (meeting: inout MeetingSession, now: Int64) throws(MeetingError) in
                try meeting.setParticipantScope(target, to: scope, by: principal, now: now)
            }
        }
        let (uid, author) = try await session.perform {
            (meeting: inout MeetingSession, _: Int64) throws(MeetingError) in
            let uid = try meeting.checkParticipantScope(scope, of: target, by: principal)
            return (uid, try meeting.author(principal))
        }
        _ = try await setScope(scope, of: uid, in: guid, as: principal, by: author)
    }

    // MARK: - Parts

    /// The session that goes on under this id, or was made ahead.
    func running(_ id: String) async throws(APIError) -> SessionActor {
        guard let session = await core.registry.running(id) else {
            throw APIError(.sessionNotFound, "no session \(id) goes on")
        }
        return session
    }

    private func isGroup(_ id: String) async throws(APIError) -> Bool {
        try await core.stored { store throws(StoreError) in try await store.group(id) } != nil
    }

    private static func notAPart(_ token: Token) -> APIError {
        APIError(.notAPart, "\(token.uid) isn't in the session")
    }
}
