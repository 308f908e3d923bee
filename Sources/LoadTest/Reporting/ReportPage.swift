/// The report as one page that needs nothing else: figures that matter first, then how things went, then all figures.
public struct ReportPage {
    private let report: Report
    private let series: TimeSeries
    private let title: String
    private let subtitle: String
    private let failures: [String]

    public init(_ report: Report, _ series: TimeSeries, title: String, subtitle: String, failures: [String]) {
        self.report = report
        self.series = series
        self.title = title
        self.subtitle = subtitle
        self.failures = failures
    }

    public var html: String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <title>\(escape(title))</title><style>\(Self.style)</style></head><body>
        <header><h1>\(escape(title))</h1><p>\(escape(subtitle))</p>\(verdict)</header>
        <section class="cards">\(cards)</section>
        <section class="charts">\(charts)</section>
        <section><h2>All figures</h2><table>\(table)</table></section>
        \(errors)
        </body></html>

        """
    }

    private var verdict: String {
        guard !failures.isEmpty else { return "" }
        return "<ul class=\"bad\">" + failures.map { "<li>\(escape($0))</li>" }.joined() + "</ul>"
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
        result += chart("Lost", "%", [("for good", "b", { $0.lossPercent })])
        result += chart("Received", "Mbit/s", [("by all", "a", { $0.receivedMegabits })])
        result += chart(
            "Of a core", "%",
            [
                ("server", "a", { $0.serverCPUPercent }),
                ("busiest thread of this tool", "b", { $0.clientLoadPercent }),
            ])
        return result
    }

    private var table: String {
        report.figures.map {
            "<tr><td>\(escape($0.label))</td><td>\(escape($0.text))</td><td><code>\($0.name)</code></td></tr>"
        }.joined(separator: "\n")
    }

    private var errors: String {
        guard !report.errors.isEmpty else { return "" }
        let rows = report.errors.sorted { $0.key < $1.key }.map {
            "<tr><td>\(escape($0.key))</td><td>\($0.value)</td></tr>"
        }
        return "<section><h2>Refusals and failures</h2><table>\(rows.joined())</table></section>"
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

    private static let style = """
        :root { --ink: #1d2430; --soft: #667085; --line: #e4e7ec; --page: #f7f8fa; --card: #fff;
          --a: #2563eb; --b: #e2711d; --bad: #b42318 }
        @media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #98a2b3; --line: #303846;
          --page: #14181f; --card: #1c222c; --a: #6ea8fe; --b: #f4a259; --bad: #f97066 } }
        body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
          max-width: 1200px; margin: 0 auto; padding: 28px 24px 60px }
        h1 { font-size: 26px; margin: 0 } h2 { font-size: 18px; margin: 36px 0 10px }
        header p { color: var(--soft); margin: 4px 0 18px }
        .bad { color: var(--bad); padding-left: 20px }
        .cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 12px }
        .cards div, figure { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 14px }
        .cards b { display: block; font-size: 17px; font-variant-numeric: tabular-nums; white-space: nowrap }
        .cards span { color: var(--soft); font-size: 13px }
        .charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(440px, 1fr)); gap: 12px; margin-top: 12px }
        figure { margin: 0 } figcaption { font-weight: 600 }
        figcaption span { font-weight: 400; color: var(--soft); font-size: 13px; float: right }
        figcaption i { display: inline-block; width: 14px; height: 3px; margin: 0 5px 3px 10px; border-radius: 2px }
        i.a { background: var(--a) } i.b { background: var(--b) }
        svg { width: 100%; height: auto; display: block } svg text { font-size: 11px; fill: var(--soft) }
        .grid { stroke: var(--line) } path { fill: none; stroke-width: 2; stroke-linejoin: round }
        path.a { stroke: var(--a) } path.b { stroke: var(--b) }
        table { border-collapse: collapse; width: 100%; background: var(--card); border: 1px solid var(--line) }
        td { padding: 5px 12px; border-top: 1px solid var(--line) }
        td:nth-child(2) { text-align: right; font-variant-numeric: tabular-nums }
        code { color: var(--soft) }
        """
}
