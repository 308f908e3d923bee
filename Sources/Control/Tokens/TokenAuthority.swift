public import Configuration
import JSON
import Meeting

/// Signs and checks tokens: JWT (RFC 7519) with HS256 and the secret of an API key, nothing else.
public struct TokenAuthority: Sendable {
    private let keys: [APIKey]

    public init(keys: [APIKey]) {
        self.keys = keys
    }

    /// The key whose secret this is, compared in constant time.
    func key(withSecret secret: String) -> APIKey? {
        let bytes = Array(secret.utf8)
        var found: APIKey?
        for key in keys where Digest.areEqual(bytes, Array(key.secret.utf8)) { found = key }
        return found
    }

    /// Signs a token with the key of this id (the first key, if nil); nil if there is no such key.
    public func sign(_ token: Token, keyID: String? = nil) -> String? {
        guard let key = keyID == nil ? keys.first : keys.first(where: { $0.id == keyID }) else { return nil }
        var claims = JSONObject([
            ("iss", .string(key.id)), ("sub", .string(token.uid)), ("typ", .string(token.kind.rawValue)),
            ("exp", .integer(token.expiresAt)), ("jti", .string(token.id)),
        ])
        if let time = token.issuedAt { claims["iat"] = .integer(time) }
        if let name = token.name { claims["name"] = .string(name) }
        if let avatar = token.avatar { claims["avatar"] = .string(avatar) }
        if let call = token.call {
            claims["sid"] = .string(call.sessionID)
            claims["scope"] = .string(call.scope.rawValue)
            if call.grants != Grants() { claims["grants"] = Self.value(of: call.grants) }
        }
        let header: JSONValue = ["alg": "HS256", "typ": "JWT"]
        guard let head = try? header.text(), let body = try? JSONValue.object(claims).text() else {
            return nil
        }
        let signed = Base64URL.encode(head) + "." + Base64URL.encode(body)
        guard let mac = Digest.hmacSHA256(Array(signed.utf8), key: Array(key.secret.utf8)) else { return nil }
        return signed + "." + Base64URL.encode(mac)
    }

    /// Checks signature, expiry and claims.
    ///
    /// - Parameter now: milliseconds since 1970.
    func verify(_ text: String, now: Int64) throws(APIError) -> Token {
        guard !text.isEmpty else { throw APIError(.emptyToken, "the token is empty") }
        guard key(withSecret: text) == nil else {
            throw APIError(.tokenNotFound, "this is an API key, where a token belongs")
        }
        let claims = try signedClaims(text)
        var token = try token(from: claims)
        token.signature = String(text.split(separator: ".").last ?? "")
        guard token.expiresAt > now / 1_000 else {
            let code: ErrorCode = token.kind == .call ? .callTokenExpired : .authTokenExpired
            throw APIError(code, "the token has expired")
        }
        // RFC 7519 section 4.1.5, with a minute for clocks that differ.
        if let begin = claims["nbf"], (begin.numberValue ?? .infinity) > Double(now / 1_000 + 60) {
            let code: ErrorCode = token.kind == .call ? .callTokenInvalid : .tokenNotFound
            throw APIError(code, "the token isn't valid yet")
        }
        return token
    }

    // MARK: - Parts

    private func signedClaims(_ text: String) throws(APIError) -> JSONValue {
        let unknown = APIError(.tokenNotFound, "the token isn't known here")
        let parts = text.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard text.utf8.count <= 16_384, parts.count == 3, let head = Base64URL.decode(parts[0]),
            let body = Base64URL.decode(parts[1]), let mac = Base64URL.decode(parts[2]),
            let header = try? JSON.parse(head), let claims = try? JSON.parse(body)
        else { throw unknown }
        guard header["alg"]?.stringValue == "HS256" else {
            throw APIError(.tokenNotFound, "the token must be signed with HS256")
        }
        guard let issuer = claims["iss"]?.stringValue, let key = keys.first(where: { $0.id == issuer }) else {
            throw unknown
        }
        let signed = Array((parts[0] + "." + parts[1]).utf8)
        guard let expected = Digest.hmacSHA256(signed, key: Array(key.secret.utf8)),
            Digest.areEqual(expected, mac)
        else { throw unknown }
        return claims
    }

    private func token(from claims: JSONValue) throws(APIError) -> Token {
        guard let kind = claims["typ"]?.stringValue.flatMap(Token.Kind.init) else {
            throw APIError(.tokenNotFound, "the token's typ must be auth or call")
        }
        let code: ErrorCode = kind == .call ? .callTokenInvalid : .tokenNotFound
        guard let uid = claims["sub"]?.stringValue, Limit.isValidID(uid) else {
            throw APIError(code, "the token's sub must be a uid")
        }
        guard let expiry = claims["exp"]?.numberValue, expiry >= 0, expiry < 1e15 else {
            throw APIError(code, "the token's exp must be a time")
        }
        var token = Token(
            uid: uid, name: claims["name"]?.stringValue, avatar: claims["avatar"]?.stringValue,
            expiresAt: Int64(expiry), issuedAt: try Self.time(claims["iat"], code),
            id: claims["jti"]?.stringValue ?? "")
        if kind == .call { token.call = try call(from: claims) }
        return token
    }

    private static func time(_ claim: JSONValue?, _ code: ErrorCode) throws(APIError) -> Int64? {
        guard let claim else { return nil }
        guard let time = claim.numberValue, time >= 0, time < 1e15 else {
            throw APIError(code, "the token's iat must be a time")
        }
        return Int64(time)
    }

    private func call(from claims: JSONValue) throws(APIError) -> Token.Call {
        guard let sessionID = claims["sid"]?.stringValue, Limit.isValidID(sessionID) else {
            throw APIError(.callTokenInvalid, "the token's sid must be a session id")
        }
        var call = Token.Call(sessionID: sessionID)
        if let scope = claims["scope"] {
            guard let known = scope.stringValue.flatMap(Scope.init) else {
                throw APIError(.callTokenInvalid, "the token's scope isn't one")
            }
            call.scope = known
        }
        if let grants = claims["grants"] {
            do throws(JSONError) {
                call.grants = try JSON.decode(GrantsObject.self, from: grants, at: "grants").grants
            } catch {
                throw APIError(.callTokenInvalid, "the token's \(error.description)")
            }
        }
        return call
    }

    private static func value(of grants: Grants) -> JSONValue {
        let sources = Source.allCases.filter(grants.publish.contains).map { JSONValue.string($0.rawValue) }
        return [
            "publish": .array(sources), "subscribe": .bool(grants.subscribe), "hidden": .bool(grants.hidden),
        ]
    }
}
