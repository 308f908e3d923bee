import Meeting
import Observability
import Storage

/// Tokens that are no good although they haven't expired.
extension ControlCore {
    /// Checks a token, and that nobody has revoked it.
    func verify(_ text: String) async throws(APIError) -> Token {
        let token = try authority.verify(text, now: Clock.now())
        try await checkIsNotRevoked(token)
        return token
    }

    func checkIsNotRevoked(_ token: Token) async throws(APIError) {
        // Only auth tokens can be.
        guard token.kind == .auth else { return }
        try await checkIsNotRevoked(
            token.signature, of: token.uid, issuedAt: token.issuedAt.map { $0 * 1_000 })
    }

    /// - Parameters:
    ///   - id: an auth token's signature.
    ///   - issuedAt: milliseconds since 1970, if it is known.
    func checkIsNotRevoked(_ id: String, of uid: String, issuedAt: Int64?) async throws(APIError) {
        let isRevoked = try await stored { store throws(StoreError) in
            try await store.isTokenRevoked(id, of: uid, issuedAt: issuedAt)
        }
        guard !isRevoked else { throw APIError(.tokenNotFound, "the token was revoked") }
    }

    /// From when this returns the token opens nothing, and no socket lives by it.
    func revoke(_ token: Token) async throws(APIError) {
        let entry = RevokedToken(id: token.signature, expiresAt: token.expiresAt * 1_000)
        try await stored { store throws(StoreError) in try await store.revokeToken(entry) }
        for client in presence.clients(showing: token.signature) { await client.tokenWasRevoked() }
    }

    /// The user was deleted: no socket lives by its tokens any more.
    func closeSockets(of uid: String) async {
        for client in presence.clients(bearing: uid) { await client.tokenWasRevoked() }
    }

    /// Forgets the revocation of tokens that have expired meanwhile.
    func forgetExpiredTokens() async {
        do throws(StoreError) {
            while try await store.forgetExpiredTokens(now: Clock.now()) == StoreLimit.deletionsAtOnce {}
        } catch {
            log.warning("\(error)", key: "store")
        }
    }
}
