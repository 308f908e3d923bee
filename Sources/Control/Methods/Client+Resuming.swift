import Meeting

/// Coming back after the socket was lost.
extension Client {
    /// The resume token says who this is; whoever has logged in as well must be the same, and may be in that session.
    func resume(_ params: ResumeParams, _ reply: Reply) async throws(APIError) {
        if let membership {
            guard await membership.session.state(of: membership.participant) == nil else {
                throw Self.alreadyIn
            }
            forgetMembership()
        }
        guard let (session, participant) = await core.registry.bearer(of: params.resumeToken) else {
            throw Self.unknownResumeToken
        }
        if let identity, let uid = await session.uid(of: participant) {
            guard uid == identity.uid else {
                throw APIError(.noAccess, "the resume token belongs to somebody else")
            }
            guard identity.call.map({ $0.sessionID == session.id }) ?? true else {
                throw APIError(.noAccess, "the resume token belongs to another session")
            }
        }
        try await liveBy(await session.authToken(of: participant))
        try await session.resume(
            participant, token: params.resumeToken, lastSeq: params.lastSeq, socket: socket, reply)
        wasMember = true
        hasToConfirm = true
        await enter(session, as: participant)
    }

    /// Whoever comes back without a token of its own lives by the auth token that it joined with.
    private func liveBy(_ authToken: (id: String, uid: String)?) async throws(APIError) {
        guard let (id, uid) = authToken else { return }
        // First: whoever revokes it while the store is asked must find this client.
        if identity == nil { core.presence.watch(self, on: socket, tokenID: id, of: uid) }
        do throws(APIError) {
            try await core.checkIsNotRevoked(id, of: uid, issuedAt: nil)
        } catch {
            showPresence()
            throw error
        }
    }

    /// The token that this socket lives by, if it is one that can be revoked.
    var authTokenID: String? {
        identity.flatMap { $0.kind == .auth ? $0.signature : nil }
    }

    static let unknownResumeToken = APIError(
        .notInSession, "nobody can come back with this token: join again")
}
