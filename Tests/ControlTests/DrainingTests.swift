import Control
import JSON
import Observability
import Testing

extension ControlTests {
    /// The time between being told to stop and stopping.
    @Suite struct DrainingTests {
        @Test
        func `whoever is there is told when the server stops, and meetings go on until the last has left`()
            async throws
        {
            try await TestServer.with { server in
                let app = try await server.client(query: "?access_token=\(TestServer.authToken("app"))")
                try await app.request("ping")
                let (client, joined) = try await server.joined("u")
                let answer = try await server.backEnd(
                    "POST", "/v1/server/drain", #"{"deadlineSeconds":600}"#)
                #expect(answer.status == 202 && answer.json["participants"] == 1)
                let deadlineAt = try #require(answer.json["deadlineAt"]?.integerValue)
                #expect(abs(deadlineAt - Timestamp.now.milliseconds - 600_000) < 30_000)
                let inside = try await client.event("serverDraining")
                #expect(inside["data"]?["deadlineAt"]?.integerValue == deadlineAt)
                #expect(inside["sessionId"] == "room" && inside["seq"]?.integerValue ?? 0 > 0)
                let outside = try await app.event("serverDraining")
                #expect(outside["data"]?["deadlineAt"]?.integerValue == deadlineAt)
                #expect(outside["seq"] == nil)

                let ready = try await server.http("GET", "/readyz")
                #expect(ready.status == 503 && ready.json["status"] == "draining")
                let shown = try await server.backEnd("GET", "/v1/server").json
                #expect(shown["phase"] == "draining" && shown["deadlineAt"]?.integerValue == deadlineAt)
                await expectRefusal("ERR_SERVER_DRAINING") { try await server.joined("late") }
                await expectRefusal("ERR_SERVER_DRAINING") {
                    try await server.joined("late", session: "another")
                }
                expect(
                    try await server.backEnd("POST", "/v1/sessions", #"{"sessionId":"new"}"#),
                    refuses: "ERR_SERVER_DRAINING")
                // Who comes only now is told at once.
                let next = try await server.client(query: "?access_token=\(TestServer.authToken("next"))")
                let told = try await next.event("serverDraining")
                #expect(told["data"]?["deadlineAt"]?.integerValue == deadlineAt)
                try await client.request("raiseHand")
                // Who loses the socket comes back.
                client.drop()
                let back = try await server.client()
                try await back.request(
                    "resumeSession", ["resumeToken": joined["resumeToken"] ?? .null, "lastSeq": 0])
                try await back.request("lowerHand")

                let isDrained = Task { await server.server.drained() }
                try await back.request("leaveSession")
                await isDrained.value
            }
        }

        @Test func `who is coming in when the drain begins is told behind the answer, once`() async throws {
            try await TestServer.with { server in
                let client = try await server.client()
                server.media.hold()
                let id = try client.post(
                    "joinSession", ["callToken": .string(TestServer.callToken("early")), "offer": "v=0"])
                try await eventually("the join to begin") {
                    server.media.read { $0.held.isEmpty ? nil : true }
                }
                await server.server.drain(withinSeconds: 600)
                #expect(client.read { $0.events.isEmpty })
                server.media.release()
                #expect(try await client.answer(to: id)["error"] == nil)
                let told = try await client.event("serverDraining")
                #expect(told["seq"]?.integerValue ?? 0 > 0)
                try await client.request("raiseHand")
                #expect(client.read { $0.order.first } == "answer")
                #expect(client.read { $0.order.count { $0 == "serverDraining" } } == 1)
            }
        }

        @Test func `who is in at the deadline is closed with 4010`() async throws {
            let server = try await TestServer()
            let (client, _) = try await server.joined("u")
            await server.server.drain(withinSeconds: 1)
            _ = try await client.event("serverDraining")
            await server.server.drained()
            #expect(client.read { $0.closeCode == nil && !$0.isGone })
            await server.server.stop()
            #expect(try await client.closed() == 4010)
            #expect(client.read { !$0.order.contains("sessionEnded") })
        }

        @Test func `a deadline can be brought forward, and not put off`() async throws {
            try await TestServer.with { server in
                let (client, _) = try await server.joined("u")
                func drain(_ seconds: Int) async throws -> Int64? {
                    let body = #"{"deadlineSeconds":\#(seconds)}"#
                    return try await server.backEnd("POST", "/v1/server/drain", body).json["deadlineAt"]?
                        .integerValue
                }
                let first = try #require(try await drain(600))
                #expect(try await drain(6_000) == first)
                #expect(try #require(try await drain(60)) < first)
                await server.server.drain(withinSeconds: 0)
                await server.server.drained()
                // Once for each deadline that held.
                for _ in 0..<3 { _ = try await client.event("serverDraining") }
                try await client.request("ping")
                #expect(client.read { !$0.events.contains { $0["event"] == "serverDraining" } })
            }
        }

        @Test func `a drain without a deadline takes that of the configuration`() async throws {
            try await TestServer.with({ $0.drainSeconds = 1_000 }) { server in
                _ = try await server.joined("u")
                let answer = try await server.backEnd("POST", "/v1/server/drain", "{}")
                let deadlineAt = try #require(answer.json["deadlineAt"]?.integerValue)
                #expect(abs(deadlineAt - Timestamp.now.milliseconds - 1_000_000) < 30_000)
            }
        }

        @Test(arguments: ["-1", "86401", "1.5", #""60""#])
        func `a deadline that can't be is refused, and nothing drains`(seconds: String) async throws {
            try await TestServer.with { server in
                let answer = try await server.backEnd(
                    "POST", "/v1/server/drain", #"{"deadlineSeconds":\#(seconds)}"#)
                expect(answer, refuses: "ERR_BAD_REQUEST", field: "deadlineSeconds")
                #expect(try await server.http("GET", "/readyz").status == 200)
            }
        }
    }
}
