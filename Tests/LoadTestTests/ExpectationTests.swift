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
            window: window, whole: window, seconds: 10, joinedNow: 3, clientLoad: 0.25,
            server: ServerFigures())
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
