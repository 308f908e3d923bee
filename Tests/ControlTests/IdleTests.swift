import JSON
import Meeting
import Testing

@testable import Control

extension ControlTests {
    @Suite struct IdleTests {
        private static let session = #"{"sessionId":"room","settings":{"idleTimeoutSeconds":2}}"#

        @Test func `whoever stays alone is warned, then out, and company keeps both away`() async throws {
            try await TestServer.with { server in
                #expect(try await server.backEnd("POST", "/v1/sessions", Self.session).status == 201)
                let (ada, _) = try await server.joined("ada")
                // Alone already, so for less than the minute before the end.
                let warning = try await ada.event("idleWarning")
                #expect((1...2).contains(warning["data"]?["secondsLeft"]?.integerValue ?? 0))
                let (ben, _) = try await server.joined("ben")
                // Twice as long as one may be alone: nothing but what happens is told.
                try await Task.sleep(for: .seconds(4))
                try await ben.request("ping")
                #expect(ada.read { state in !state.events.contains { Self.isEnd($0) } })
                try await ben.request("leaveSession")
                _ = try await ada.event("sessionTimedOut")
                await expectRefusal("ERR_CALL_SESSION_NOT_FOUND") { try await ada.request("raiseHand") }
                // The session was made by a back end, which may want it again.
                let (_, again) = try await server.joined("ada")
                #expect(again["session"]?["sessionId"]?.stringValue == "room")
            }
        }

        private static func isEnd(_ event: JSONValue) -> Bool {
            ["idleWarning", "sessionTimedOut"].contains(event["event"]?.stringValue)
        }
    }
}
