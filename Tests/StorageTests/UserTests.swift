import Meeting
import Storage
import Testing

@Suite struct UserTests {
    let ann = User(uid: "ann", name: "Ann", avatar: "https://example.org/a.png", metadata: #"{"team":1}"#)

    @Test(arguments: Place.allCases) func `a user is kept as it was put`(_ place: Place) async throws {
        try await place.withStore { (store) async throws in
            #expect(try await store.user("ann") == nil)
            #expect(try await store.putUser(ann))
            #expect(try await store.user("ann") == ann)
            let renamed = User(uid: "ann", name: "Anna")
            #expect(try await store.putUser(renamed) == false)
            #expect(try await store.user("ann") == renamed)
        }
    }

    @Test(arguments: Place.allCases) func `a deleted user is gone, with its memberships`(
        _ place: Place
    ) async throws {
        try await place.withStore { store in
            try await store.putUser(ann)
            try await store.putGroup(Group(guid: "g", name: "G"), now: 1)
            try await store.addMembers([Member(uid: "ann", joinedAt: 1)], to: "g")
            try await store.deleteUser("ann", now: 5_000)
            #expect(try await store.user("ann") == nil)
            #expect(try await store.memberUIDs(of: "g") == [])
            await #expect(throws: StoreError.notFound(.user("ann"))) {
                try await store.deleteUser("ann", now: 5_000)
            }
        }
    }

    @Test(arguments: Place.allCases) func `an owner can't be deleted before its groups are given away`(
        _ place: Place
    ) async throws {
        try await place.withStore { store in
            try await store.putUser(ann)
            try await store.putUser(User(uid: "bob", name: "Bob"))
            try await store.putGroup(Group(guid: "g", name: "G", owner: "ann"), now: 1)
            await #expect(throws: StoreError.ownsGroups(uid: "ann", count: 1)) {
                try await store.deleteUser("ann", now: 5_000)
            }
            #expect(try await store.user("ann") == ann)
            try await store.addMembers([Member(uid: "bob", joinedAt: 2)], to: "g")
            try await store.transferOwner(of: "g", to: "bob", formerOwner: .admin)
            try await store.deleteUser("ann", now: 5_000)
            #expect(try await store.memberUIDs(of: "g") == ["bob"])
        }
    }

    @Test func `messages, calls and bans of a deleted user stay`() async throws {
        try await Place.file.withStore { store in
            try await store.putUser(ann)
            try await store.putGroup(Group(guid: "g", name: "G"), now: 1)
            let message = StoredMessage(
                id: "m", conversation: .group("g"), sender: .init(uid: "ann", name: "Ann"), category: .text,
                type: "chat", text: "hello", sentAt: 1)
            try await store.addMessage(message)
            let call = CallRecord(
                id: "c", sessionID: "s", initiator: CallParty(uid: "ann", name: "Ann"), mode: .call,
                initiatedAt: 1)
            try await store.addCall(call)
            try await store.ban(Ban(uid: "ann", bannedAt: 1), in: "g")
            try await store.deleteUser("ann", now: 5_000)
            #expect(try await store.history(HistoryRequest(of: .group("g"))) == [message])
            #expect(try await store.call("c") == call)
            try await store.putUser(ann)
            await #expect(throws: StoreError.banned(uid: "ann")) {
                try await store.addMembers([Member(uid: "ann", joinedAt: 2)], to: "g")
            }
        }
    }

    @Test(arguments: Place.allCases) func `users are listed by uid, page by page, with the total`(
        _ place: Place
    ) async throws {
        try await place.withStore { store in
            let empty = try await store.users(PageRequest())
            #expect(empty.elements.isEmpty && empty.total == 0 && empty.totalPages == 0)
            for number in (10..<55).reversed() {
                try await store.putUser(User(uid: "u\(number)", name: "U"))
            }
            let first = try await store.users(PageRequest(number: 1, size: 20))
            #expect(first.elements.map(\.uid) == (10..<30).map { "u\($0)" })
            #expect(first.total == 45 && first.totalPages == 3)
            let last = try await store.users(PageRequest(number: 3, size: 20))
            #expect(last.elements.map(\.uid) == (50..<55).map { "u\($0)" })
            let beyond = try await store.users(PageRequest(number: 4, size: 20))
            #expect(beyond.elements.isEmpty && beyond.total == 45)
        }
    }

    @Test(arguments: [(0, 30), (-1, 30), (1, 0), (1, 101), (Int.max, 100), (1, Int.max)])
    func `a page outside the bounds is refused`(_ number: Int, _ size: Int) async throws {
        try await Place.memory.withStore { (store) async throws in
            let error = await #expect(throws: StoreError.self) {
                try await store.users(PageRequest(number: number, size: size))
            }
            guard case .invalid = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }
}
