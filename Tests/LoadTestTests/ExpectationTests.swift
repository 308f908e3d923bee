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

    @Test func `a figure that nothing was measured of is never as expected`() throws {
        let expectation = try #require(try Expectation.parse("p95SpeakerShown>1").first)
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

    /// What is said of an expectation before the run.
    private func refusal(_ expect: String, _ arguments: [String] = []) throws -> String? {
        let flags = try LoadFlags.parse(
            ["--key", "a:b", "--expect", expect] + arguments, environment: [:], read: { _ in nil })
        do {
            _ = try RunCommand(flags) { _ in }
            return nil
        } catch {
            return error.text
        }
    }

    @Test func `a figure that doesn't exist is refused before the run, with one that does`() throws {
        #expect(
            try refusal("loss<1%,foo<1")
                == "expectation foo<1: there is no figure foo, --json - lists them all")
        #expect(
            try refusal("p99delai<1")
                == "expectation p99delai<1: there is no figure p99delai, did you mean p99Delay?")
        #expect(
            try refusal("join<1")?.hasPrefix(
                "expectation join<1: there is no figure join, but joined, joinFailures") == true)
        #expect(try refusal("p99.9Delay<1s,serverWorker7Load<90,serverBatch>1,framesOfS2>0") == nil)
    }

    @Test(arguments: [
        ("serverCpu<50", "--server-pid", ["--server-pid", "1"]),
        ("admissionErrors=0", "--places", ["--places", "2"]),
        ("p95Ring<1s", "--calls", ["--calls", "60"]), ("p95Resume<1s", "--chaos", ["--chaos", "sockets=60"]),
    ])
    func `a figure that this run can't have is refused with what it needs`(
        expect: String, need: String, arguments: [String]
    ) throws {
        #expect(try refusal(expect)?.hasSuffix("is measured only with \(need)") == true)
        #expect(try refusal(expect, arguments) == nil)
    }

    @Test func `every figure that a report has can be expected`() {
        let known = Set(Report.names(.everything))
        for figure in report.figures { #expect(known.contains(figure.name), "\(figure.name)") }
        #expect(known.count > 100)
    }
}
