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
        try await checkIsNotRevoked(token.signature)
    }

    /// - Parameter id: an auth token's signature.
    func checkIsNotRevoked(_ id: String) async throws(APIError) {
        let isRevoked = try await stored { store throws(StoreError) in
            try await store.isTokenRevoked(id)
        }
        guard !isRevoked else { throw APIError(.tokenNotFound, "the token was revoked") }
    }

    /// From when this returns the token opens nothing, and no socket lives by it.
    func revoke(_ token: Token) async throws(APIError) {
        let entry = RevokedToken(id: token.signature, expiresAt: token.expiresAt * 1_000)
        try await stored { store throws(StoreError) in try await store.revokeToken(entry) }
        for client in presence.clients(showing: token.signature) { await client.tokenWasRevoked() }
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
