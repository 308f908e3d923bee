import Configuration
import JSON
import Meeting
import Storage
import Testing

@testable import Control

extension ControlTests {
    /// Each method of the socket with each who may ask, from one table.
    @Suite struct MethodMatrixTests {
        @Test func `the table has every method that there is`() {
            #expect(Set(MatrixRow.all.map(\.method)) == Set(Method.table.keys))
        }

        @Test(arguments: ["group", "room"], Asker.allCases.map(\.rawValue))
        func `each method answers each who asks as the table says, and who is refused changes nothing`(
            kind: String, name: String
        ) async throws {
            let asker = try #require(Asker(rawValue: name))
            // Whoever lapses asks before its socket is closed for that.
            try await TestServer.with({ if asker == .lapsed { $0.expiryMs = 3_600_000 } }) { server in
                let matrix = try await Matrix(asker, isGroup: kind == "group", server)
                for (number, row) in MatrixRow.all.enumerated() { try await matrix.check(row, number) }
                try await matrix.expectNoChange()
            }
        }
    }
}

/// One who asks, on a server of its own.
private struct Matrix {
    /// A session with somebody to do something to.
    private struct Stage {
        let session: String
        let host: Person
        /// Nobody, where one waits to be admitted oneself.
        let tom: Person?
    }

    private static let members: [Asker] = Asker.allCases.filter { $0 != .outside && $0 != .banned }

    private let asker: Asker
    private let isGroup: Bool
    private let server: TestServer
    /// Where nothing may change.
    private let common: Stage
    private let before: [String]
    private let lapsed: TestClient?
    private let ring: String

    init(_ asker: Asker, isGroup: Bool, _ server: TestServer) async throws {
        (self.asker, self.isGroup, self.server) = (asker, isGroup, server)
        try await Self.makeGroup("crew", server)
        try await server.users("lone", "cal", "dan", "outside", "banned")
        ring = try await server.call("dan", from: "cal")
        lapsed = asker == .lapsed ? try await Self.logInAndLapse(server) : nil
        common = try await Self.stage("common", waits: asker == .waiting, isGroup: isGroup, server)
        before = try await Self.state(server)
    }

    func check(_ row: MatrixRow, _ number: Int) async throws {
        let code = row.code(for: asker, isGroup: isGroup)
        let what: Comment = "\(row.method) \(row.params) by \(asker) in a \(isGroup ? "group" : "room")"
        // Who is in or gets through has a session for it. From elsewhere nobody gets through to the common one.
        let isHere = asker.isIn || asker == .waiting || asker == .left
        let needsOwn = asker != .elsewhere && (code == nil || isHere)
        let stage =
            needsOwn
            ? try await Self.stage("s\(number)", waits: asker == .waiting, isGroup: isGroup, server) : common
        let client = try await client(in: stage, number)
        do {
            let result = try await client.request(row.method, try await params(of: row, stage))
            #expect(code == nil, what)
            // Coming again while one waits is no coming in.
            #expect(asker != .waiting || result["state"]?.stringValue != "joined", what)
            // Who rings is busy with that.
            if let call = result["call"]?["sessionId"], row.method == "initiateCall" {
                try await client.request("cancelCall", ["sessionId": call])
            }
        } catch let refusal as Refusal {
            #expect(refusal.code == code, "\(what): \(refusal.message)")
        }
        _ = stage
    }

    /// What was asked for by those who may not has left no trace where others are.
    func expectNoChange() async throws {
        let now = try await Self.state(server)
        #expect(now == before)
    }

    // MARK: - Who asks

    private func client(in stage: Stage, _ number: Int) async throws -> TestClient {
        let uid = asker.rawValue
        switch asker {
        case .outside, .banned: return try await server.device(uid)
        case .lapsed: return try #require(lapsed)
        case .bearer:
            let token = try await token(stage)
            return try await server.client(query: "?access_token=\(token)")
        case _ where asker.isNobody:
            let client = try await server.client()
            if let code = asker.refusal {
                await expectRefusal(code) {
                    try await client.request("login", ["token": .string(try await token(stage))])
                }
            }
            return client
        case .elsewhere: return try await person(in: "elsewhere\(number)", as: .owner)
        case .left:
            let client = try await person(in: stage.session, as: .moderator)
            try await client.request("leaveSession")
            return client
        case .demoted:
            let client = try await person(in: stage.session, as: .moderator)
            try await stage.host.request(
                "setParticipantScope", ["uid": .string(uid), "scope": "participant"])
            return client
        default: return try await person(in: stage.session, as: asker.scope)
        }
    }

    /// Joins as the asker: in a group by an auth token, and elsewhere by a call token.
    private func person(in session: String, as scope: Scope) async throws -> TestClient {
        let uid = asker.rawValue
        let client: TestClient
        let joined: JSONValue
        if isGroup {
            client = try await server.device(uid)
            if asker == .elsewhere { try await server.group(guid: session, owner: uid) }
            joined = try await client.request("joinSession", ["sessionId": .string(session), "offer": "v=0"])
        } else {
            (client, joined) = try await server.joined(uid, session: session, scope: scope, offer: "v=0")
        }
        #expect(joined["state"]?.stringValue == (asker == .waiting ? "waiting" : "joined"))
        if asker != .waiting { #expect(joined["participant"]?["scope"]?.stringValue == scope.rawValue) }
        return client
    }

    /// The token that the asker shows.
    private func token(_ stage: Stage) async throws -> String {
        let uid = asker.rawValue
        switch asker {
        case .stranger: return ""
        case .forged: return TestServer.authToken("owner") + "A"
        case .apiKey: return TestServer.key.secret
        case .expired, .lapsed: return TestServer.authToken(uid, expiresIn: -1)
        case .bearer: return TestServer.callToken(uid, session: stage.session, scope: .owner)
        case .revoked:
            let token = TestServer.authToken(uid, expiresIn: Int64.random(in: 1_000...1_000_000))
            let answer = try await server.http("DELETE", "/v1/auth-tokens/current", authorization: token)
            #expect(answer.status == 204)
            return token
        default: return TestServer.authToken(uid)
        }
    }

    private static func logInAndLapse(_ server: TestServer) async throws -> TestClient {
        let client = try await server.client()
        let token = TestServer.authToken("lapsed", expiresIn: 3)
        let expiry = TestServer.seconds(fromNow: 3)
        try await client.request("login", ["token": .string(token)])
        try await eventually("the token to expire") { TestServer.seconds(fromNow: 0) > expiry ? true : nil }
        return client
    }

    // MARK: - Where it is asked

    private static func stage(
        _ session: String, waits: Bool, isGroup: Bool, _ server: TestServer
    ) async throws -> Stage {
        if isGroup { try await makeGroup(session, server) }
        if waits { try await server.make(session, #"{"waitingRoom":true}"#) }
        // Above a moderator, who may be demoted; in a group by what it is there.
        let host = try await server.person("host", session: session, scope: .admin)
        let tom = waits ? nil : try await server.person("tom", session: session)
        return Stage(session: session, host: host, tom: tom)
    }

    private static func makeGroup(_ guid: String, _ server: TestServer) async throws {
        try await server.group(["host": .admin, "tom": .participant], guid: guid)
        for asker in members where asker != .owner {
            let scope = asker == .demoted ? .moderator : min(asker.scope, .admin)
            try await server.store.putUser(User(uid: asker.rawValue, name: asker.rawValue))
            let member = Member(uid: asker.rawValue, scope: scope, joinedAt: 3)
            try await server.store.addMembers([member], to: guid)
        }
        try await server.store.putUser(User(uid: "banned", name: "banned"))
        _ = try await server.store.ban(Ban(uid: "banned", bannedAt: 3), in: guid)
    }

    private func params(of row: MatrixRow, _ stage: Stage) async throws -> JSONValue {
        var params = JSONObject()
        for (key, value) in row.params.objectValue?.members ?? [] {
            switch value.stringValue {
            case "@tom": params[key] = stage.tom?.id ?? "nobody"
            case "@token": params[key] = .string(try await token(stage))
            case "@resume": params[key] = stage.host.joined["resumeToken"] ?? .null
            case "@session": params[key] = .string(stage.session)
            case "@ring": params[key] = .string(ring)
            default: params[key] = value
            }
        }
        return .object(params)
    }

    /// All that can be seen of the common session and the call.
    private static func state(_ server: TestServer) async throws -> [String] {
        var state: [String] = []
        for path in [
            "/v1/sessions/common", "/v1/sessions/common/participants", "/v1/sessions/common/messages",
            "/v1/calls?uid=cal",
        ] {
            state.append(try await server.backEnd("GET", path).body)
        }
        return state
    }
}
