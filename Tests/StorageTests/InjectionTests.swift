import Meeting
import Storage
import Testing

@Suite struct InjectionTests {
    static let texts = [
        "'; DROP TABLE users; --", "\"; DELETE FROM users; --", "x' OR '1'='1", "%", "_", "?1", ":uid",
        "@uid", "$uid",
        "nul\u{0}within", "\u{0}", "line\r\nbreak", "e\u{301}", "\u{1F469}\u{200D}\u{1F680}", "\\", "/*",
        "--", "", "NULL",
    ]

    @Test(arguments: Place.allCases) func `whatever a text contains, it is stored to the letter`(
        _ place: Place
    ) async throws {
        try await place.withStore { store in
            for text in Self.texts {
                try await store.putUser(User(uid: text, name: text, avatar: text, metadata: text))
                try await store.putGroup(
                    Group(guid: text, name: text, passwordHash: text, owner: text, metadata: text), now: 1)
                try await store.addMessage(message(text))
                try await store.revokeToken(RevokedToken(id: text, expiresAt: 1))
            }
            for text in Self.texts {
                let user = try #require(try await store.user(text))
                #expect([user.uid, user.name, user.avatar, user.metadata].allSatisfy { same($0, text) })
                let group = try #require(try await store.group(text))
                #expect([group.name, group.passwordHash, group.owner].allSatisfy { same($0, text) })
                let history = try await store.history(HistoryRequest(of: .group(text)))
                #expect(history.count == 1)
                #expect(same(history.first?.text, text) && same(history.first?.sender.name, text))
                #expect(try await store.memberUIDs(of: text).count == 1)
                #expect(try await store.isTokenRevoked(text, of: "u", issuedAt: nil))
            }
            #expect(try await store.users(PageRequest()).total == Self.texts.count)
            #expect(try await store.groups(member: nil, PageRequest()).total == Self.texts.count)
        }
    }

    @Test func `a condition in a filter's value selects nothing`() async throws {
        try await Place.memory.withStore { store in
            try await store.addCall(
                CallRecord(
                    id: "c", sessionID: "s", initiator: CallParty(uid: "ann", name: "Ann"), mode: .call,
                    initiatedAt: 1))
            for text in Self.texts {
                var filter = CallFilter()
                filter.involved = [.init(uid: text)]
                #expect(try await store.calls(filter, PageRequest()).total == 0)
                filter = CallFilter()
                filter.guid = text
                #expect(try await store.calls(filter, PageRequest()).total == 0)
                filter = CallFilter()
                filter.sessionID = text
                #expect(try await store.calls(filter, PageRequest()).total == 0)
                #expect(try await store.groups(member: text, PageRequest()).total == 0)
            }
            #expect(try await store.calls(CallFilter(), PageRequest()).total == 1)
        }
    }

    private func message(_ text: String) -> StoredMessage {
        StoredMessage(
            id: text, conversation: .group(text), sender: .init(uid: text, name: text), category: .custom,
            type: text, text: text, data: text, metadata: text, sentAt: 1)
    }

    /// Byte for byte: Swift takes texts for equal that differ in how an accent is written.
    private func same(_ found: String?, _ expected: String) -> Bool {
        found.map { Array($0.utf8) } == Array(expected.utf8)
    }
}
