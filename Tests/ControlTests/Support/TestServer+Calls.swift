import Configuration
import Control
import JSON
import Meeting
import Storage
import Testing

extension TestServer {
    /// A socket that is logged in, and told what its user is told.
    func device(_ uid: String) async throws -> TestClient {
        let client = try await client(query: "?access_token=\(Self.authToken(uid))")
        try await client.request("ping")
        return client
    }

    /// Registers users under their ids in capitals.
    func users(_ uids: String...) async throws {
        for uid in uids { try await store.putUser(User(uid: uid, name: uid.uppercased())) }
    }

    /// Makes a call and returns its session.
    func call(
        _ receiver: String, from caller: String, isGroup: Bool = false, _ more: String = ""
    ) async throws -> String {
        let body = #"{"receiverId":"\#(receiver)","receiverType":"\#(isGroup ? "group" : "user")"\#(more)}"#
        let answer = try await user(caller, "POST", "/v1/calls", body)
        #expect(answer.status == 201, "\(answer.body)")
        return answer.json["sessionId"]?.stringValue ?? ""
    }

    /// Does something to a call by REST.
    @discardableResult
    func change(_ verb: String, _ call: String, by uid: String, _ body: String? = nil) async throws -> Answer
    {
        try await user(uid, "POST", "/v1/calls/\(call)/\(verb)", body)
    }

    /// The entry that the log has once this holds of it.
    func entry(_ session: String, where holds: @escaping (JSONValue) -> Bool) async throws -> JSONValue {
        try await eventually("the entry of \(session)") {
            guard let entry = try? await backEnd("GET", "/v1/calls/\(session)").json, holds(entry) else {
                return nil
            }
            return entry
        }
    }
}

extension TestClient {
    /// The names of the events that have come and weren't taken.
    var names: [String] { read { $0.events.compactMap { $0["event"]?.stringValue } } }

    /// Fails if anything has come but what was taken.
    func expectNothing(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await request("ping")
        #expect(names == [], sourceLocation: sourceLocation)
    }
}
