import Configuration
import JSON
import Meeting
import Storage
import Testing

extension TestServer {
    /// Puts users and a group with these members into the store; `owner` owns it.
    func group(
        _ members: KeyValuePairs<String, Scope> = [:], guid: String = "team", owner: String = "owner",
        maxParticipants: Int? = nil
    ) async throws {
        for uid in [owner] + members.map(\.key) {
            try await store.putUser(User(uid: uid, name: uid.uppercased()))
        }
        try await store.putGroup(
            Group(guid: guid, name: "The \(guid)", owner: owner, maxParticipants: maxParticipants), now: 1)
        for (uid, scope) in members {
            try await store.addMembers([Member(uid: uid, scope: scope, joinedAt: 2)], to: guid)
        }
    }

    /// A request with the API key.
    func backEnd(_ method: String, _ path: String, _ body: String? = nil) async throws -> Answer {
        try await http(method, path, authorization: Self.key.secret, body: body)
    }

    /// A request with an auth token.
    func user(_ uid: String, _ method: String, _ path: String, _ body: String? = nil) async throws -> Answer {
        try await http(method, path, authorization: Self.authToken(uid), body: body)
    }
}

extension TestServer.Answer {
    /// The error's code, if it is one.
    var code: String? { json["error"]?["code"]?.stringValue }

    /// The field that the error names.
    var field: String? { json["error"]?["details"]?["field"]?.stringValue }

    /// A property of each element of a list.
    func list(_ name: String) -> [String] {
        (json["data"]?.arrayValue ?? []).compactMap { $0[name]?.stringValue }
    }
}

/// Expects an answer that refuses with this code and the status that belongs to it.
func expect(
    _ answer: TestServer.Answer, refuses code: String, field: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(answer.code == code, sourceLocation: sourceLocation)
    #expect(answer.status == ErrorTable.specified.statuses[code], sourceLocation: sourceLocation)
    if let field { #expect(answer.field == field, sourceLocation: sourceLocation) }
}
