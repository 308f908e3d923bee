import JSON
import Meeting
import Storage

private struct AuthTokenBody: Decodable {
    let uid: String
    var name: String?
    var avatar: String?
    var ttlSeconds: Int64?
}

private struct AuthTokenResult: Encodable {
    let authToken: String
    let expiresAt: Int64
}

private struct CallTokenBody: Decodable {
    let sessionId: String
    var uid: String?
    var scope: Scope?
    var grants: GrantsObject?
    var ttlSeconds: Int64?
}

private struct CallTokenResult: Encodable {
    let callToken: String
    let sessionId: String
    let expiresAt: Int64
}

private struct GuestTokenBody: Decodable {
    let sessionId: String
    let name: String
}

private struct GuestTokenResult: Encodable {
    let callToken: String
    let sessionId: String
    let uid: String
}

/// Minting tokens.
extension Route {
    static let tokens: [Route] = [
        Route(.post, "/v1/auth-tokens", .apiKey) { core, request, _ throws(APIError) in
            let body = try request.decode(AuthTokenBody.self)
            let expiry = try expiry(body.ttlSeconds, default: core.settings.authTokenSeconds)
            var token = Token(uid: body.uid, name: body.name, avatar: body.avatar, expiresAt: expiry)
            try await addProfile(to: &token, core)
            let result = AuthTokenResult(authToken: try sign(token, core), expiresAt: expiry * 1_000)
            return try .json(result, status: 201)
        },
        Route(.post, "/v1/call-tokens", .apiKeyOrAuthToken) { core, request, caller throws(APIError) in
            try await mintCallToken(core, request, caller)
        },
        Route(.delete, "/v1/auth-tokens/current", .authToken) { core, _, caller throws(APIError) in
            if case .user(let token) = caller { try await core.revoke(token) }
            return .noContent
        },
        Route(.post, "/v1/guest-tokens", .none) { core, request, _ throws(APIError) in
            try mintGuestToken(core, request)
        },
    ]

    private static func mintCallToken(
        _ core: ControlCore, _ request: HTTPRequest, _ caller: Caller
    ) async throws(APIError) -> HTTPResponse {
        let body = try request.decode(CallTokenBody.self)
        try check(sessionID: body.sessionId)
        let expiry = try expiry(body.ttlSeconds, default: core.settings.callTokenSeconds)
        var token: Token
        if case .user(let bearer) = caller {
            guard body.uid == nil || body.uid == bearer.uid, body.scope == nil, body.grants == nil else {
                throw APIError(
                    .noAccess, "with an auth token, a call token is for oneself, without scope and grants")
            }
            token = Token(uid: bearer.uid, name: bearer.name, avatar: bearer.avatar, expiresAt: expiry)
        } else {
            guard let uid = body.uid else {
                throw APIError(.badRequest, "uid is missing", details: [("field", "uid")])
            }
            token = Token(uid: uid, expiresAt: expiry)
        }
        try await addProfile(to: &token, core)
        let place = try await core.groups.place(of: token.uid, in: body.sessionId)
        token.call = Token.Call(
            sessionID: body.sessionId, scope: place?.scope ?? body.scope ?? .participant,
            grants: body.grants?.grants ?? Grants())
        let result = CallTokenResult(
            callToken: try sign(token, core), sessionId: body.sessionId, expiresAt: expiry * 1_000)
        return try .json(result, status: 201)
    }

    /// For development: whoever asks gets in, under an id that nobody else has.
    private static func mintGuestToken(
        _ core: ControlCore, _ request: HTTPRequest
    ) throws(APIError) -> HTTPResponse {
        guard let keyID = core.settings.guestKeyID else {
            throw APIError(.apiNotFound, "there are no guests here")
        }
        let body = try request.decode(GuestTokenBody.self)
        try check(sessionID: body.sessionId)
        let uid = "guest-" + RandomID.make()
        let expiry = Clock.now() / 1_000 + core.settings.callTokenSeconds
        let token = Token(
            uid: uid, name: body.name, expiresAt: expiry, call: Token.Call(sessionID: body.sessionId))
        let text = try sign(token, core, keyID: keyID)
        return try .json(GuestTokenResult(callToken: text, sessionId: body.sessionId, uid: uid), status: 201)
    }

    // MARK: - Parts

    /// The name and avatar that a back end registered, where the token has none.
    private static func addProfile(to token: inout Token, _ core: ControlCore) async throws(APIError) {
        try token.check()
        guard token.name == nil || token.avatar == nil else { return }
        let uid = token.uid
        let user = try await core.stored { store throws(StoreError) in try await store.user(uid) }
        token.name = token.name ?? user?.name
        token.avatar = token.avatar ?? user?.avatar
    }

    private static func sign(
        _ token: Token, _ core: ControlCore, keyID: String? = nil
    ) throws(APIError) -> String {
        try token.check()
        var token = token
        token.issuedAt = Clock.now() / 1_000
        guard let text = core.authority.sign(token, keyID: keyID) else {
            throw APIError(.exception, "the token couldn't be signed")
        }
        return text
    }

    private static func expiry(_ ttlSeconds: Int64?, default seconds: Int64) throws(APIError) -> Int64 {
        let ttl = ttlSeconds ?? seconds
        guard (1...31_536_000).contains(ttl) else {
            throw APIError(
                .badRequest, "ttlSeconds must be from 1 to 31536000", details: [("field", "ttlSeconds")])
        }
        return Clock.now() / 1_000 + ttl
    }

    private static func check(sessionID: String) throws(APIError) {
        guard !sessionID.isEmpty else {
            throw APIError(.emptySessionID, "which session?", details: [("field", "sessionId")])
        }
        do throws(MeetingError) {
            try Limit.checkID(sessionID, field: "sessionId")
        } catch {
            throw APIError(error)
        }
    }
}
