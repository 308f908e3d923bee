import Control
import JSON
import Meeting
import Testing

extension ControlTests {
    @Suite struct ResumingTests {
        @Test func `leaving twice is the same as once on a socket that only resumed`() async throws {
            try await TestServer.with { server in
                let (lost, first) = try await server.joined("u")
                lost.drop()
                let client = try await server.client()
                _ = try await client.request(
                    "resumeSession", ["resumeToken": first["resumeToken"] ?? .null, "lastSeq": 0])
                _ = try await client.request("leaveSession")
                _ = try await client.request("leaveSession")
                await expectRefusal("ERR_NOT_IN_SESSION") {
                    try await client.request("negotiate", ["offer": "v=0"])
                }
            }
        }

        @Test func `a lost socket is resumed with the missed events in order`() async throws {
            try await TestServer.with { server in
                let (alice, first) = try await server.joined("alice")
                let (bob, _) = try await server.joined("bob")
                _ = try await alice.event("participantListChanged")
                let seen = alice.read { $0.events.compactMap { $0["seq"]?.integerValue }.max() ?? 0 }
                alice.drop()
                for text in ["1", "2", "3"] {
                    try await bob.request("sendMessage", ["type": "chat", "text": .string(text)])
                }
                let back = try await server.client()
                let result = try await back.request(
                    "resumeSession",
                    ["resumeToken": first["resumeToken"] ?? .null, "lastSeq": .integer(seen)])
                let events = result["events"]?.arrayValue ?? []
                let numbers = events.compactMap { $0["seq"]?.integerValue }
                #expect(numbers == Array(seen + 1..<seen + 1 + Int64(events.count)))
                let texts = events.compactMap { $0["data"]?["message"]?["text"]?.stringValue }
                #expect(texts == ["1", "2", "3"])
                // The stream goes on where the answer ended, on the new socket.
                try await bob.request("raiseHand")
                #expect(
                    try await back.event("participantHandRaised")["seq"]?.integerValue == (numbers.last ?? 0)
                        + 1)
                try await back.request("muteAudio")
            }
        }

        @Test func `of those who come back again and again nobody misses an event`() async throws {
            try await TestServer.with({
                ($0.socket.requestsPerSecond, $0.socket.requestBurst) = (100_000, 100_000)
            }) { server in
                let (talker, _) = try await server.joined("talker")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<6 {
                        group.addTask { try await Self.comeBack(40, as: "u\(number)", server) }
                    }
                    group.addTask {
                        while !Task.isCancelled {
                            try await talker.request("sendMessage", ["type": "chat", "text": "x"])
                        }
                    }
                    for _ in 0..<6 { try await group.next() }
                    group.cancelAll()
                }
            }
        }

        /// Comes back by one socket after another, none of which says anything else, and counts events.
        private static func comeBack(_ times: Int, as uid: String, _ server: TestServer) async throws {
            var (client, joined) = try await server.joined(uid)
            var last = joined["seq"]?.integerValue ?? 0
            for _ in 0..<times {
                let told = client.read { $0.events.compactMap { $0["seq"]?.integerValue } }
                let next = try await server.client()
                joined = try await next.request(
                    "resumeSession",
                    ["resumeToken": joined["resumeToken"] ?? .null, "lastSeq": .integer(told.last ?? last)])
                _ = try await client.closed()
                last = told.last ?? last
                let missed = (joined["events"]?.arrayValue ?? []).compactMap { $0["seq"]?.integerValue }
                #expect(missed == (0..<Int64(missed.count)).map { last + 1 + $0 })
                last = missed.last ?? last
                // What comes on the new socket goes on where the answer ended.
                try await eventually("an event") { next.read { $0.events.isEmpty ? nil : true } }
                let first = next.read { $0.events.compactMap { $0["seq"]?.integerValue }.first }
                #expect(first == last + 1)
                client = next
            }
        }

        @Test func `others are told when it takes longer, and again when all is well`() async throws {
            try await TestServer.with({ $0.meeting.tellLostAfterMs = 80 }) { server in
                let (alice, first) = try await server.joined("alice")
                let (bob, _) = try await server.joined("bob")
                alice.drop()
                let lost = try await bob.event("participantConnectionLost")
                #expect(lost["data"]?["participant"]?["state"]?.stringValue == "reconnecting")
                let back = try await server.client()
                try await back.request(
                    "resumeSession", ["resumeToken": first["resumeToken"] ?? .null, "lastSeq": 0])
                _ = try await bob.event("participantConnectionRestored")
            }
        }

        @Test func `who doesn't come back has left, and its token is worth nothing`() async throws {
            try await TestServer.with({
                $0.meeting.tellLostAfterMs = 20
                $0.meeting.resumeWithinMs = 60
            }) { server in
                let (alice, first) = try await server.joined("alice")
                let (bob, _) = try await server.joined("bob")
                alice.drop()
                #expect(try await bob.event("participantLeft")["data"]?["reason"]?.stringValue == "timeout")
                let back = try await server.client()
                await expectRefusal("ERR_NOT_IN_SESSION") {
                    try await back.request(
                        "resumeSession", ["resumeToken": first["resumeToken"] ?? .null, "lastSeq": 0])
                }
            }
        }

        @Test func `a resume takes over from a socket that only seems alive`() async throws {
            try await TestServer.with { server in
                let (old, first) = try await server.joined("alice")
                let back = try await server.client()
                let token = first["resumeToken"] ?? .null
                await expectRefusal("ERR_BAD_REQUEST", field: "lastSeq") {
                    try await back.request("resumeSession", ["resumeToken": token, "lastSeq": 99])
                }
                try await back.request("resumeSession", ["resumeToken": token, "lastSeq": 0])
                #expect(try await old.closed() == 4009)
                try await back.request("raiseHand")
                #expect(try await back.event("participantHandRaised")["event"] != nil)
            }
        }

        @Test func `missed events that are gone come as a snapshot`() async throws {
            try await TestServer.with({ $0.meeting.eventLogEntries = 3 }) { server in
                let (alice, first) = try await server.joined("alice")
                let (bob, _) = try await server.joined("bob")
                alice.drop()
                for _ in 0..<5 { try await bob.request("sendMessage", ["type": "chat", "text": "x"]) }
                let back = try await server.client()
                let result = try await back.request(
                    "resumeSession", ["resumeToken": first["resumeToken"] ?? .null, "lastSeq": 0])
                #expect(result["events"] == nil)
                #expect(result["snapshot"]?["participants"]?.arrayValue?.count == 2)
                #expect(result["snapshot"]?["seq"]?.integerValue ?? 0 > 5)
            }
        }

        @Test func `a resume token is good for one time, and the answer has the next`() async throws {
            try await TestServer.with { server in
                let (first, joined) = try await server.joined("u")
                var (client, token) = (first, joined["resumeToken"] ?? .null)
                var used: Set<String> = []
                for _ in 0..<3 {
                    client.drop()
                    client = try await server.client()
                    let answer = try await client.request(
                        "resumeSession", ["resumeToken": token, "lastSeq": 0])
                    used.insert(token.stringValue ?? "")
                    token = answer["resumeToken"] ?? .null
                    #expect(!used.contains(token.stringValue ?? ""))
                    // From here on the server knows that the answer has come.
                    try await client.request("ping")
                    for old in used {
                        let thief = try await server.client()
                        await expectRefusal("ERR_NOT_IN_SESSION") {
                            try await thief.request(
                                "resumeSession", ["resumeToken": .string(old), "lastSeq": 0])
                        }
                    }
                }
                try await client.request("raiseHand")
            }
        }

        @Test func `whoever never got the answer comes back by the same token again`() async throws {
            try await TestServer.with { server in
                let (lost, first) = try await server.joined("u")
                let token = first["resumeToken"] ?? .null
                lost.drop()
                let unheard = try await server.client()
                let answer = try await unheard.request("resumeSession", ["resumeToken": token, "lastSeq": 0])
                unheard.drop()
                let back = try await server.client()
                try await back.request("resumeSession", ["resumeToken": token, "lastSeq": 0])
                // What the lost answer had is worth nothing.
                let thief = try await server.client()
                await expectRefusal("ERR_NOT_IN_SESSION") {
                    try await thief.request(
                        "resumeSession", ["resumeToken": answer["resumeToken"] ?? .null, "lastSeq": 0])
                }
                try await back.request("raiseHand")
            }
        }

        @Test func `who was removed or left doesn't come back by a resume token`() async throws {
            try await TestServer.with { server in
                let host = try await server.person("host", scope: .moderator)
                for uid in ["left", "removed"] {
                    let one = try await server.person(uid)
                    let token = one.joined["resumeToken"] ?? .null
                    if uid == "left" {
                        try await one.request("leaveSession")
                    } else {
                        try await host.request("removeParticipant", one)
                    }
                    let back = try await server.client()
                    await expectRefusal("ERR_NOT_IN_SESSION") {
                        try await back.request("resumeSession", ["resumeToken": token, "lastSeq": 0])
                    }
                }
            }
        }

        @Test func `whoever has logged in for another session can't resume this one`() async throws {
            try await TestServer.with { server in
                let (lost, first) = try await server.joined("u")
                let token = first["resumeToken"] ?? .null
                lost.drop()
                let other = TestServer.callToken("u", session: "another")
                let client = try await server.client(query: "?access_token=\(other)")
                await expectRefusal("AUTH_ERR_NO_ACCESS") {
                    try await client.request("resumeSession", ["resumeToken": token, "lastSeq": 0])
                }
                let back = try await server.client(query: "?access_token=\(TestServer.callToken("u"))")
                try await back.request("resumeSession", ["resumeToken": token, "lastSeq": 0])
            }
        }

        @Test func `somebody else's resume token is refused`() async throws {
            try await TestServer.with { server in
                let (_, first) = try await server.joined("alice")
                let mallory = try await server.client(
                    query: "?access_token=\(TestServer.authToken("mallory"))")
                await expectRefusal("AUTH_ERR_NO_ACCESS") {
                    try await mallory.request(
                        "resumeSession", ["resumeToken": first["resumeToken"] ?? .null, "lastSeq": 0])
                }
            }
        }
    }
}
