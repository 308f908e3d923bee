import Testing

@testable import LoadTest

struct SignallingTests {
    @Test func `a call token is a JWT of three parts, signed with the key`() throws {
        let key = try #require(LoadKey("dev:secret"))
        let token = try #require(
            key.callToken(session: "s", uid: "u", scope: "participant", expiresAt: 1_900_000_000))
        // Made with another implementation of HS256.
        #expect(token == Self.expected)
    }

    private static let expected = [
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
        "eyJpc3MiOiJkZXYiLCJzdWIiOiJ1IiwidHlwIjoiY2FsbCIsImV4cCI6MTkw"
            + "MDAwMDAwMCwic2lkIjoicyIsInNjb3BlIjoicGFydGljaXBhbnQifQ",
        "PliZae9IRuikftpGg4-Aj8tvlQa4bLLpiqrukugOmb0",
    ].joined(separator: ".")

    @Test func `an event's name is found without reading the message`() {
        #expect(EventPeek.name(of: Array(#"{"event":"seatsChanged","seq":1}"#.utf8)) == "seatsChanged")
        #expect(EventPeek.seq(of: Array(#"{"event":"x","sessionId":"y","seq":4711,"at":1}"#.utf8)) == 4_711)
        #expect(EventPeek.seq(of: Array(#"{"event":"x"}"#.utf8)) == nil)
        #expect(EventPeek.name(of: Array(#"{"id":1,"result":{}}"#.utf8)) == nil)
        #expect(EventPeek.name(of: Array(#"{"event":"without an end"#.utf8)) == nil)
    }
}
