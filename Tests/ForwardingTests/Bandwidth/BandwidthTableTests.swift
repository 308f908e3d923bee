import Foundation
import Testing

/// `Benchmarks/results/bandwidth.md` says what the simulations give. A change of the estimator that changes a figure fails
/// here; `ROSTRUM_WRITE_RESULTS=1 swift test --filter BandwidthTableTests` writes the table anew, to be looked at and committed.
@Suite struct BandwidthTableTests {
    @Test func `the table in the repository is what the simulations give`() throws {
        let table = Self.table
        if ProcessInfo.processInfo.environment["ROSTRUM_WRITE_RESULTS"] != nil {
            let folder = Self.path.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(table.utf8).write(to: Self.path)
        }
        let written = try String(contentsOf: Self.path, encoding: .utf8)
        let expected = table.split(separator: "\n", omittingEmptySubsequences: false)
        let found = written.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(found.count == expected.count)
        for (line, other) in zip(found, expected) { #expect(line == other) }
    }

    private static var path: URL {
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { url.deleteLastPathComponent() }
        return url.appendingPathComponent("Benchmarks/results/bandwidth.md")
    }

    private static var table: String {
        let rows = BandwidthScenarioTests.results.map { result in
            row([
                result.scenario.name, percent(result.utilisation), tenths(result.queueing),
                tenths(result.start), tenths(result.down), tenths(result.up), percent(result.loss),
            ])
        }
        let exceptions = BandwidthScenario.all.filter { !$0.bars.because.isEmpty }
            .map { "- \($0.name): \($0.bars.because)." }
        return """
            # Bandwidth estimation on simulated links

            Written by `ROSTRUM_WRITE_RESULTS=1 swift test --filter BandwidthTableTests`; the same test holds the table
            against the simulations on every run. Virtual time, turns of 1 ms, feedback every 50 to 100 ms, a drop-tail
            queue of 300 ms and a round trip of 50 ms unless the name says otherwise. An encoder that follows the estimate
            sends 30 frames a second beside Opus. Each scenario is played with two seeds; the worse figure stands here.

            - used: share of the link that this flow and what shares the link with it used, from 10 s after the start
              and after each rise of its rate.
            - waiting: 95 % of packets waited no longer in the queue, the first seconds and steps included.
            - start, up: until the estimate is 85 % of the link, from the start and from a rise; down: until it is
              below the link after a fall.
            - lost: share of packets dropped by the queue or lost on the way.

            | link | used | waiting, ms | start, s | down, s | up, s | lost |
            |---|---|---|---|---|---|---|
            \(rows.joined(separator: "\n"))

            Bars: used ≥ 85 %, waiting < 100 ms, start ≤ 2 s, down < 1 s, up < 10 s, except

            \(exceptions.joined(separator: "\n"))

            """
    }

    private static func row(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |" }

    private static func percent(_ share: Double) -> String { "\((share * 1_000).rounded() / 10) %" }

    private static func tenths(_ value: Double?) -> String {
        guard let value, value.isFinite else { return value == nil ? "" : "never" }
        return "\((value * 10).rounded() / 10)"
    }
}
