import Meeting
import Storage
import Testing

@Suite struct MessageTests {
    private func message(
        _ id: String, _ conversation: Conversation = .group("g"), at time: Int64 = 1
    ) -> StoredMessage {
        StoredMessage(
            id: id, conversation: conversation, sender: .init(uid: "ann", name: "Ann"), category: .text,
            type: "chat", text: id, sentAt: time)
    }

    @Test(arguments: Place.allCases) func `a message is kept as it was sent`(_ place: Place) async throws {
        try await place.withStore { store in
            let card = StoredMessage(
                id: "card", conversation: .group("g"), sender: .init(uid: "ann", name: "Ann"),
                category: .custom,
                type: "meeting", data: #"{"sessionId":"g"}"#, metadata: "{}", sentAt: 5)
            let text = message("text", .session("s"))
            let whisper = message("whisper", .direct(between: "bob", and: "ann"))
            for message in [card, text, whisper] {
                try await store.addMessage(message)
                #expect(try await store.message(message.id) == message)
            }
            await #expect(throws: StoreError.exists(.message("card"))) { try await store.addMessage(card) }
        }
    }

    @Test(arguments: Place.allCases) func `history is read backwards, page by page`(
        _ place: Place
    ) async throws {
        try await place.withStore { store in
            // Times come in pairs and not in order: the clock was set back once.
            for number in 0..<50 {
                let time = Int64(number < 30 ? number / 2 : (number - 10) / 2)
                try await store.addMessage(message("m\(number)", at: time))
            }
            var read: [StoredMessage] = []
            while true {
                let end = read.last.map { HistoryRequest.End.message($0.id) } ?? .latest
                let page = try await store.history(
                    HistoryRequest(of: .group("g"), before: end, limit: 7))
                read += page
                if page.count < 7 { break }
            }
            #expect(read.count == 50)
            #expect(Set(read.map(\.id)).count == 50)
            #expect(read.map(\.sentAt) == read.map(\.sentAt).sorted(by: >))
            #expect(read.first?.id == "m49")
            let early = try await store.history(HistoryRequest(of: .group("g"), before: .time(2)))
            #expect(early.map(\.id) == ["m3", "m2", "m1", "m0"])
        }
    }

    @Test(arguments: Place.allCases) func `conversations are apart, and two users have one`(
        _ place: Place
    ) async throws {
        try await place.withStore { store in
            let conversations: [Conversation] = [
                .session("x"), .group("x"), .direct(between: "x", and: "y"), .direct(between: "x", and: "z"),
            ]
            for (index, conversation) in conversations.enumerated() {
                try await store.addMessage(message("m\(index)", conversation))
            }
            for (index, conversation) in conversations.enumerated() {
                #expect(
                    try await store.history(HistoryRequest(of: conversation)).map(\.id) == ["m\(index)"])
            }
            let other = try await store.history(HistoryRequest(of: .direct(between: "y", and: "x")))
            let unsorted = try await store.history(HistoryRequest(of: .direct(lower: "y", higher: "x")))
            #expect(other.map(\.id) == ["m2"] && unsorted == other)
            await #expect(throws: StoreError.notFound(.message("m1"))) {
                try await store.history(HistoryRequest(of: .session("x"), before: .message("m1")))
            }
        }
    }

    @Test(arguments: [0, -1, 101]) func `a page of history has 1 to 100 messages`(_ limit: Int) async throws {
        try await Place.memory.withStore { (store) async throws in
            await #expect(throws: StoreError.invalid(parameter: "limit", reason: "must be 1 to 100")) {
                try await store.history(HistoryRequest(of: .group("g"), limit: limit))
            }
        }
    }

    @Test(arguments: Place.allCases) func `messages are deleted one by one, or the oldest of a conversation`(
        _ place: Place
    ) async throws {
        try await place.withStore { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<1_003 {
                    let message = message("m\(number)", at: Int64(number))
                    group.addTask { try await store.addMessage(message) }
                }
                try await group.waitForAll()
            }
            try await store.addMessage(message("other", .session("g")))
            try await store.deleteMessage("m1002")
            await #expect(throws: StoreError.notFound(.message("m1002"))) {
                try await store.deleteMessage("m1002")
            }
            #expect(try await store.deleteMessages(of: .group("g")) == 1_000)
            let left = try await store.history(HistoryRequest(of: .group("g")))
            #expect(left.map(\.id) == ["m1001", "m1000"])
            #expect(try await store.deleteMessages(of: .group("g")) == 2)
            #expect(try await store.deleteMessages(of: .group("g")) == 0)
            #expect(try await store.message("other") != nil)
        }
    }
}
