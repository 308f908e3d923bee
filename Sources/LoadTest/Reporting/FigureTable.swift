import HTML

/// The figures of a group as tables: those that are one number each, and percentiles, a row for all of one kind.
struct FigureTable {
    private let figures: [Report.Figure]
    /// Names of figures that weren't as expected.
    private let broken: Set<String>

    private static let percentiles = ["p50", "p95", "p99", "p99.9"]

    init(_ figures: [Report.Figure], broken: Set<String>) {
        self.figures = figures
        self.broken = broken
    }

    /// Empty without figures.
    var html: String { singles + spreads }

    private var singles: String {
        let rows = figures.filter { Self.percentile(of: $0) == nil }.map { figure in
            "<tr\(mark([figure.name])) title=\"\(figure.name)\"><td>\(HTML.escape(figure.label))</td>"
                + "<td>\(HTML.escape(figure.text))</td></tr>"
        }
        return rows.isEmpty ? "" : "<table>\(rows.joined(separator: "\n"))</table>"
    }

    private var spreads: String {
        var kinds: [String] = []
        var values: [String: [String: Report.Figure]] = [:]
        for figure in figures {
            guard let percentile = Self.percentile(of: figure) else { continue }
            let kind = String(figure.label.dropLast(percentile.count + 2))
            if values[kind] == nil { kinds.append(kind) }
            values[kind, default: [:]][percentile] = figure
        }
        guard !kinds.isEmpty else { return "" }
        let columns = Self.percentiles.filter { name in values.values.contains { $0[name] != nil } }
        let head = columns.map { "<th>\($0)</th>" }.joined()
        let rows = kinds.map { kind in
            let cells = columns.map { column -> String in
                guard let figure = values[kind]?[column] else { return "<td></td>" }
                return "<td\(mark([figure.name])) title=\"\(figure.name)\">\(Self.short(figure.value))</td>"
            }
            return "<tr><td>\(HTML.escape(kind))</td>\(cells.joined())</tr>"
        }
        return
            "<table class=\"spread\"><tr><th>milliseconds</th>\(head)</tr>\(rows.joined(separator: "\n"))</table>"
    }

    private func mark(_ names: [String]) -> String {
        names.contains(where: broken.contains) ? " class=\"bad\"" : ""
    }

    /// `p95`, if the figure is that percentile of something.
    private static func percentile(of figure: Report.Figure) -> String? {
        percentiles.first { figure.label.hasSuffix(", \($0)") }
    }

    private static func short(_ milliseconds: Double) -> String {
        Decimals.text(milliseconds, milliseconds < 10 ? 2 : milliseconds < 100 ? 1 : 0)
    }
}
