import COpenSSL
import JSON

/// The id and secret of an API key, as `--key ID:SECRET` names them.
public struct LoadKey: Sendable, Equatable {
    public var id: String
    public var secret: String

    public init(id: String, secret: String) {
        self.id = id
        self.secret = secret
    }

    /// Reads `ID:SECRET`; nil without a colon or with an empty part.
    public init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        self.init(id: String(text[..<colon]), secret: String(text[text.index(after: colon)...]))
        guard !id.isEmpty, !secret.isEmpty else { return nil }
    }

    /// A call token, as a back end signs it: a JWT (RFC 7519) with HS256; nil if OpenSSL fails.
    ///
    /// - Parameter expiresAt: seconds since 1970.
    func callToken(session: String, uid: String, scope: String, expiresAt: Int64) -> String? {
        sign(
            JSONObject([
                ("iss", .string(id)), ("sub", .string(uid)), ("typ", "call"), ("exp", .integer(expiresAt)),
                ("sid", .string(session)), ("scope", .string(scope)),
            ]))
    }

    /// An auth token, likewise: for a user who calls and is called.
    func authToken(uid: String, expiresAt: Int64) -> String? {
        sign(
            JSONObject([
                ("iss", .string(id)), ("sub", .string(uid)), ("typ", "auth"), ("exp", .integer(expiresAt)),
            ]))
    }

    private func sign(_ claims: JSONObject) -> String? {
        let header: JSONValue = ["alg": "HS256", "typ": "JWT"]
        guard let head = try? header.text(), let body = try? JSONValue.object(claims).text() else {
            return nil
        }
        let signed = Self.base64URL(head) + "." + Self.base64URL(body)
        var mac = [UInt8](repeating: 0, count: 32)
        let (key, message) = (Array(secret.utf8), Array(signed.utf8))
        var length: UInt32 = 0
        let isDone = unsafe mac.withUnsafeMutableBufferPointer { out in
            unsafe HMAC(
                EVP_sha256(), key, Int32(key.count), message, message.count, out.baseAddress, &length) != nil
        }
        guard isDone, length == 32 else { return nil }
        return signed + "." + Self.base64URL(mac)
    }

    /// RFC 4648 section 5, without padding, by OpenSSL's encoder.
    private static func base64URL(_ bytes: [UInt8]) -> String {
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = Int(unsafe EVP_EncodeBlock(&text, bytes, Int32(bytes.count)))
        let characters = text.prefix(count).compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: byte
            }
        }
        return String(decoding: characters, as: UTF8.self)
    }
}
