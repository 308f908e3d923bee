import Configuration
import Foundation
import Testing

private func load(
    _ arguments: [String] = [], _ environment: [String: String] = [:]
) throws(ConfigurationError) -> Settings {
    try Configuration.load(arguments: arguments, environment: environment)
}

/// The one line that the operator gets; nil if the settings are fine.
private func refusal(_ arguments: [String] = [], _ environment: [String: String] = [:]) -> String? {
    do throws(ConfigurationError) {
        _ = try load(arguments, environment)
        return nil
    } catch {
        return error.description
    }
}

/// Hands a file with this text to the body.
private func withFile<Result>(_ text: String, _ body: (String) throws -> Result) throws -> Result {
    let path = NSTemporaryDirectory() + "rostrum-settings-\(UUID().uuidString).json"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
}

/// As `refusal`, with `FILE` for the path.
private func fileRefusal(_ text: String) throws -> String? {
    try withFile(text) { path in refusal(["--config", path])?.replacing(path, with: "FILE") }
}

@Test func `nothing said means the defaults`() throws {
    #expect(try load() == Settings())
}

@Test func `flags win over the environment, that over the file, that over the defaults`() throws {
    let text = #"{"http":{"port":1001,"host":"127.0.0.1"},"media":{"port":1002,"workers":3}}"#
    try withFile(text) { (path: String) throws in
        let settings = try load(
            ["--config", path, "--http.port", "3001"],
            ["ROSTRUM_HTTP_PORT": "2001", "ROSTRUM_MEDIA_PORT": "2002", "HOME": "/root"])
        #expect(settings.http.port == 3001)
        #expect(settings.media.port == 2002)
        #expect(settings.media.workers == 3)
        #expect(settings.http.host == "127.0.0.1")
        #expect(settings.media.maxCoalesce == .milliseconds(5))
    }
}

@Test func `the environment may name the file, and the flag wins over it`() throws {
    try withFile(#"{"server":{"name":"one"}}"#) { (one: String) throws in
        try withFile(#"{"server":{"name":"two"}}"#) { (two: String) throws in
            #expect(try load([], ["ROSTRUM_CONFIG": one]).server.name == "one")
            #expect(try load(["--config=\(two)"], ["ROSTRUM_CONFIG": one]).server.name == "two")
        }
    }
}

@Test func `flags take every kind of value`() throws {
    let settings = try load([
        "--sessions.adHoc", "--media.tcp", "false", "--media.sealer=openSSL", "--log.level", "debug",
        "--media.advertise", "192.0.2.1,2001:db8::1", "--http.cors", "*,https://[::1]:8443",
        "--media.maxCoalesceMs", "0", "--media.cacheAudioMs", "60", "--server.name", "a=b",
        "--auth.keys", "shop:a:secret:with:colons,dev:short", "--http.port", "1", "--http.port", "2",
    ])
    #expect(settings.sessions.adHoc)
    #expect(!settings.media.tcp)
    #expect(settings.media.sealer == .openSSL)
    #expect(settings.log.level == .debug)
    #expect(settings.media.advertise == ["192.0.2.1", "2001:db8::1"])
    #expect(settings.http.cors == ["*", "https://[::1]:8443"])
    #expect(settings.media.maxCoalesce == .zero)
    #expect(settings.media.cacheAudio == .milliseconds(60))
    #expect(settings.server.name == "a=b")
    #expect(
        settings.auth.keys == [
            APIKey(id: "shop", secret: "a:secret:with:colons"), APIKey(id: "dev", secret: "short"),
        ])
    #expect(settings.usesDevelopmentKey)
    #expect(settings.http.port == 2)
}

@Test func `keys in the environment may be JSON`() throws {
    let settings = try load([], ["ROSTRUM_AUTH_KEYS": #"[{"id":"a","secret":"0123456789abcdef,:"}]"#])
    #expect(settings.auth.keys == [APIKey(id: "a", secret: "0123456789abcdef,:")])
    #expect(!settings.usesDevelopmentKey)
}

@Test func `a certificate without its key is refused, and so is a key without its certificate`() throws {
    #expect(
        refusal(["--http.tlsCertificate", "/c.pem"])
            == "http.tlsPrivateKey is missing: TLS needs both a certificate and its private key")
    #expect(
        refusal([], ["ROSTRUM_HTTP_TLS_PRIVATE_KEY": "/k.pem"])
            == "http.tlsCertificate is missing: TLS needs both a certificate and its private key")
    let both = try load(["--http.tlsCertificate", "/c.pem", "--http.tlsPrivateKey", "/k.pem"])
    #expect(both.http.usesTLS && !Settings().http.usesTLS)
}

@Test func `what the commands take from the environment is no setting, and no mistake`() throws {
    #expect(try load([], ["ROSTRUM_SERVER": "https://x", "ROSTRUM_KEY": "a:b"]) == Settings())
    #expect(try load([], ["ROSTRUM_LOAD_SERVER": "https://x", "ROSTRUM_LOAD_KEY": "a:b"]) == Settings())
    #expect(refusal([], ["ROSTRUM_SERVERS": "x"])?.contains("unknown key") == true)
}

@Test func `an empty list is one`() throws {
    #expect(try load(["--media.advertise", ""], [:]).media.advertise.isEmpty)
}

@Test func `an unknown key names the nearest known one`() throws {
    #expect(
        refusal(["--media.prot", "1"])
            == "unknown key \"--media.prot\", did you mean --media.port? (flag --media.prot)")
    #expect(
        refusal([], ["ROSTRUM_MEDIA_WORKER": "1"])
            == "unknown key \"ROSTRUM_MEDIA_WORKER\", did you mean ROSTRUM_MEDIA_WORKERS? "
            + "(environment variable ROSTRUM_MEDIA_WORKER)")
    #expect(
        try fileRefusal(#"{"media":{"maxcoalescems":1}}"#)
            == "unknown key \"media.maxcoalescems\", did you mean media.maxCoalesceMs? (file FILE)")
    #expect(
        try fileRefusal(#"{"htpp":{"port":1}}"#)
            == "unknown key \"htpp.port\", did you mean http.port? (file FILE)")
}

@Test(arguments: [
    "--bogus", "--x", "--port", "--media", "--media.", "--http.bogus", "--verbose", "--log.colour",
    "--\(String(repeating: "x", count: 100_000))",
])
func `nothing is suggested for a flag that is like none`(flag: String) {
    let said = refusal([flag, "1"])
    #expect(said?.hasPrefix("unknown key \"\(flag.prefix(80))") == true)
    #expect(said?.contains(", see rostrum --help (flag") == true)
    #expect(said?.contains("did you mean") == false)
}

@Test(arguments: [
    ("--htp.port", "--http.port"), ("--http.prot", "--http.port"), ("--HTTP.PORT", "--http.port"),
    ("--media.worker", "--media.workers"), ("--auth.key", "--auth.keys"), ("--confg", "--config"),
    ("--log.levle", "--log.level"), ("--media.advertize", "--media.advertise"),
])
func `a slip of the finger is met with the right flag`(written: String, meant: String) {
    #expect(refusal([written, "1"])?.contains("did you mean \(meant)?") == true)
}

@Test func `nothing is suggested for a variable or a key that is like none`() throws {
    #expect(
        refusal([], ["ROSTRUM_BOGUS": "1"])
            == "unknown key \"ROSTRUM_BOGUS\", see rostrum --help (environment variable ROSTRUM_BOGUS)")
    #expect(
        try fileRefusal(#"{"metrics":{}}"#) == "unknown key \"metrics\", see rostrum --help (file FILE)")
    #expect(
        try fileRefusal(#"{"metrics":{"port":1}}"#)
            == "unknown key \"metrics.port\", see rostrum --help (file FILE)")
}

@Test func `a wrong value names key, value, what is allowed and where it came from`() throws {
    #expect(
        refusal(["--media.port", "65536"])
            == "media.port must be an integer from 0 to 65535, not \"65536\" (flag --media.port)")
    #expect(
        refusal([], ["ROSTRUM_MEDIA_PORT": "abc"])
            == "media.port must be an integer from 0 to 65535, not \"abc\" "
            + "(environment variable ROSTRUM_MEDIA_PORT)")
    #expect(
        try fileRefusal(#"{"media":{"port":"3478"}}"#)
            == "media.port must be an integer from 0 to 65535, not \"3478\" (file FILE)")
    #expect(
        try fileRefusal(#"{"media":{"maxCoalesceMs":2.5}}"#)
            == "media.maxCoalesceMs must be an integer from 0 to 20, not 2.5 (file FILE)")
    #expect(
        try fileRefusal(#"{"sessions":{"adHoc":null}}"#)
            == "sessions.adHoc must be true or false, not null (file FILE)")
    #expect(
        refusal(["--media.sealer", "mbedTLS"])
            == "media.sealer must be one of auto, multiBuffer, openSSL, not \"mbedTLS\" (flag --media.sealer)"
    )
    #expect(
        refusal(["--media.advertise", "192.0.2.1,media.example.org"])?.hasPrefix(
            "media.advertise must be a list of IP addresses, not ") == true)
    #expect(refusal(["--http.host", "localhost"])?.contains("an IP address, or empty") == true)
    #expect(refusal(["--http.cors", "https://a/b"])?.contains("a list of origins") == true)
}

@Test(arguments: [
    "a:tooshort", "a:0123456789abcdef,a:0123456789abcdef", "bad id:0123456789abcdef", ":0123456789abcdef",
    "0123456789abcdef", "dev:", #"[{"id":"a","secret":"0123456789abcdef","x":1}]"#, "[",
])
func `unsound API keys are refused, and the secret isn't shown`(keys: String) throws {
    let line = try #require(refusal(["--auth.keys", keys]))
    #expect(line.hasPrefix("auth.keys must be a list of {id, secret}"))
    #expect(line.hasSuffix("(flag --auth.keys)"))
    #expect(!line.contains("0123456789abcdef") && !line.contains("tooshort"))
}

@Test func `a secret isn't printed with its key`() {
    #expect("\(APIKey(id: "a", secret: "hidden"))" == "a:***")
    #expect(String(reflecting: [APIKey(id: "a", secret: "hidden")]) == "[a:***]")
}

@Test func `a file that can't be used is named with the reason`() throws {
    #expect(
        refusal(["--config", "/nowhere/x.json"])
            == "can't read \"/nowhere/x.json\": No such file or directory")
    #expect(refusal(["--config", "/tmp"]) == "can't read \"/tmp\": Is a directory")
    #expect(refusal(["--config", "/dev/zero"]) == "can't read \"/dev/zero\": larger than 1048576 bytes")
    #expect(
        try fileRefusal("{\"http\":\n{\"port\":1,}}")
            == "file FILE: string or '}' expected near '}' at line 2, column 11")
    #expect(try fileRefusal("{\"http\":{\"port\":1,\"port\":2}}")?.contains("duplicate key \"port\"") == true)
    #expect(try fileRefusal("[]")?.hasPrefix("file FILE: expected an object of groups") == true)
    #expect(try fileRefusal("{\"http\":8080}") == "file FILE: \"http\" must be an object of keys")
    #expect(try fileRefusal("") == "file FILE: the text ends too early at line 1, column 1")
}

@Test func `arguments that are no flags, and flags without a value, are refused`() {
    #expect(refusal(["serve"]) == "unexpected argument \"serve\"")
    #expect(refusal(["-p"]) == "unexpected argument \"-p\"")
    #expect(refusal(["--media.port"]) == "--media.port needs a value")
    #expect(refusal(["--media.port", "--http.port", "1"]) == "--media.port needs a value")
    #expect(refusal(["--config"]) == "--config needs a value")
    #expect(refusal(["a\nb"]) == "unexpected argument \"a\\u{a}b\"")
}

@Test func `media over TCP can't share the port of HTTP`() throws {
    #expect(
        refusal(["--media.port", "8080"])
            == "media.port and http.port are both 8080: choose another one, or set media.tcp to false")
    #expect(try load(["--media.port", "8080", "--media.tcp", "false"]).media.port == 8080)
    #expect(try load(["--media.port", "0", "--http.port", "0"]).media.port == 0)
}

@Test func `variables that Kubernetes sets for a service called rostrum are no keys`() throws {
    let variables = [
        "ROSTRUM_SERVICE_HOST": "10.0.0.1", "ROSTRUM_SERVICE_PORT": "80", "ROSTRUM_SERVICE_PORT_HTTP": "80",
        "ROSTRUM_PORT": "tcp://10.0.0.1:80", "ROSTRUM_PORT_80_TCP_ADDR": "10.0.0.1",
    ]
    #expect(try load([], variables) == Settings())
}
