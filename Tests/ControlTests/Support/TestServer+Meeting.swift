import Configuration
import JSON
import MediaWorker
import Meeting
import Testing

/// Somebody who has joined, or waits to.
struct Person: Sendable {
    let client: TestClient
    /// What joining answered.
    let joined: JSONValue

    var id: JSONValue { joined["participant"]?["participantId"] ?? .null }
    /// Parameters that mean this one.
    var target: JSONValue { ["participantId": id] }

    @discardableResult
    func request(_ method: String, _ params: JSONValue? = nil) async throws -> JSONValue {
        try await client.request(method, params)
    }

    /// As above; what is to be done to somebody.
    @discardableResult
    func request(_ method: String, _ other: Person, _ more: JSONValue = [:]) async throws -> JSONValue {
        var params = more.objectValue ?? JSONObject()
        params["participantId"] = other.id
        return try await client.request(method, .object(params))
    }

    /// The data of the next event of this name.
    func event(_ name: String) async throws -> JSONValue {
        try await client.event(name)["data"] ?? .null
    }

    /// Who did something, as this one's events say.
    var author: JSONValue {
        ["participantId": id, "uid": joined["participant"]?["uid"] ?? .null]
    }
}

extension TestServer {
    func person(
        _ uid: String, session: String = "room", scope: Scope = .participant, grants: Grants = Grants(),
        settings: JSONValue = [:], offer: String? = "v=0"
    ) async throws -> Person {
        let (client, result) = try await joined(
            uid, session: session, scope: scope, grants: grants, settings: settings, offer: offer)
        return Person(client: client, joined: result)
    }

    /// Makes the room ahead.
    func make(_ settings: String) async throws {
        try await make("room", settings)
    }

    /// Makes a session ahead.
    func make(_ session: String, _ settings: String) async throws {
        let body = #"{"sessionId":"\#(session)","settings":\#(settings)}"#
        let answer = try await backEnd("POST", "/v1/sessions", body)
        #expect(answer.status == 201, "\(answer.body)")
    }

    /// The uids in a session, in join order, as a back end sees them.
    func roster(_ session: String = "room") async throws -> [String] {
        try await backEnd("GET", "/v1/sessions/\(session)/participants?perPage=100").list("uid")
    }

    /// What the media plane was told of a participant's source last, by the order in which people came.
    func source(_ source: MediaSource, of number: Int) -> SourceState? {
        media.read { state in
            let all = state.sources.keys.sorted { $0.rawValue < $1.rawValue }
            return all.indices.contains(number) ? state.sources[all[number]]?[source] : nil
        }
    }

    /// What participants may publish, in the order in which they came.
    var published: [Set<MediaSource>] {
        media.read { state in
            let all = state.permissions.keys.sorted { $0.rawValue < $1.rawValue }
            return all.map { state.permissions[$0]?.publish ?? [] }
        }
    }
}
