import Storage
import Testing

@Suite struct TokenTests {
    @Test(arguments: Place.allCases) func `a revoked token stays revoked until it expires`(
        _ place: Place
    ) async throws {
        try await place.withStore { store in
            #expect(try await store.isTokenRevoked("a") == false)
            try await store.revokeToken(RevokedToken(id: "a", expiresAt: 10))
            try await store.revokeToken(RevokedToken(id: "b", expiresAt: 20))
            try await store.revokeToken(RevokedToken(id: "a", expiresAt: 5))
            #expect(try await store.isTokenRevoked("a"))
            let listed = try await store.revokedTokens(now: 9, PageRequest())
            #expect(
                listed.elements == [
                    RevokedToken(id: "a", expiresAt: 10), RevokedToken(id: "b", expiresAt: 20),
                ])
            #expect(try await store.revokedTokens(now: 10, PageRequest()).elements.map(\.id) == ["b"])
            #expect(try await store.forgetExpiredTokens(now: 9) == 0)
            #expect(try await store.forgetExpiredTokens(now: 10) == 1)
            #expect(try await store.isTokenRevoked("a") == false)
            #expect(try await store.isTokenRevoked("b"))
        }
    }
}
