import Meeting
import Storage
import Testing

@Suite struct TokenTests {
    @Test(arguments: Place.allCases) func `a revoked token stays revoked until it expires`(
        _ place: Place
    ) async throws {
        try await place.withStore { store in
            #expect(try await store.isTokenRevoked("a", of: "u", issuedAt: nil) == false)
            try await store.revokeToken(RevokedToken(id: "a", expiresAt: 10))
            try await store.revokeToken(RevokedToken(id: "b", expiresAt: 20))
            try await store.revokeToken(RevokedToken(id: "a", expiresAt: 5))
            #expect(try await store.isTokenRevoked("a", of: "u", issuedAt: nil))
            let listed = try await store.revokedTokens(now: 9, PageRequest())
            #expect(
                listed.elements == [
                    RevokedToken(id: "a", expiresAt: 10), RevokedToken(id: "b", expiresAt: 20),
                ])
            #expect(try await store.revokedTokens(now: 10, PageRequest()).elements.map(\.id) == ["b"])
            #expect(try await store.forgetExpiredTokens(now: 9) == 0)
            #expect(try await store.forgetExpiredTokens(now: 10) == 1)
            #expect(try await store.isTokenRevoked("a", of: "u", issuedAt: nil) == false)
            #expect(try await store.isTokenRevoked("b", of: "u", issuedAt: nil))
        }
    }

    @Test(arguments: Place.allCases) func `tokens of a deleted user are no good, those of the next one are`(
        _ place: Place
    ) async throws {
        try await place.withStore { store in
            func isRevoked(_ issuedAt: Int64?) async throws -> Bool {
                try await store.isTokenRevoked("t", of: "ann", issuedAt: issuedAt)
            }
            let ann = User(uid: "ann", name: "Ann")
            try await store.putUser(ann)
            #expect(try await isRevoked(4_000) == false)
            try await store.deleteUser("ann", now: 5_500)
            for time in [nil, 4_999, 6_000] as [Int64?] { #expect(try await isRevoked(time)) }
            #expect(try await store.isTokenRevoked("t", of: "ben", issuedAt: nil) == false)
            try await store.putUser(ann)
            #expect(try await isRevoked(4_999))
            // Times in tokens are whole seconds.
            for time in [nil, 5_000, 6_000] as [Int64?] { #expect(try await isRevoked(time) == false) }
            try await store.deleteUser("ann", now: 9_000)
            #expect(try await isRevoked(6_000))
        }
    }
}
