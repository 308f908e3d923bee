/// The report as one page that needs nothing else: figures that matter first, then how things went, then all figures.
public struct ReportPage {
    private let report: Report
    private let series: TimeSeries
    private let title: String
    private let subtitle: String
    private let failures: [String]
    private let isExpected: Bool

    /// - Parameters:
    ///   - failures: expectations that weren't met.
    ///   - isExpected: whether there were any expectations.
    public init(
        _ report: Report, _ series: TimeSeries, title: String, subtitle: String, failures: [String],
        isExpected: Bool = false
    ) {
        self.report = report
        self.series = series
        self.title = title
        self.subtitle = subtitle
        self.failures = failures
        self.isExpected = isExpected
    }

    public var html: String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <title>\(escape(title))</title><style>\(ReportStyle.text)</style></head><body>
        <header><h1>\(escape(title))</h1><p>\(escape(subtitle))</p>\(verdict)</header>
        <section class="cards">\(cards)</section>
        \(sizing)
        <section class="charts">\(charts)</section>
        <section><h2>All figures</h2><div class="groups">\(groups)\(errors)</div></section>
        </body></html>

        """
    }

    private var verdict: String {
        guard !failures.isEmpty else {
            return isExpected ? "<p class=\"verdict good\">Everything was as expected.</p>" : ""
        }
        return "<p class=\"verdict bad\">Not as expected:</p><ul class=\"bad\">"
            + failures.map { "<li>\(escape($0))</li>" }.joined() + "</ul>"
    }

    private var cards: String {
        let wanted = [
            ("participants", "participants"), ("receivedPacketRate", "packets received"),
            ("receivedMegabits", "received"), ("loss", "lost"), ("p50Delay", "delay, median"),
            ("p99Delay", "delay, 99 %"), ("p95Join", "join, 95 %"), ("freezes", "freezes"),
            ("serverCpu", "server, of a core"), ("serverCpuPerPacket", "server, a packet"),
        ]
        return wanted.compactMap { name, label in
            report.figures.first { $0.name == name }.map {
                "<div><b>\(escape($0.text))</b><span>\(label)</span></div>"
            }
        }.joined()
    }

    private var charts: String {
        let rows = series.rows
        func chart(
            _ title: String, _ unit: String, _ lines: [(String, String, (TimeSeries.Row) -> Double?)]
        ) -> String {
            ChartSVG(
                title: title, unit: unit, times: rows.map(\.seconds),
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
            "Lost, and freezes", "",
            [("% for good", "b", { $0.lossPercent }), ("freezes a second", "a", { Double($0.freezes) })])
        result += chart("Received", "Mbit/s", [("by all", "a", { $0.receivedMegabits })])
        result += chart(
            "Of a core", "%",
            [
                ("server", "a", { $0.serverCPUPercent }),
                ("busiest thread of this tool", "b", { $0.clientLoadPercent }),
            ])
        return result
    }

    private var sizing: String {
        guard let sizing = Sizing(report) else { return "" }
        return "<p class=\"sizing\">\(escape(sizing.sentence))</p>"
    }

    private var groups: String {
        Report.Group.allCases.map { group in
            let rows = report.figures.filter { $0.group == group }.map {
                "<tr title=\"\($0.name)\"><td>\(escape($0.label))</td><td>\(escape($0.text))</td></tr>"
            }
            guard !rows.isEmpty else { return "" }
            return "<div><h3>\(group.rawValue)</h3><table>\(rows.joined(separator: "\n"))</table></div>"
        }.joined(separator: "\n")
    }

    private var errors: String {
        guard !report.errors.isEmpty else { return "" }
        let rows = report.errors.sorted { $0.key < $1.key }.map {
            "<tr><td>\(escape($0.key))</td><td>\($0.value)</td></tr>"
        }
        return "<div><h3>Refusals and failures</h3><table>\(rows.joined())</table></div>"
    }

    private func escape(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return result
    }
}
