import Meeting
import Storage
import Testing

@Suite struct CallTests {
    /// Everything set.
    private let whole = CallRecord(
        id: "c1", sessionID: "s1", meetingID: "m1", initiator: CallParty(uid: "ann", name: "Ann"),
        receiver: CallReceiver(kind: .user, id: "bob", name: "Bob"), kind: .audio, mode: .call,
        status: .ended,
        initiatedAt: 1_000, startedAt: 3_000, endedAt: 8_999, audioSeconds: 11, videoSeconds: 2,
        metadata: "{}",
        participants: [
            CallParticipant(
                id: "p2", uid: "ann", name: "Ann", deviceID: "phone", state: .ended, joinedAt: 3_000,
                leftAt: 8_999),
            CallParticipant(id: "p1", uid: "bob", name: "Bob", state: .unanswered),
        ],
        recordings: [CallRecording(id: "r1", url: "https://example.org/r1", startedAt: 3_500, endedAt: 8_000)]
    )

    private func call(
        _ id: String, at time: Int64, by caller: String = "ann", to receiver: String = "bob",
        change: (inout CallRecord) -> Void = { _ in }
    ) -> CallRecord {
        var call = CallRecord(
            id: id, sessionID: "s-\(id)", initiator: CallParty(uid: caller, name: caller),
            receiver: CallReceiver(kind: .user, id: receiver, name: receiver), mode: .call, initiatedAt: time)
        change(&call)
        return call
    }

    private func ids(_ store: SQLiteStore, _ change: (inout CallFilter) -> Void) async throws -> [String] {
        var filter = CallFilter()
        change(&filter)
        let page = try await store.calls(filter, PageRequest())
        #expect(page.total == page.elements.count)
        return page.elements.map(\.id)
    }

    @Test(arguments: Place.allCases) func `a call is kept as it was logged`(_ place: Place) async throws {
        try await place.withStore { store in
            try await store.addCall(whole)
            #expect(try await store.call("c1") == whole)
            #expect(whole.durationSeconds == 5 && whole.participants[0].durationSeconds == 5)
            #expect(whole.participants[0].isJoined && !whole.participants[1].isJoined)
            let bare = CallRecord(
                id: "c2", sessionID: "s2", initiator: CallParty(uid: "ann", name: "Ann"), mode: .meet,
                initiatedAt: 1)
            try await store.addCall(bare)
            #expect(try await store.call("c2") == bare)
            #expect(try await store.call("c3") == nil)
            await #expect(throws: StoreError.exists(.call("c1"))) { try await store.addCall(whole) }
        }
    }

    @Test(arguments: Place.allCases) func `a call and its participants change apart`(
        _ place: Place
    ) async throws {
        try await place.withStore { store in
            var call = whole
            try await store.addCall(call)
            call.participants[1].state = .ongoing
            call.participants[1].joinedAt = 4_000
            call.participants.append(
                CallParticipant(id: "p0", uid: "cid", name: "Cid", state: .rejected))
            try await store.putParticipants([call.participants[1], call.participants[2]], in: "c1")
            call.recordings[0].endedAt = 8_001
            try await store.putRecording(call.recordings[0], in: "c1")
            #expect(try await store.call("c1") == call)

            call.status = .ongoing
            call.endedAt = nil
            call.receiver = nil
            var head = call
            head.participants = []
            head.recordings = []
            try await store.updateCall(head)
            #expect(try await store.call("c1") == call)
        }
    }

    @Test(arguments: Place.allCases) func `putting a call adds it, then changes what it names`(
        _ place: Place
    ) async throws {
        try await place.withStore { store in
            var call = whole
            try await store.putCall(call)
            #expect(try await store.call("c1") == call)
            let new = CallParticipant(id: "p3", uid: "cid", name: "Cid", state: .ongoing, joinedAt: 4_000)
            var part = call
            part.status = .ongoing
            part.participants = [new]
            part.recordings = []
            try await store.putCall(part)
            call.status = .ongoing
            call.participants.append(new)
            #expect(try await store.call("c1") == call)
        }
    }

    @Test(arguments: Place.allCases) func `a call that nobody answered was missed by those whom it was for`(
        _ place: Place
    ) async throws {
        try await place.withStore { store in
            try await store.addCall(call("mine", at: 1, by: "ann", to: "bob") { $0.status = .unanswered })
            try await store.addCall(call("his", at: 2, by: "bob", to: "ann") { $0.status = .unanswered })
            try await store.addCall(call("over", at: 3, by: "bob", to: "ann") { $0.status = .ended })
            func seen(
                _ status: CallRecord.Status, by viewer: String?, uid: String? = nil
            ) async throws -> [String] {
                try await ids(store) { filter in
                    filter.status = status
                    filter.viewer = viewer
                    if let uid { filter.involved = [.init(uid: uid)] }
                }
            }
            #expect(try await seen(.missed, by: "ann", uid: "ann") == ["his"])
            #expect(try await seen(.unanswered, by: "ann", uid: "ann") == ["mine"])
            #expect(try await seen(.missed, by: nil, uid: "bob") == ["mine"])
            #expect(try await seen(.unanswered, by: nil, uid: "bob") == ["his", "mine"])
            #expect(try await seen(.missed, by: nil) == ["his", "mine"])
        }
    }

    @Test(arguments: Place.allCases)
    func `calls that a dead process left open are closed when it was last alive`(
        _ place: Place
    ) async throws {
        try await place.withStore { store in
            func stay(
                _ id: String, _ state: CallParticipant.State, _ joined: Int64?, _ left: Int64? = nil
            )
                -> CallParticipant
            {
                CallParticipant(id: id, uid: id, name: id, state: state, joinedAt: joined, leftAt: left)
            }
            #expect(try await store.closeCalls(at: nil) == 0)
            try await store.addCall(whole)
            try await store.addCall(
                call("rings", at: 9_000) { $0.participants = [stay("p", .unanswered, nil)] })
            try await store.addCall(
                call("talks", at: 1_000) { call in
                    (call.status, call.startedAt) = (.ongoing, 2_000)
                    call.participants = [stay("in", .ongoing, 2_000), stay("out", .ended, 2_000, 4_500)]
                })
            try await store.addCall(
                call("late", at: 30_000) { call in
                    (call.status, call.startedAt, call.kind) = (.ongoing, 31_000, .audio)
                    call.participants = [stay("in", .ongoing, 32_000), stay("out", .ended, 31_000, 33_000)]
                })
            try await store.noteAlive(at: 5_000)
            try await store.noteAlive(at: 20_000)
            #expect(try await store.closeCalls(at: nil) == 3)
            let rings = try #require(try await store.call("rings"))
            #expect(rings.status == .unanswered && rings.endedAt == 20_000)
            #expect(rings.participants.map(\.state) == [.unanswered])
            let talks = try #require(try await store.call("talks"))
            #expect(talks.status == .ended && talks.endedAt == 20_000)
            #expect(talks.participants.map(\.leftAt) == [20_000, 4_500])
            #expect(talks.participants.map(\.state) == [.ended, .ended])
            #expect(talks.audioSeconds == 20 && talks.videoSeconds == 20)
            // Nothing ends before what is known of it.
            let late = try #require(try await store.call("late"))
            #expect(late.endedAt == 33_000 && late.participants.map(\.leftAt) == [33_000, 33_000])
            #expect(late.audioSeconds == 3 && late.videoSeconds == 0)
            #expect(try await store.call("c1") == whole)
            #expect(try await store.closeCalls(at: 90_000) == 0)
        }
    }

    @Test func `what isn't logged can't be changed`() async throws {
        try await Place.memory.withStore { (store) async throws in
            await #expect(throws: StoreError.notFound(.call("c1"))) { try await store.updateCall(whole) }
            await #expect(throws: StoreError.notFound(.call("c1"))) {
                try await store.putParticipants(whole.participants, in: "c1")
            }
            await #expect(throws: StoreError.notFound(.call("c1"))) {
                try await store.putRecording(whole.recordings[0], in: "c1")
            }
        }
    }

    @Test(arguments: Place.allCases) func `a session's calls are found, the latest first`(
        _ place: Place
    ) async throws {
        try await place.withStore { store in
            for (id, time) in [("a", 5), ("b", 9), ("c", 7), ("d", 9)] as [(String, Int64)] {
                try await store.addCall(call(id, at: time) { $0.sessionID = "s" })
            }
            try await store.addCall(call("e", at: 20))
            #expect(try await store.latestCall(in: "s")?.id == "d")
            #expect(try await store.latestCall(in: "none") == nil)
            #expect(try await ids(store) { $0.sessionID = "s" } == ["d", "b", "c", "a"])
        }
    }

    @Test(arguments: Place.allCases) func `each filter finds what it names`(_ place: Place) async throws {
        try await place.withStore { store in
            try await store.addCall(call("a", at: 1) { $0.kind = .audio })
            try await store.addCall(call("b", at: 2) { $0.mode = .presenter })
            try await store.addCall(call("c", at: 3) { $0.status = .missed })
            try await store.addCall(
                call("d", at: 4) { $0.receiver = CallReceiver(kind: .group, id: "bob", name: "Bob's") })
            try await store.addCall(call("e", at: 5) { $0.recordings = whole.recordings })
            try await store.addCall(call("f", at: 6) { $0.startedAt = 100 })
            #expect(try await ids(store) { _ in } == ["f", "e", "d", "c", "b", "a"])
            #expect(try await ids(store) { $0.kind = .audio } == ["a"])
            #expect(try await ids(store) { $0.mode = .presenter } == ["b"])
            #expect(try await ids(store) { $0.status = .missed } == ["c"])
            #expect(try await ids(store) { $0.receiverKind = .group } == ["d"])
            #expect(try await ids(store) { $0.guid = "bob" } == ["d"])
            #expect(try await ids(store) { $0.hasRecording = true } == ["e"])
            #expect(try await ids(store) { $0.hasRecording = false } == ["f", "d", "c", "b", "a"])
            #expect(try await ids(store) { $0.startedAfter = 5 } == ["f"])
            #expect(try await ids(store) { $0.startedBefore = 3 } == ["b", "a"])
            let combined = try await ids(store) { filter in
                filter.status = .initiated
                filter.startedAfter = 1
                filter.startedBefore = 5
            }
            #expect(combined == ["d", "b"])
        }
    }

    @Test(arguments: Place.allCases) func `calls of a user are those it made, got or took part in`(
        _ place: Place
    ) async throws {
        try await place.withStore { store in
            try await store.addCall(call("made", at: 1, by: "ann", to: "bob"))
            try await store.addCall(call("got", at: 2, by: "bob", to: "ann"))
            try await store.addCall(
                call("group", at: 3, by: "cid") { call in
                    call.receiver = CallReceiver(kind: .group, id: "ann", name: "a guid like a uid")
                    call.participants = [CallParticipant(id: "p", uid: "bob", name: "Bob", state: .ended)]
                })
            try await store.addCall(call("foreign", at: 4, by: "cid", to: "dan"))
            #expect(try await ids(store) { $0.involved = [.init(uid: "ann")] } == ["got", "made"])
            #expect(
                try await ids(store) { $0.involved = [.init(uid: "ann", direction: .outgoing)] } == ["made"])
            #expect(
                try await ids(store) { $0.involved = [.init(uid: "ann", direction: .incoming)] } == ["got"])
            #expect(
                try await ids(store) { $0.involved = [.init(uid: "bob", direction: .incoming)] }
                    == ["group", "made"])
            #expect(
                try await ids(store) { $0.involved = [.init(uid: "bob"), .init(uid: "cid")] } == ["group"])
            let three = CallFilter.Involved(uid: "ann")
            await #expect(throws: StoreError.self) {
                try await ids(store) { $0.involved = [three, three, three] }
            }
        }
    }

    @Test func `the log comes in pages with its total`() async throws {
        try await Place.file.withStore { store in
            for number in 0..<25 {
                try await store.addCall(
                    call("c\(number)", at: Int64(number)) { $0.participants = whole.participants })
            }
            var filter = CallFilter()
            filter.startedAfter = 4
            let page = try await store.calls(filter, PageRequest(number: 2, size: 8))
            #expect(page.elements.map(\.id) == (9..<17).reversed().map { "c\($0)" })
            #expect(page.elements.allSatisfy { $0.participants == whole.participants })
            #expect(page.total == 20 && page.totalPages == 3)
        }
    }
}
