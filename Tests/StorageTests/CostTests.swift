import Meeting
import Testing

@testable import Storage

/// How much SQLite does for an answer: by its own plan and its own count of steps, not by a clock.
@Suite struct CostTests {
    private static let fill: SQL = """
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
        INSERT INTO messages (id, place, first_id, second_id, sender_uid, sender_name, category, type, text, sent_at)
        SELECT 'm' || n, 'group', 'g' || (n % ?), '', 'u', 'U', 'text', 'chat', 'hello', n FROM numbers
        """

    @Test func `a page of history costs the same among 100,000 messages as among 1,000`() async throws {
        let few = try await steps(among: 1_000, of: 1)
        #expect(few.allSatisfy { $0 > 0 })
        // A deeper tree needs no more steps of the machine that runs statements; a scan would need many times as many.
        for conversations in [1, 100] {
            let many = try await steps(among: 100_000, of: conversations)
            for (one, other) in zip(few, many) { #expect(other <= one + one / 10) }
        }
    }

    /// Steps for the latest page, one before a time and one before a message.
    private func steps(among messages: Int, of conversations: Int) async throws -> [Int] {
        let folder = try TemporaryFolder()
        let database = try Schema.open(folder.file())
        try database.run(Self.fill, .integer(messages), .integer(conversations))
        let conversation = Conversation.group("g0")
        let middle = "m\(messages / 2)"
        return try [
            HistoryRequest(of: conversation, limit: 100),
            HistoryRequest(of: conversation, before: .time(Int64(messages / 2)), limit: 100),
            HistoryRequest(of: conversation, before: .message(middle), limit: 100),
        ].map { request in
            let before = database.steps
            let page = try database.history(request)
            #expect(page.count == 100)
            return database.steps - before
        }
    }

    @Test(arguments: [Database.latestHistory, Database.historyBeforeTime, Database.historyBeforeMessage])
    func `history is read by its index, without scanning or sorting`(_ sql: SQL) throws {
        let database = try Schema.open(SQLiteStore.inMemory)
        let plan = try plan(of: sql, in: database)
        let searched = "SEARCH messages USING INDEX messages_by_time (place=? AND first_id=? AND second_id=?"
        #expect(plan.count == 1)
        #expect(plan.allSatisfy { $0.hasPrefix(searched) })
        #expect(plan.allSatisfy { !$0.contains("SCAN") && !$0.contains("TEMP B-TREE") })
    }

    @Test func `the calls of a user or session are found without scanning the log`() throws {
        let database = try Schema.open(SQLiteStore.inMemory)
        let filters: [(inout CallFilter) -> Void] = [
            { $0.involved = [.init(uid: "ann")] },
            { $0.involved = [.init(uid: "ann", direction: .outgoing)] },
            { $0.involved = [.init(uid: "ann", direction: .incoming)] },
            { $0.involved = [.init(uid: "ann"), .init(uid: "bob")] },
            { $0.sessionID = "s" },
            { $0.guid = "g" },
            { $0.status = .ongoing },
            { $0.status = .missed },
        ]
        for change in filters {
            var filter = CallFilter()
            change(&filter)
            let plan = try plan(of: "SELECT count(*) FROM calls" + CallConditions(filter).sql, in: database)
            #expect(!plan.isEmpty && plan.allSatisfy { !$0.contains("SCAN calls") }, "\(plan)")
        }
    }

    private func plan(of sql: SQL, in database: Database) throws(StoreError) -> [String] {
        let count = sql.text.count { $0 == "?" }
        return try database.rows("EXPLAIN QUERY PLAN " + sql, Array(repeating: .null, count: count)) {
            (row) throws(StoreError) in try row.text(3)
        }
    }

    @Test func `statements that stay prepared are bounded`() throws {
        let database = try Schema.open(SQLiteStore.inMemory)
        var filter = CallFilter()
        for bits in 0..<256 {
            filter.kind = bits & 1 == 0 ? nil : .audio
            filter.mode = bits & 2 == 0 ? nil : .meet
            filter.status = bits & 4 == 0 ? nil : .ended
            filter.receiverKind = bits & 8 == 0 ? nil : .user
            filter.guid = bits & 16 == 0 ? nil : "g"
            filter.sessionID = bits & 32 == 0 ? nil : "s"
            filter.hasRecording = bits & 64 == 0 ? nil : true
            filter.startedAfter = bits & 128 == 0 ? nil : 1
            #expect(try database.calls(filter, PageRequest()).total == 0)
            #expect(database.preparedStatements <= Database.mostStatements)
        }
        #expect(database.preparedStatements == Database.mostStatements)
    }
}
