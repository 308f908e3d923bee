import FixedCollections
import Testing

@testable import LoadTest

struct ReportingTests {
    @Test func `numbers have their places and thousands apart`() {
        #expect(Decimals.text(1_234_567, 0) == "1,234,567")
        #expect(Decimals.text(0.046, 2) == "0.05")
        #expect(Decimals.text(-3.14159, 2) == "-3.14")
        #expect(Decimals.text(999.999, 2) == "1,000.00")
    }

    @Test func `rows are the differences of snapshots`() {
        let start = Instant(nanoseconds: 0)
        var series = TimeSeries(start: start)
        var snapshot = Fleet.Snapshot()
        for second in 0..<3 {
            snapshot.at = start + .seconds(second)
            snapshot.connected = second
            snapshot.totals.receivedVideo.packets += 100
            snapshot.totals.expected += 100
            snapshot.totals.original += 99
            snapshot.used = [.milliseconds(250 * second)]
            series.add(snapshot, server: nil)
        }
        #expect(series.rows.count == 2)
        #expect(series.rows[1].receivedRate == 100)
        #expect(series.rows[1].lossPercent == 1)
        #expect(series.rows[1].clientLoadPercent == 25)
        #expect(series.rows[1].delayP50 == nil)
        #expect(series.csv.split(separator: "\n").count == 3)
    }

    @Test func `a page escapes what it is given, and is whole`() {
        let report = Report(
            window: Totals(), whole: Totals(), seconds: 1, joinedNow: 0, clientLoad: 0,
            server: ServerFigures())
        let page = ReportPage(
            report, TimeSeries(start: .zero), title: "<b>&", subtitle: "x", failures: ["a<b"])
        #expect(page.html.contains("<h1>&lt;b&gt;&amp;</h1>"))
        #expect(page.html.contains("<li>a&lt;b</li>"))
        #expect(page.html.contains("</html>"))
        #expect(!page.html.contains("src="))
    }
}

struct ReportPageTests {
    /// Of delays from 1 to 200 ms, and rows of ten seconds, of which the last six are measured.
    private func page(failures: [String]) -> String {
        var window = Totals()
        for step in 1...200 { window.videoDelay.record(.milliseconds(step)) }
        let report = Report(
            window: window, whole: window, seconds: 6, joinedNow: 3, clientLoad: 0, server: ServerFigures())
        var series = TimeSeries(start: .zero)
        var snapshot = Fleet.Snapshot()
        for second in 0...10 {
            snapshot.at = .zero + .seconds(second)
            snapshot.totals.receivedVideo.packets += 12_000
            snapshot.used = [.zero]
            series.add(snapshot, server: nil)
        }
        series.measure(from: .zero + .seconds(4), to: .zero + .seconds(10))
        return ReportPage(
            report, series, title: "x", subtitle: "y", details: "here & now", failures: failures
        ).html
    }

    @Test func `a kind of percentiles is one row, and what wasn't as expected is marked`() {
        let page = page(failures: ["p99Delay<50ms: it was 198 ms"])
        #expect(page.contains("<th>p50</th><th>p95</th><th>p99</th><th>p99.9</th>"))
        #expect(page.contains("<tr><td>delay</td><td title=\"p50Delay\">"))
        #expect(page.contains("<td class=\"bad\" title=\"p99Delay\">"))
        #expect(page.ranges(of: "<div class=\"bad\">").count == 1)
        #expect(!self.page(failures: []).contains("class=\"bad\""))
        #expect(page.contains("here &amp; now"))
    }

    @Test func `charts have round marks, dim what isn't measured, and leave out what isn't known`() {
        let page = page(failures: [])
        #expect(page.ranges(of: "<rect class=\"shade\"").count == 6)
        for mark in ["2 s", "4 s", "10 s", "5k", "20k"] {
            #expect(page.contains(">\(mark)</text>"), "\(mark)")
        }
        #expect(!page.contains("></i>server"))
        #expect(page.contains("></i>received"))
    }
}

struct SizingTests {
    @Test func `a server's size follows from a packet's cost and what a participant gets`() throws {
        var window = Totals()
        window.receivedVideo = MediaTotals(packets: 150_000, bytes: 150_000_000)
        let report = Report(
            window: window, whole: window, seconds: 10, joinedNow: 100, clientLoad: 0,
            server: ServerFigures(use: ServerUse(cpuSeconds: 0.3, residentBytes: 1)))
        let sizing = try #require(Sizing(report))
        // 2 µs a packet, 150 packets a second to each.
        #expect(abs(sizing.participantsPerCore - 0.7e6 / 300) < 1)
        #expect(abs(sizing.megabitsPerCore - sizing.participantsPerCore * 1.2) < 1)
        #expect(sizing.sentence.contains("2,333 such participants"))
    }

    @Test func `without the server's CPU nothing is said about its size`() {
        let report = Report(
            window: Totals(), whole: Totals(), seconds: 1, joinedNow: 1, clientLoad: 0,
            server: ServerFigures())
        #expect(Sizing(report) == nil)
    }
}
