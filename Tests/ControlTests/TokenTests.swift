import Configuration
import JSON
import Meeting
import Testing

@testable import Control

extension ControlTests {
    @Suite struct TokenTests {
        private let authority = TokenAuthority(keys: [
            TestServer.key, APIKey(id: "other", secret: "another-secret-of-tests"),
        ])
        private let now: Int64 = 1_700_000_000_000

        private func code(_ text: String) -> ErrorCode? {
            do throws(APIError) {
                _ = try authority.verify(text, now: now)
                return nil
            } catch {
                return error.code
            }
        }

        /// A token with any header and claims, signed as HS256 has it.
        private func forge(
            _ header: String, _ claims: String, secret: String = TestServer.key.secret
        ) -> String {
            let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
            let mac = Digest.hmacSHA256(Array(signed.utf8), key: Array(secret.utf8)) ?? []
            return signed + "." + Base64URL.encode(mac)
        }

        private let header = #"{"alg":"HS256","typ":"JWT"}"#

        @Test func `a minted token says what it was minted with`() throws {
            let grants = Grants(publish: [.microphone], subscribe: false, hidden: true)
            let call = Token.Call(sessionID: "room", scope: .moderator, grants: grants)
            let minted = Token(
                uid: "u", name: "Ü", avatar: "https://a/b", expiresAt: now / 1_000 + 5, id: "j", call: call)
            let text = try #require(authority.sign(minted, keyID: "other"))
            let token = try authority.verify(text, now: now)
            #expect(token.uid == "u" && token.name == "Ü" && token.avatar == "https://a/b" && token.id == "j")
            #expect(token.call?.sessionID == "room" && token.call?.scope == .moderator)
            #expect(token.call?.grants == grants)
        }

        @Test func `the example of RFC 7515 has the signature that it should have`() {
            // Appendix A.1; the key is the octets of its "k".
            let key = Base64URL.decode(
                "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow")
            let signed =
                "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9."
                + "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
            let mac = Digest.hmacSHA256(Array(signed.utf8), key: key ?? [])
            #expect(mac.map(Base64URL.encode) == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        }

        @Test(arguments: [("1700000050", true), ("1700000100", false), (#""soon""#, false)])
        func `a token isn't good before its time`(begin: String, isGood: Bool) {
            let claims = #"{"iss":"test","sub":"u","typ":"auth","exp":1800000000,"nbf":\#(begin)}"#
            #expect((code(forge(header, claims)) == nil) == isGood)
        }

        @Test func `expired tokens are refused by their kind`() {
            let call = forge(header, #"{"iss":"test","sub":"u","typ":"call","sid":"s","exp":1700000000}"#)
            let auth = forge(header, #"{"iss":"test","sub":"u","typ":"auth","exp":1699999999}"#)
            #expect(code(call) == .callTokenExpired)
            #expect(code(auth) == .authTokenExpired)
        }

        @Test(arguments: [
            #"{"iss":"test","sub":"u","typ":"auth"}"#, #"{"iss":"test","typ":"auth","exp":1800000000}"#,
            #"{"iss":"test","sub":"u","typ":"other","exp":1800000000}"#,
            #"{"iss":"test","sub":"u","exp":1800000000}"#,
            #"{"iss":"nobody","sub":"u","typ":"auth","exp":1800000000}"#,
            #"{"sub":"u","typ":"auth","exp":1800000000}"#,
            #"{"iss":"test","sub":"a b","typ":"auth","exp":1800000000}"#,
            #"{"iss":"test","sub":"u","typ":"auth","exp":"1800000000"}"#, "[]", "nonsense",
        ])
        func `claims that lack something aren't a token`(claims: String) {
            #expect(code(forge(header, claims)) == .tokenNotFound)
        }

        @Test(arguments: [
            #"{"iss":"test","sub":"u","typ":"call","exp":1800000000}"#,
            #"{"iss":"test","sub":"u","typ":"call","sid":"a b","exp":1800000000}"#,
            #"{"iss":"test","sub":"u","typ":"call","sid":"s","scope":"king","exp":1800000000}"#,
            #"{"iss":"test","sub":"u","typ":"call","sid":"s","grants":{"publish":["mouth"]},"exp":1800000000}"#,
            #"{"iss":"test","sub":"u","typ":"call","sid":"s","grants":{"fly":true},"exp":1800000000}"#,
            #"{"iss":"test","typ":"call","sid":"s","exp":1800000000}"#,
        ])
        func `a call token that says something impossible is invalid`(claims: String) {
            #expect(code(forge(header, claims)) == .callTokenInvalid)
        }

        @Test func `only HS256 with the right secret counts`() {
            let claims = #"{"iss":"test","sub":"u","typ":"auth","exp":1800000000}"#
            #expect(code(forge(header, claims)) == nil)
            #expect(code(forge(header, claims, secret: "another-secret-of-tests")) == .tokenNotFound)
            #expect(code(forge(#"{"alg":"none"}"#, claims)) == .tokenNotFound)
            #expect(code(forge(#"{"alg":"HS512"}"#, claims)) == .tokenNotFound)
            #expect(code(forge(#"{"typ":"JWT"}"#, claims)) == .tokenNotFound)
            let parts = forge(header, claims).split(separator: ".")
            #expect(code("\(parts[0]).\(parts[1]).") == .tokenNotFound)
            #expect(code("\(parts[0]).\(parts[1])") == .tokenNotFound)
            #expect(code("\(parts[0]).\(parts[1]).\(parts[2])=") == .tokenNotFound)
            #expect(code("\(parts[0]).\(parts[1]).\(parts[2]).x") == .tokenNotFound)
        }

        @Test func `an empty token and an API key in a token's place are told apart`() {
            #expect(code("") == .emptyToken)
            #expect(throws: APIError.self) { try authority.verify(TestServer.key.secret, now: now) }
            #expect(code(TestServer.key.secret) == .tokenNotFound)
        }

        @Test(arguments: ["A", "AB=", "A+", "A/", "AAAAA", "AB"])
        func `base64url that nobody would write is refused`(text: String) {
            #expect(Base64URL.decode(text) == nil)
        }
    }
}

extension ControlTests {
    @Suite struct RateLimiterTests {
        @Test func `a burst passes, then so many a second`() {
            var limiter = RateLimiter(perSecond: 50, burst: 100, now: 0)
            for _ in 0..<100 { #expect(limiter.take(now: 0) == nil) }
            #expect(limiter.take(now: 0) == 20)
            #expect(limiter.take(now: 19) == 1)
            #expect(limiter.take(now: 20) == nil)
            #expect(limiter.take(now: 20) == 20)
            var passed = 0
            for _ in 0..<500 where limiter.take(now: 100_000) == nil { passed += 1 }
            #expect(passed == 100)
        }
    }
}

extension ControlTests {
    @Suite struct StaticFilesTests {
        @Test(arguments: ["/../x", "/a/../../x", "/.git/config", "/a/.b", "x", "/a\\..\\b", "/a\0b"])
        func `no path leads out of the folder or to hidden files`(path: String) {
            #expect(StaticFiles.safeName(path) == nil)
        }

        @Test func `a folder's index stands for it`() {
            #expect(StaticFiles.safeName("/") == "index.html")
            #expect(StaticFiles.safeName("/page/") == "page/index.html")
            #expect(StaticFiles.safeName("/page/main.js") == "page/main.js")
        }
    }
}
