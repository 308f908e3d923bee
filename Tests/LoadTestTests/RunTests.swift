import FixedCollections
import JSON
import Testing

@testable import LoadTest

struct ExpectationTests {
    private let report: Report = {
        var window = Totals()
        window.expected = 1_000
        window.original = 990
        window.repaired = 9
        window.receivedVideo.packets = 999
        for _ in 0..<100 { window.videoDelay.record(.milliseconds(8)) }
        return Report(
            window: window, whole: window, seconds: 10, joinedNow: 3, clientLoad: 0.25, server: nil)
    }()

    @Test(arguments: [
        ("p99Delay<20ms", true), ("p99Delay<5ms", false), ("p99Delay<20000us", true), ("p99Delay<1s", true),
        ("loss<=0.1%", true), ("loss<0.05%", false), ("lossBeforeRepair>0.5", true), ("participants=3", true),
        ("participants>=4", false), ("receivedPackets>998, loss<1%", true), ("windowSeconds=10s", true),
    ])
    func `a figure is compared in its unit`(text: String, holds: Bool) throws {
        let failures = try Expectation.parse(text).compactMap { $0.failure(in: report) }
        #expect(failures.isEmpty == holds)
    }

    @Test func `a failure says what was expected and what was`() throws {
        let expectation = try #require(try Expectation.parse("p99Delay<5ms").first)
        let failure = try #require(expectation.failure(in: report))
        #expect(failure.contains("p99Delay<5ms"))
        #expect(failure.contains("8.0"))
    }

    @Test func `a figure that doesn't exist is never as expected`() throws {
        let expectation = try #require(try Expectation.parse("happiness>1").first)
        #expect(expectation.failure(in: report) != nil)
    }

    @Test(arguments: ["p99Delay", "p99Delay<fast", "p99Delay<5 miles", "<5"])
    func `what can't be read is refused`(text: String) {
        #expect(throws: LoadError.self) { try Expectation.parse(text) }
    }

    @Test func `the report as JSON has every figure by its name`() throws {
        let text = try #require(report.json)
        let value = try JSON.parse(text)
        for figure in report.figures { #expect(value[figure.name]?.numberValue == figure.value) }
    }
}

struct ScenarioTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    @Test func `publishers come first, each at its time, in every session`() throws {
        let flags = try LoadFlags.parse(
            ["--sessions", "2", "--participants=4", "--publishers", "audio=2,video=1", "--ramp", "10"],
            environment: [:], read: { _ in nil })
        let plans = flags.scenario.plans(name: "x", start: start)
        #expect(plans.count == 8)
        #expect(plans.map(\.number) == Array(0..<8))
        #expect(plans.map(\.session) == ["x-0", "x-1", "x-0", "x-1", "x-0", "x-1", "x-0", "x-1"])
        #expect(plans.map(\.sendsVideo) == [true, true] + Array(repeating: false, count: 6))
        #expect(plans.filter(\.sendsAudio).count == 4)
        #expect(plans[7].joinAt == start + .milliseconds(700))
    }

    @Test func `a file's fields are taken, and flags go before them`() throws {
        let text = Array(#"{"participants": 30, "publishers": {"audio": 30}, "bitrateBps": 500000}"#.utf8)
        let flags = try LoadFlags.parse(
            ["classroom", "--bitrate", "1.2M", "--server", "http://10.0.0.1:80"], environment: [:],
            read: { $0 == "classroom" ? text : nil })
        #expect(flags.scenario.participants == 30)
        #expect(flags.scenario.media.videoBitsPerSecond == 1_200_000)
        #expect(flags.server == "http://10.0.0.1:80")
    }

    @Test(arguments: [
        ["--participants", "none"], ["--participants", "0"], ["--simulcast", "4"], ["--frobnicate", "1"],
        ["--key", "nocolon"], ["missing-scenario"], ["--bitrate", "1.2X"], ["--publishers", "dogs=1"],
        ["--participants", "3", "--publishers", "audio=4"], ["--duration", "-1"], ["--srtp-suite", "NULL"],
    ])
    func `what makes no sense is refused`(arguments: [String]) {
        #expect(throws: LoadError.self) {
            try LoadFlags.parse(arguments, environment: [:], read: { _ in nil })
        }
    }

    @Test func `an unknown field of a file is an error`() {
        #expect(throws: LoadError.self) { try Scenario.read(Array(#"{"particpants": 3}"#.utf8)) }
    }

    @Test func `churn lets as many come as leave, at the same moments, and senders stay`() throws {
        let flags = try LoadFlags.parse(
            [
                "--participants", "10", "--publishers", "audio=2", "--churn", "60", "--duration", "8",
                "--settle", "2",
            ],
            environment: [:], read: { _ in nil })
        let plans = flags.scenario.plans(name: "x", start: start)
        let leavers = plans.filter { $0.leaveAt != nil }
        let newcomers = plans[10...]
        #expect(leavers.count == newcomers.count)
        #expect((9...10).contains(leavers.count))
        #expect(leavers.allSatisfy { !$0.sendsAudio })
        #expect(leavers.compactMap(\.leaveAt).sorted() == newcomers.map(\.joinAt))
        #expect(plans.map(\.number) == Array(plans.indices))
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080", "127.0.0.1", 8_080, false),
        ("https://meet.example", "meet.example", 443, true),
        ("http://[::1]:9000/", "::1", 9_000, false), ("http://host", "host", 80, false),
    ])
    func `a server's address is read`(text: String, host: String, port: Int, isSecure: Bool) throws {
        let address = try #require(ServerAddress(text))
        #expect((address.host, address.port, address.isSecure) == (host, port, isSecure))
    }

    @Test(arguments: ["127.0.0.1:8080", "ftp://x:1", "http://x:0", "http://:80", "http://x:99999"])
    func `what is no address is refused`(text: String) {
        #expect(ServerAddress(text) == nil)
    }
}

struct ConversationTests {
    @Test func `one at a time talks, now and then two, and everybody has a turn`() {
        let start = Instant(nanoseconds: 1_000_000_000)
        let conversation = Conversation(
            groups: [Array(0..<4)], atOnce: 1, from: start, to: start + .seconds(300), seed: 4)
        var talkers = [Int](repeating: 0, count: 5)
        var turns = [Int](repeating: 0, count: 4)
        for tenth in 0..<3_000 {
            let now = start + .milliseconds(tenth * 100)
            let speaking = (0..<4).filter { conversation.isSpeaking($0, now) }
            talkers[speaking.count] += 1
            for speaker in speaking { turns[speaker] += 1 }
        }
        #expect(talkers[1] > 2_400)
        #expect(talkers[0] > 30)
        #expect(talkers[2] > 10)
        #expect(talkers[3] + talkers[4] < 30)
        #expect(turns.allSatisfy { $0 > 200 })
    }

    @Test func `without a conversation all talk all the time`() {
        #expect(Conversation().isSpeaking(17, Instant(nanoseconds: 5)))
    }
}

struct SignallingTests {
    @Test func `a call token is a JWT of three parts, signed with the key`() throws {
        let key = try #require(LoadKey("dev:secret"))
        let token = try #require(
            key.callToken(session: "s", uid: "u", scope: "participant", expiresAt: 1_900_000_000))
        // Made with another implementation of HS256.
        #expect(token == Self.expected)
    }

    private static let expected = [
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
        "eyJpc3MiOiJkZXYiLCJzdWIiOiJ1IiwidHlwIjoiY2FsbCIsImV4cCI6MTkw"
            + "MDAwMDAwMCwic2lkIjoicyIsInNjb3BlIjoicGFydGljaXBhbnQifQ",
        "PliZae9IRuikftpGg4-Aj8tvlQa4bLLpiqrukugOmb0",
    ].joined(separator: ".")

    @Test func `an event's name is found without reading the message`() {
        #expect(EventPeek.name(of: Array(#"{"event":"seatsChanged","seq":1}"#.utf8)) == "seatsChanged")
        #expect(EventPeek.name(of: Array(#"{"id":1,"result":{}}"#.utf8)) == nil)
        #expect(EventPeek.name(of: Array(#"{"event":"without an end"#.utf8)) == nil)
    }
}
