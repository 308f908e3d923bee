import Configuration
import JSON
import Meeting

@testable import Control

private let secret = "a-secret-of-the-fuzzer"
private let authority = TokenAuthority(keys: [APIKey(id: "key", secret: secret)])
private let now: Int64 = 1_700_000_000_000

/// Three things in a row: the input as a token, which nobody signed; as claims that somebody who has the key signed; as
/// Base64.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let text = String(decoding: bytes, as: UTF8.self)
    precondition((try? authority.verify(text, now: now)) == nil, "accepted without a signature")
    if let token = try? authority.verify(sign(bytes), now: now) { check(token) }
    readBase64(text)
    precondition(Base64URL.decode(Base64URL.encode(bytes)) == bytes, "reads back as something else")
    return 0
}

/// A JWT of the claims, by RFC 7515 section 3.1. One signature is as good as the next here.
private func sign(_ claims: [UInt8]) -> String {
    let signed =
        Base64URL.encode(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)) + "." + Base64URL.encode(claims)
    return signed + "."
        + Base64URL.encode(Digest.hmacSHA256(Array(signed.utf8), key: Array(secret.utf8)) ?? [])
}

/// What was accepted is whole, and signed anew it says the same.
private func check(_ token: Token) {
    precondition(Limit.isValidID(token.uid) && token.expiresAt > now / 1_000 && !token.signature.isEmpty)
    precondition(token.call.map { Limit.isValidID($0.sessionID) } ?? true)
    _ = try? token.check()
    guard let text = authority.sign(token), let again = try? authority.verify(text, now: now) else {
        // What is escaped when it is written may be too long then.
        precondition(
            (token.name ?? "").utf8.count + (token.avatar ?? "").utf8.count + token.id.utf8.count > 1_000)
        return
    }
    precondition(again.uid == token.uid && again.name == token.name && again.avatar == token.avatar)
    precondition(again.expiresAt == token.expiresAt && again.id == token.id && again.kind == token.kind)
    precondition(again.call?.sessionID == token.call?.sessionID && again.call?.scope == token.call?.scope)
    precondition(again.call?.grants == token.call?.grants)
}

/// There is one text for each row of bytes.
private func readBase64(_ text: String) {
    for part in text.split(separator: ".", omittingEmptySubsequences: false) {
        guard let bytes = Base64URL.decode(part) else { continue }
        precondition(Base64URL.encode(bytes) == part, "another text for the same bytes")
    }
}
