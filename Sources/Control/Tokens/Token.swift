public import Meeting

/// What a token says about who bears it.
public struct Token: Sendable {
    public enum Kind: String, Sendable {
        case auth, call
    }

    /// What a call token lets its bearer join.
    public struct Call: Sendable {
        public var sessionID: String
        public var scope: Scope
        public var grants: Grants

        public init(sessionID: String, scope: Scope = .participant, grants: Grants = Grants()) {
            self.sessionID = sessionID
            self.scope = scope
            self.grants = grants
        }

        /// The scope of this name, as the API spells it.
        public static func scope(named name: String) -> Scope? {
            Scope(rawValue: name)
        }
    }

    /// Refuses ids, a name or an avatar that the API doesn't allow.
    public func check() throws(APIError) {
        do throws(MeetingError) {
            try Limit.checkID(uid, field: "uid")
            if let name { try Limit.checkName(name, field: "name") }
            if let avatar { try Limit.checkAvatar(avatar) }
            if let call { try Limit.checkID(call.sessionID, field: "sessionId") }
        } catch {
            throw APIError(error)
        }
    }

    public var uid: String
    public var name: String?
    public var avatar: String?
    /// Seconds since 1970.
    public var expiresAt: Int64
    /// Seconds since 1970; nil if it doesn't say.
    public var issuedAt: Int64?
    /// Unique, for revocation.
    public var id: String
    /// Nil in an auth token.
    public var call: Call?
    /// What tells a token from every other one that was ever signed, if it was verified; empty if it is yet to be
    /// signed. A `jti` wouldn't do: back ends may leave it out, or give it twice.
    var signature = ""

    public var kind: Kind { call == nil ? .auth : .call }

    public init(
        uid: String, name: String? = nil, avatar: String? = nil, expiresAt: Int64, issuedAt: Int64? = nil,
        id: String = RandomID.make(), call: Call? = nil
    ) {
        self.uid = uid
        self.name = name
        self.avatar = avatar
        self.expiresAt = expiresAt
        self.issuedAt = issuedAt
        self.id = id
        self.call = call
    }
}

/// Ids and secrets that nobody can guess, from the system's random number generator.
public enum RandomID {
    /// 128 bits, 22 characters of `A-Z a-z 0-9 - _`.
    public static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64URL.encode((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// A random UUID (RFC 9562 section 5.4), in lower case.
    public static func uuid() -> String {
        var generator = SystemRandomNumberGenerator()
        var bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
