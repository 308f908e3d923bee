import JSON
import Testing

@Suite struct JoiningTests {
    @Test func `two participants meet and see each other`() async throws {
        try await TestServer.with { server in
            let (alice, first) = try await server.joined("alice", offer: "v=0\nseats 2")
            #expect(first["participant"]?["uid"]?.stringValue == "alice")
            #expect(first["answer"]?.stringValue == "v=0\nanswer")
            let (_, second) = try await server.joined("bob", offer: "v=0\nseats 2")
            #expect(second["participants"]?.arrayValue?.count == 2)
            let joined = try await alice.event("participantJoined")
            #expect(joined["data"]?["participant"]?["uid"]?.stringValue == "bob")
        }
    }
}
