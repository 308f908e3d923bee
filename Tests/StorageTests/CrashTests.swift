import Foundation
import Meeting
import TestSupport
import Testing

@testable import Storage

/// Another process writes and is killed at random moments.
@Suite struct CrashTests {
    @Test func `what was answered before kill -9 is there afterwards, whole, and nothing is half there`()
        async throws
    {
        let folder = try TemporaryFolder()
        var generator = SeededGenerator(seed: 20)
        var answered: [String] = []
        for round in 0..<20 {
            // From the first moments of the process, when it may be making its tables, to a busy store.
            let lines = round % 5 == 0 ? generator.below(3) : generator.below(400)
            let writer = CrashWriter(file: folder.file(), name: "r\(round)")
            let new = try await onThread { try writer.run(untilLines: lines) }
            #expect(new.count >= lines)
            answered += new
            let problems = try await onThread {
                let database = try Schema.open(folder.file())
                return try database.problems() + self.missing(new, in: database) + self.halves(in: database)
            }
            #expect(problems == [])
        }
        // Earlier rounds' writes have survived the later rounds' deaths, too.
        let all = answered
        let missing = try await onThread {
            try self.missing(all, in: Schema.open(folder.file()))
        }
        #expect(missing == [])
        #expect(answered.count > 1_000)
    }

    /// Answered lines whose effect isn't in the database as it was written.
    private func missing(_ lines: [String], in database: Database) throws -> [String] {
        try lines.filter { line in
            let words = line.split(separator: " ").map(String.init)
            let id = words[1]
            switch words[0] {
            case "message":
                let text = String(repeating: id + " ", count: 600)
                let message = try database.message(id)
                return message?.text != text || message?.data != "{\"id\": \"\(id)\"}"
            case "group":
                return try database.group(id)?.owner != id + "-u0"
            case "members":
                // One of the five is banned later.
                return try database.memberUIDs(of: id).count < 5
            case "ban":
                return try database.ban(of: words[2], in: id) == nil
                    || database.member(words[2], of: id) != nil
            case "call":
                return try database.call(id) == nil
            default: return true
            }
        }
    }

    /// Verbs of which a part is in the database: answered or not, there mustn't be any.
    private func halves(in database: Database) throws -> [String] {
        let queries: [(String, SQL)] = [
            (
                "calls without all participants",
                """
                SELECT count(*) FROM calls WHERE 8 <>
                    (SELECT count(*) FROM call_participants WHERE call = calls.number)
                """
            ),
            (
                "calls without recording",
                """
                SELECT count(*) FROM calls WHERE NOT EXISTS
                    (SELECT 1 FROM call_recordings WHERE call = calls.number)
                """
            ),
            (
                "groups without owner",
                """
                SELECT count(*) FROM groups WHERE NOT EXISTS (SELECT 1 FROM members
                    WHERE members.guid = groups.guid AND members.uid = groups.owner AND scope = 'owner')
                """
            ),
            (
                "groups with some of five members, or a ban without its removal",
                """
                SELECT count(*) FROM groups WHERE
                    (SELECT count(*) FROM members WHERE members.guid = groups.guid)
                    + (SELECT count(*) FROM bans WHERE bans.guid = groups.guid) NOT IN (1, 6)
                """
            ),
        ]
        return try queries.compactMap { name, sql in
            let count = try database.number(sql)
            return count == 0 ? nil : "\(count) \(name)"
        }
    }
}
