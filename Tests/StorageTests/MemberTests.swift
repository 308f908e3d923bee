import Meeting
import Storage
import Testing

@Suite struct MemberTests {
    /// A store with users `u0` to `u29`, and u0's group `g`.
    private func withGroup(_ place: Place, _ body: (SQLiteStore) async throws -> Void) async throws {
        try await place.withStore { store in
            for number in 0..<30 { try await store.putUser(User(uid: "u\(number)", name: "U")) }
            try await store.putGroup(Group(guid: "g", name: "G", owner: "u0"), now: 1)
            try await body(store)
        }
    }

    private func members(_ numbers: Range<Int>, at time: Int64 = 2) -> [Member] {
        numbers.map { Member(uid: "u\($0)", joinedAt: time) }
    }

    @Test(arguments: Place.allCases) func `25 members are added at once, those who are in stay as they are`(
        _ place: Place
    ) async throws {
        try await withGroup(place) { store in
            try await store.addMembers([Member(uid: "u3", scope: .moderator, joinedAt: 2)], to: "g")
            let added = try await store.addMembers(members(1..<26, at: 3), to: "g")
            #expect(added == (1..<26).filter { $0 != 3 }.map { "u\($0)" })
            #expect(
                try await store.member("u3", of: "g") == Member(uid: "u3", scope: .moderator, joinedAt: 2))
            let page = try await store.members(of: "g", PageRequest(size: 3))
            #expect(page.elements.map(\.uid) == ["u0", "u3", "u1"] && page.total == 26)
        }
    }

    @Test(arguments: [0, 26]) func `none or more than 25 members are refused`(_ count: Int) async throws {
        try await withGroup(.memory) { (store) async throws in
            await #expect(throws: StoreError.invalid(parameter: "members", reason: "must be 1 to 25")) {
                try await store.addMembers(members(1..<1 + count), to: "g")
            }
        }
    }

    @Test(arguments: Place.allCases) func `one who can't be added keeps all the others out`(
        _ place: Place
    ) async throws {
        try await withGroup(place) { store in
            let unknown = members(1..<4) + [Member(uid: "nobody", joinedAt: 2)]
            await #expect(throws: StoreError.notFound(.user("nobody"))) {
                try await store.addMembers(unknown, to: "g")
            }
            let usurper = members(1..<4) + [Member(uid: "u5", scope: .owner, joinedAt: 2)]
            await #expect(throws: StoreError.isOwner(uid: "u5")) {
                try await store.addMembers(usurper, to: "g")
            }
            try await store.ban(Ban(uid: "u6", bannedAt: 2), in: "g")
            await #expect(throws: StoreError.banned(uid: "u6")) {
                try await store.addMembers(members(1..<7), to: "g")
            }
            await #expect(throws: StoreError.notFound(.group("no"))) {
                try await store.addMembers(members(1..<2), to: "no")
            }
            #expect(try await store.memberUIDs(of: "g") == ["u0"])
        }
    }

    @Test(arguments: Place.allCases) func `a kick ends a membership, but never the owner's`(
        _ place: Place
    ) async throws {
        try await withGroup(place) { store in
            try await store.addMembers(members(1..<3), to: "g")
            try await store.kick("u1", from: "g")
            #expect(try await store.memberUIDs(of: "g") == ["u0", "u2"])
            let parties = [CallParty(uid: "u0", name: "U"), CallParty(uid: "u2", name: "U")]
            #expect(try await store.memberParties(of: "g") == parties)
            await #expect(throws: StoreError.notFound(.member(guid: "g", uid: "u1"))) {
                try await store.kick("u1", from: "g")
            }
            await #expect(throws: StoreError.isOwner(uid: "u0")) { try await store.kick("u0", from: "g") }
            #expect(try await store.addMembers(members(1..<2), to: "g") == ["u1"])
        }
    }

    @Test(arguments: Place.allCases) func `a scope changes, but not to or from owner`(
        _ place: Place
    ) async throws {
        try await withGroup(place) { store in
            try await store.addMembers(members(1..<2), to: "g")
            try await store.setScope(.admin, of: "u1", in: "g")
            #expect(try await store.member("u1", of: "g")?.scope == .admin)
            await #expect(throws: StoreError.isOwner(uid: "u1")) {
                try await store.setScope(.owner, of: "u1", in: "g")
            }
            await #expect(throws: StoreError.isOwner(uid: "u0")) {
                try await store.setScope(.viewer, of: "u0", in: "g")
            }
            await #expect(throws: StoreError.notFound(.member(guid: "g", uid: "u9"))) {
                try await store.setScope(.viewer, of: "u9", in: "g")
            }
        }
    }

    @Test(arguments: Place.allCases)
    func `a ban ends the membership and keeps the user out until it is lifted`(
        _ place: Place
    ) async throws {
        try await withGroup(place) { store in
            try await store.addMembers(members(1..<2), to: "g")
            let ban = Ban(uid: "u1", bannedAt: 5)
            #expect(try await store.ban(ban, in: "g"))
            #expect(try await store.member("u1", of: "g") == nil)
            #expect(try await store.ban(of: "u1", in: "g") == ban)
            await #expect(throws: StoreError.exists(.ban(guid: "g", uid: "u1"))) {
                try await store.ban(Ban(uid: "u1", bannedAt: 6), in: "g")
            }
            #expect(try await store.ban(Ban(uid: "stranger", bannedAt: 6), in: "g") == false)
            try await store.unban("u1", in: "g")
            await #expect(throws: StoreError.notFound(.ban(guid: "g", uid: "u1"))) {
                try await store.unban("u1", in: "g")
            }
            #expect(try await store.addMembers(members(1..<2), to: "g") == ["u1"])
        }
    }

    @Test func `the owner can't be banned, and a group that isn't can't ban`() async throws {
        try await withGroup(.memory) { (store) async throws in
            await #expect(throws: StoreError.isOwner(uid: "u0")) {
                try await store.ban(Ban(uid: "u0", bannedAt: 1), in: "g")
            }
            #expect(try await store.member("u0", of: "g") != nil)
            await #expect(throws: StoreError.notFound(.group("no"))) {
                try await store.ban(Ban(uid: "u1", bannedAt: 1), in: "no")
            }
            await #expect(throws: StoreError.notFound(.group("no"))) {
                try await store.bans(in: "no", now: 1, PageRequest())
            }
            await #expect(throws: StoreError.notFound(.group("no"))) {
                try await store.members(of: "no", PageRequest())
            }
        }
    }

    @Test(arguments: Place.allCases) func `a ban ends by itself at its time`(_ place: Place) async throws {
        try await withGroup(place) { store in
            try await store.ban(Ban(uid: "u1", bannedAt: 5, until: 10), in: "g")
            try await store.ban(Ban(uid: "u2", bannedAt: 5), in: "g")
            await #expect(throws: StoreError.banned(uid: "u1")) {
                try await store.addMembers(members(1..<2, at: 9), to: "g")
            }
            let before = try await store.bans(in: "g", now: 9, PageRequest())
            #expect(before.elements.map(\.uid) == ["u1", "u2"] && before.total == 2)
            let after = try await store.bans(in: "g", now: 10, PageRequest())
            #expect(after.elements.map(\.uid) == ["u2"] && after.total == 1)
            #expect(try await store.addMembers(members(1..<2, at: 10), to: "g") == ["u1"])
            #expect(try await store.ban(Ban(uid: "u1", bannedAt: 11), in: "g"))
            #expect(try await store.ban(of: "u1", in: "g") == Ban(uid: "u1", bannedAt: 11))
        }
    }
}
