import Configuration
import JSON
import Meeting
import Storage
import Testing

@testable import Control

/// What is shown to the server. Users have a name that says what they are in the group.
private enum Credential: String, CaseIterable {
    case nothing, forged, apiKey, callToken, expired, revoked
    case outsider, banned, viewer, participant, moderator, admin, owner

    var scope: Scope? { Scope(rawValue: rawValue) }

    func text(_ server: TestServer) async throws -> String? {
        switch self {
        case .nothing: return nil
        case .forged: return TestServer.authToken("owner") + "A"
        case .apiKey: return TestServer.key.secret
        case .callToken: return TestServer.callToken("owner", session: "team", scope: .owner)
        case .expired: return TestServer.authToken("owner", expiresIn: -1)
        case .revoked:
            let token = TestServer.authToken("owner", expiresIn: 300)
            _ = try await server.http("DELETE", "/v1/auth-tokens/current", authorization: token)
            return token
        default: return TestServer.authToken(rawValue)
        }
    }
}

/// A route, a request to it that would succeed, and who may make it.
private struct Row: Sendable {
    enum Access: Sendable {
        case everybody
        case apiKey
        case authToken
        /// With an auth token; nobody was rung for the session, so there is nothing to change.
        case party
        /// Users see what is theirs.
        case apiKeyOrAuthToken
        /// None of the users has part in what is asked for.
        case apiKeyOrInvolved
        /// A back end, or a member of at least this scope.
        case member(Scope)
        case groupOwner
        /// A back end, a participant, or who moderates the group; none of the users is in.
        case sessionReader
    }

    let method: String
    let route: String
    let access: Access
    let status: Int
    var body: String?
    /// What a back end has to say more.
    var apiKeyBody: String?

    /// - Parameter pid: somebody who is in the group's session.
    func path(pid: String) -> String {
        let waits = route.hasSuffix("/admit") || route.hasSuffix("/deny")
        return route.replacing("{guid}", with: "team").replacing("{sessionId}", with: "team")
            .replacing("{pid}", with: waits ? "all" : pid)
            .replacing(
                "{uid}", with: route.contains("bans") ? "banned" : route.contains("members") ? "tom" : "lone")
    }

    /// What the answer must be: a code, or nil for success.
    func code(for credential: Credential) -> String? {
        switch access {
        case .everybody: return status == 400 ? "ERR_BAD_REQUEST" : nil
        case .apiKey: return credential == .apiKey ? nil : "AUTH_ERR_APIKEY_NOT_FOUND"
        case .authToken where credential == .apiKey, .party where credential == .apiKey:
            return "AUTH_ERR_AUTH_TOKEN_NOT_FOUND"
        default: break
        }
        switch credential {
        case .nothing: return "AUTH_ERR_EMPTY_AUTH_TOKEN"
        case .forged, .callToken, .revoked: return "AUTH_ERR_AUTH_TOKEN_NOT_FOUND"
        case .expired: return "ERR_AUTH_TOKEN_EXPIRED"
        case .apiKey: return nil
        default: return code(forUser: credential)
        }
    }

    private func code(forUser credential: Credential) -> String? {
        switch (access, credential) {
        case (.apiKeyOrInvolved, _): "ERR_CALL_NOT_A_PART"
        case (.member, .outsider), (.groupOwner, .outsider), (.sessionReader, .outsider):
            "ERR_NOT_GROUP_MEMBER"
        case (.member, .banned), (.groupOwner, .banned), (.sessionReader, .banned): "ERR_BANNED_GROUPMEMBER"
        case (.sessionReader, _):
            credential.scope.map { $0 >= .moderator } == true ? nil : "ERR_CALL_NOT_A_PART"
        case (.party, _): "ERR_CALL_SESSION_NOT_FOUND"
        case (.member(let least), _):
            credential.scope.map { $0 >= least } == true ? nil : "ERR_GROUP_NO_MODERATOR_SCOPE"
        case (.groupOwner, _): credential == .owner ? nil : "ERR_GROUP_NO_CLEARANCE"
        default: nil
        }
    }

    static let all: [Row] = [
        Row(method: "GET", route: "/healthz", access: .everybody, status: 200),
        Row(method: "GET", route: "/readyz", access: .everybody, status: 200),
        Row(method: "GET", route: "/metrics", access: .everybody, status: 200),
        Row(method: "GET", route: "/v1/server", access: .apiKey, status: 200),
        Row(
            method: "POST", route: "/v1/server/drain", access: .apiKey, status: 202,
            body: #"{"deadlineSeconds":60}"#),
        Row(method: "GET", route: "/openapi.json", access: .everybody, status: 200),
        Row(method: "GET", route: "/asyncapi.json", access: .everybody, status: 200),
        Row(method: "GET", route: "/docs", access: .everybody, status: 200),
        Row(method: "GET", route: "/v1/connect", access: .everybody, status: 400),
        Row(
            method: "POST", route: "/v1/guest-tokens", access: .everybody, status: 201,
            body: #"{"sessionId":"room","name":"n"}"#),
        Row(method: "POST", route: "/v1/auth-tokens", access: .apiKey, status: 201, body: #"{"uid":"u"}"#),
        Row(method: "DELETE", route: "/v1/auth-tokens/current", access: .authToken, status: 204),
        Row(
            method: "POST", route: "/v1/call-tokens", access: .apiKeyOrAuthToken, status: 201,
            body: #"{"sessionId":"room"}"#, apiKeyBody: #"{"sessionId":"room","uid":"u"}"#),
        Row(method: "GET", route: "/v1/users", access: .apiKey, status: 200),
        Row(method: "PUT", route: "/v1/users/{uid}", access: .apiKey, status: 200, body: #"{"name":"n"}"#),
        Row(method: "GET", route: "/v1/users/{uid}", access: .apiKey, status: 200),
        Row(method: "DELETE", route: "/v1/users/{uid}", access: .apiKey, status: 204),
        Row(method: "GET", route: "/v1/groups", access: .apiKey, status: 200),
        Row(method: "PUT", route: "/v1/groups/{guid}", access: .apiKey, status: 200, body: #"{"name":"n"}"#),
        Row(method: "GET", route: "/v1/groups/{guid}", access: .apiKey, status: 200),
        Row(method: "DELETE", route: "/v1/groups/{guid}", access: .apiKey, status: 204),
        Row(
            method: "PUT", route: "/v1/groups/{guid}/owner", access: .groupOwner, status: 200,
            body: #"{"uid":"tom"}"#),
        Row(method: "GET", route: "/v1/groups/{guid}/members", access: .member(.viewer), status: 200),
        Row(
            method: "POST", route: "/v1/groups/{guid}/members", access: .member(.moderator), status: 201,
            body: #"[{"uid":"lone"}]"#),
        Row(
            method: "PUT", route: "/v1/groups/{guid}/members/{uid}", access: .member(.moderator), status: 200,
            body: #"{"scope":"viewer"}"#),
        Row(
            method: "DELETE", route: "/v1/groups/{guid}/members/{uid}", access: .member(.moderator),
            status: 204),
        Row(method: "GET", route: "/v1/groups/{guid}/bans", access: .member(.moderator), status: 200),
        Row(
            method: "POST", route: "/v1/groups/{guid}/bans", access: .member(.moderator), status: 201,
            body: #"{"uid":"tom"}"#),
        Row(
            method: "DELETE", route: "/v1/groups/{guid}/bans/{uid}", access: .member(.moderator), status: 204),
        Row(method: "GET", route: "/v1/groups/{guid}/messages", access: .member(.viewer), status: 200),
        Row(
            method: "POST", route: "/v1/groups/{guid}/messages", access: .member(.viewer), status: 201,
            body: #"{"type":"t","text":"x"}"#, apiKeyBody: #"{"type":"t","text":"x","uid":"tom"}"#),
        Row(method: "GET", route: "/v1/sessions/{sessionId}/messages", access: .member(.viewer), status: 200),
        Row(
            method: "POST", route: "/v1/sessions/{sessionId}/messages", access: .member(.viewer), status: 201,
            body: #"{"type":"t","text":"x"}"#, apiKeyBody: #"{"type":"t","text":"x","uid":"tom"}"#),
        Row(method: "GET", route: "/v1/calls", access: .apiKeyOrAuthToken, status: 200),
        Row(method: "GET", route: "/v1/calls/{sessionId}", access: .apiKeyOrInvolved, status: 200),
        Row(method: "GET", route: "/v1/calls/{sessionId}/instances", access: .apiKeyOrInvolved, status: 200),
        Row(
            method: "POST", route: "/v1/sessions", access: .apiKey, status: 201,
            body: #"{"sessionId":"ahead"}"#),
        Row(method: "GET", route: "/v1/sessions", access: .apiKey, status: 200),
        Row(method: "GET", route: "/v1/sessions/{sessionId}", access: .sessionReader, status: 200),
        Row(
            method: "PATCH", route: "/v1/sessions/{sessionId}", access: .apiKey, status: 200,
            body: #"{"title":"t"}"#),
        Row(method: "DELETE", route: "/v1/sessions/{sessionId}", access: .apiKey, status: 204),
        Row(
            method: "GET", route: "/v1/sessions/{sessionId}/participants", access: .sessionReader, status: 200
        ),
        Row(
            method: "GET", route: "/v1/sessions/{sessionId}/participants/{pid}", access: .sessionReader,
            status: 200),
        verb("participants/{pid}/mute"), verb("participants/{pid}/pause-video"),
        verb("participants/{pid}/stop-screen-share"), verb("participants/{pid}/lower-hand"),
        verb("participants/{pid}/ask-to-unmute"), verb("participants/{pid}/unlock"),
        verb("participants/{pid}/remove"), verb("participants/{pid}/scope", #"{"scope":"viewer"}"#),
        verb("participants/{pid}/admit"), verb("participants/{pid}/deny"), verb("mute-all"),
        verb("lower-all-hands"), verb("lock"), verb("unlock"),
        Row(
            method: "POST", route: "/v1/calls", access: .authToken, status: 201,
            body: #"{"receiverId":"lone","receiverType":"user"}"#),
        Row(method: "POST", route: "/v1/calls/{sessionId}/accept", access: .party, status: 200),
        Row(method: "POST", route: "/v1/calls/{sessionId}/reject", access: .party, status: 200),
        Row(method: "POST", route: "/v1/calls/{sessionId}/cancel", access: .party, status: 200),
        Row(method: "POST", route: "/v1/calls/{sessionId}/end", access: .party, status: 200),
    ]

    /// Something that moderators do in a session.
    private static func verb(_ path: String, _ body: String? = nil) -> Row {
        Row(
            method: "POST", route: "/v1/sessions/{sessionId}/" + path, access: .member(.moderator),
            status: 200, body: body)
    }
}

extension ControlTests {
    /// Each route with each credential, from one table.
    @Suite struct AuthorizationTests {
        @Test func `the table has every route there is`() {
            let routes = Set(Route.all.map { "\($0.method.rawValue) \($0.path)" })
            #expect(Set(Row.all.map { "\($0.method) \($0.route)" }) == routes)
            #expect(Row.all.count == routes.count)
        }

        @Test(arguments: Credential.allCases.map(\.rawValue))
        func `each route answers a credential as the table says`(name: String) async throws {
            let credential = try #require(Credential(rawValue: name))
            for row in Row.all {
                try await TestServer.with({ $0.guestKeyID = TestServer.key.id }) { server in
                    try await fill(server)
                    let (inside, joined) = try await server.joined("tom", session: "team")
                    let pid = joined["participant"]?["participantId"]?.stringValue ?? ""
                    let body = credential == .apiKey ? row.apiKeyBody ?? row.body : row.body
                    let token = try await credential.text(server)
                    let code = row.code(for: credential)
                    // Who is refused changes nothing, and tells nobody anything.
                    let isCompared = code != nil && row.method != "GET"
                    let before = isCompared ? try await state(server, inside) : []
                    let answer = try await server.http(
                        row.method, row.path(pid: pid), authorization: token, body: body)
                    let what = "\(row.method) \(row.route)"
                    #expect(answer.code == code, "\(what)")
                    let status = code.map { ErrorTable.specified.statuses[$0] } ?? row.status
                    #expect(answer.status == status, "\(what)")
                    let after = isCompared ? try await state(server, inside) : []
                    for (then, now) in zip(before, after) { #expect(then == now, "\(what)") }
                }
            }
        }

        /// All that a back end can see, and what somebody in the session was told.
        private func state(_ server: TestServer, _ inside: TestClient) async throws -> [String] {
            var state: [String] = []
            for path in [
                "users", "groups", "groups/team/members", "groups/team/bans", "groups/team/messages",
                "sessions", "sessions/team/participants", "sessions/team/messages", "calls",
            ] {
                let answer = try await server.backEnd("GET", "/v1/" + path)
                #expect(answer.status == 200)
                state.append(answer.body)
            }
            state.append(try await server.http("GET", "/readyz").body)
            // Events come before the answer. A list that was due since the join may come at any time.
            try await inside.request("ping")
            let told = inside.read { $0.order.filter { $0 != "answer" && $0 != "participantListChanged" } }
            state.append(told.joined(separator: " "))
            return state
        }

        private func fill(_ server: TestServer) async throws {
            try await server.group([
                "viewer": .viewer, "participant": .participant, "moderator": .moderator, "admin": .admin,
                "tom": .participant,
            ])
            for uid in ["outsider", "banned", "lone"] {
                try await server.store.putUser(User(uid: uid, name: uid))
            }
            try await server.store.ban(Ban(uid: "banned", bannedAt: 3), in: "team")
            let call = CallRecord(
                id: "1", sessionID: "team", initiator: CallParty(uid: "tom", name: "T"), mode: .meet,
                initiatedAt: 1)
            try await server.store.addCall(call)
        }
    }
}
