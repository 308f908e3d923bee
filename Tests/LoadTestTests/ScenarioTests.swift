import FixedCollections
import Testing

@testable import LoadTest

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
