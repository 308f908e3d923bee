import Meeting
import Storage
import Testing

@Suite struct GroupTests {
    /// A store with users `ann`, `bob` and `cid`, and ann's group `g`.
    private func withGroup(_ place: Place, _ body: (SQLiteStore) async throws -> Void) async throws {
        try await place.withStore { store in
            for uid in ["ann", "bob", "cid"] { try await store.putUser(User(uid: uid, name: uid)) }
            try await store.putGroup(Group(guid: "g", name: "G", owner: "ann"), now: 7)
            try await body(store)
        }
    }

    @Test(arguments: Place.allCases) func `a new group has its owner as its first member`(
        _ place: Place
    ) async throws {
        try await withGroup(place) { (store) async throws in
            #expect(try await store.member("ann", of: "g") == Member(uid: "ann", scope: .owner, joinedAt: 7))
            #expect(try await store.group("g") == Group(guid: "g", name: "G", owner: "ann"))
        }
    }

    @Test(arguments: Place.allCases) func `a group changes in all but its owner`(_ place: Place) async throws
    {
        try await withGroup(place) { (store) async throws in
            var group = Group(
                guid: "g", name: "Other", kind: .password, passwordHash: "hash", owner: "bob",
                maxParticipants: 12, metadata: "[]")
            #expect(try await store.putGroup(group, now: 8) == false)
            group.owner = "ann"
            #expect(try await store.group("g") == group)
            #expect(try await store.memberUIDs(of: "g") == ["ann"])
        }
    }

    @Test func `an owner nobody knows is refused, and no group is made`() async throws {
        try await Place.memory.withStore { (store) async throws in
            await #expect(throws: StoreError.notFound(.user("nobody"))) {
                try await store.putGroup(Group(guid: "g", name: "G", owner: "nobody"), now: 1)
            }
            #expect(try await store.group("g") == nil)
        }
    }

    @Test(arguments: Place.allCases) func `groups are listed by guid, all or those of a member`(
        _ place: Place
    ) async throws {
        try await withGroup(place) { store in
            try await store.putGroup(Group(guid: "f", name: "F", owner: "bob"), now: 1)
            try await store.putGroup(Group(guid: "h", name: "H"), now: 1)
            try await store.addMembers([Member(uid: "bob", joinedAt: 1)], to: "h")
            let all = try await store.groups(member: nil, PageRequest(size: 2))
            #expect(all.elements.map(\.guid) == ["f", "g"] && all.total == 3)
            let ofBob = try await store.groups(member: "bob", PageRequest())
            #expect(ofBob.elements.map(\.guid) == ["f", "h"] && ofBob.total == 2)
        }
    }

    @Test(arguments: Place.allCases) func `a deleted group's history stays, its members and bans don't`(
        _ place: Place
    ) async throws {
        try await withGroup(place) { store in
            let message = StoredMessage(
                id: "m", conversation: .group("g"), sender: .init(uid: "ann", name: "Ann"), category: .custom,
                type: "meeting", data: "{}", sentAt: 1)
            try await store.addMessage(message)
            try await store.ban(Ban(uid: "cid", bannedAt: 1), in: "g")
            try await store.deleteGroup("g")
            #expect(try await store.group("g") == nil)
            #expect(try await store.memberUIDs(of: "g") == [])
            #expect(try await store.ban(of: "cid", in: "g") == nil)
            #expect(try await store.history(HistoryRequest(of: .group("g"))) == [message])
            await #expect(throws: StoreError.notFound(.group("g"))) { try await store.deleteGroup("g") }
        }
    }

    @Test(arguments: Place.allCases) func `a transfer changes the owner and both scopes at once`(
        _ place: Place
    ) async throws {
        try await withGroup(place) { store in
            await #expect(throws: StoreError.notFound(.member(guid: "g", uid: "bob"))) {
                try await store.transferOwner(of: "g", to: "bob", formerOwner: .admin)
            }
            try await store.addMembers([Member(uid: "bob", joinedAt: 8)], to: "g")
            try await store.transferOwner(of: "g", to: "bob", formerOwner: .moderator)
            #expect(try await store.group("g")?.owner == "bob")
            #expect(try await store.member("bob", of: "g")?.scope == .owner)
            #expect(try await store.member("ann", of: "g")?.scope == .moderator)
            try await store.transferOwner(of: "g", to: "bob", formerOwner: .viewer)
            #expect(try await store.member("bob", of: "g")?.scope == .owner)
        }
    }

    @Test func `a transfer can't leave two owners`() async throws {
        try await withGroup(.memory) { store in
            try await store.addMembers([Member(uid: "bob", joinedAt: 8)], to: "g")
            let error = await #expect(throws: StoreError.self) {
                try await store.transferOwner(of: "g", to: "bob", formerOwner: .owner)
            }
            #expect(error == .invalid(parameter: "formerOwner", reason: "can't stay owner"))
            await #expect(throws: StoreError.notFound(.group("no"))) {
                try await store.transferOwner(of: "no", to: "bob", formerOwner: .admin)
            }
        }
    }
}
