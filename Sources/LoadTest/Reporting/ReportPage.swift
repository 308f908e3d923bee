import HTML

/// The report as one page that needs nothing else: figures that matter first, then how things went, then all figures.
public struct ReportPage {
    private let report: Report
    private let series: TimeSeries
    private let title: String
    private let subtitle: String
    private let details: String
    private let failures: [String]
    private let isExpected: Bool

    /// - Parameters:
    ///   - details: where and when it was measured.
    ///   - failures: expectations that weren't met, each beginning with the figure's name.
    ///   - isExpected: whether there were any expectations.
    public init(
        _ report: Report, _ series: TimeSeries, title: String, subtitle: String, details: String = "",
        failures: [String], isExpected: Bool = false
    ) {
        self.report = report
        self.series = series
        self.title = title
        self.subtitle = subtitle
        self.details = details
        self.failures = failures
        self.isExpected = isExpected
    }

    public var html: String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <title>\(HTML.escape(title))</title><style>\(ReportStyle.text)</style></head><body>
        <header><h1>\(HTML.escape(title))</h1><p>\(HTML.escape(subtitle))</p><p class="details">\(HTML.escape(details))</p>
        \(verdict)</header>
        \(cards)
        \(sizing)
        <section class="charts">\(charts)</section>
        \(shadeNote)
        <section><h2>All figures</h2><div class="groups">\(groups)\(errors)</div></section>
        </body></html>

        """
    }

    private var verdict: String {
        guard !failures.isEmpty else {
            return isExpected ? "<p class=\"verdict good\">Everything was as expected</p>" : ""
        }
        return "<p class=\"verdict bad\">Not as expected</p><ul class=\"bad\">"
            + failures.map { "<li>\(HTML.escape($0))</li>" }.joined() + "</ul>"
    }

    /// Names of the figures that weren't as expected.
    private var broken: Set<String> { Set(failures.map { String($0.prefix { !"<>=".contains($0) }) }) }

    private var cards: String {
        let wanted = [
            ("participants", "participants"), ("receivedPacketRate", "packets received"),
            ("receivedMegabits", "received"), ("loss", "lost"), ("p50Delay", "delay, median"),
            ("p99Delay", "delay, 99 %"), ("p95Join", "join, 95 %"), ("freezes", "freezes"),
            ("serverCpu", "server, of a core"), ("serverCpuPerPacket", "server, a packet"),
        ]
        let broken = broken
        let cards = wanted.compactMap { name, label in
            report.figures.first { $0.name == name }.map {
                "<div\(broken.contains(name) ? " class=\"bad\"" : "")><b>\(HTML.escape($0.text))</b><span>\(label)</span></div>"
            }
        }
        // Two rows, as wide as the page.
        return
            "<section class=\"cards\" style=\"--columns: \((cards.count + 1) / 2)\">\(cards.joined())</section>"
    }

    private var charts: String {
        let rows = series.rows
        func chart(
            _ title: String, _ unit: String, _ lines: [(String, String, (TimeSeries.Row) -> Double?)]
        ) -> String {
            ChartSVG(
                title: title, unit: unit, times: rows.map(\.seconds), measured: series.measured,
                lines: lines.map { label, style, value in
                    ChartSVG.Line(label: label, style: style, values: rows.map(value))
                }
            ).text
        }
        var result = chart("Participants", "", [("connected", "a", { Double($0.participants) })])
        result += chart(
            "Packets", "/s", [("received", "a", { $0.receivedRate }), ("sent", "b", { $0.sentRate })])
        result += chart("Delay", "ms", [("median", "a", { $0.delayP50 }), ("99 %", "b", { $0.delayP99 })])
        result += chart(
            "Faults", "",
            [("lost, %", "b", { $0.lossPercent }), ("freezes a second", "a", { Double($0.freezes) })])
        result += chart("Received", "Mbit/s", [("by all", "a", { $0.receivedMegabits })])
        result += chart(
            "CPU", "% of a core",
            [
                ("server", "a", { $0.serverCPUPercent }),
                ("this tool's busiest thread", "b", { $0.clientLoadPercent }),
            ])
        return result
    }

    private var shadeNote: String {
        series.measured == nil || series.rows.isEmpty
            ? "" : "<p class=\"note\">Shaded: joining and settling, which isn't measured.</p>"
    }

    private var sizing: String {
        guard let sizing = Sizing(report) else { return "" }
        return "<p class=\"sizing\">\(HTML.escape(sizing.sentence))</p>"
    }

    private var groups: String {
        let broken = broken
        return Report.Group.allCases.map { group in
            let table = FigureTable(report.figures.filter { $0.group == group }, broken: broken).html
            return table.isEmpty ? "" : "<div><h3>\(group.rawValue)</h3>\(table)</div>"
        }.joined(separator: "\n")
    }

    private var errors: String {
        guard !report.errors.isEmpty else { return "" }
        let rows = report.errors.sorted { $0.key < $1.key }.map {
            "<tr><td>\(HTML.escape($0.key))</td><td>\($0.value)</td></tr>"
        }
        return "<div><h3>Refusals and failures</h3><table>\(rows.joined())</table></div>"
    }
}
