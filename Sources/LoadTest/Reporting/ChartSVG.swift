/// A line chart over time as SVG, for a page without scripts.
struct ChartSVG {
    struct Line {
        var label: String
        /// A CSS class, which gives the colour.
        var style: String
        /// Nil: a gap.
        var values: [Double?]

        var isEmpty: Bool { values.allSatisfy { $0 == nil } }
    }

    var title: String
    var unit: String
    /// Seconds, one for each value.
    var times: [Double]
    /// What figures are of, in seconds; what lies outside is dimmed.
    var measured: ClosedRange<Double>?
    var lines: [Line]

    private static let (width, height) = (360.0, 150.0)
    private static let (left, right, top, bottom) = (40.0, 8.0, 8.0, 20.0)

    var text: String {
        let lines = lines.filter { !$0.isEmpty }
        let most = Self.roundUp(lines.flatMap { $0.values.compactMap { $0 } }.max() ?? 0)
        var svg =
            "<figure><figcaption><b>\(title)</b>\(unit.isEmpty ? "" : " " + unit)\(legend(lines))</figcaption>"
        svg +=
            "<svg viewBox=\"0 0 \(Int(Self.width)) \(Int(Self.height))\" role=\"img\" aria-label=\"\(title)\">"
        svg += shade
        for step in 0...4 {
            let value = most * Double(step) / 4
            let y = place(value, most)
            svg +=
                "<line class=\"grid\" x1=\"\(Self.left)\" x2=\"\(Self.width - Self.right)\" y1=\"\(y)\" y2=\"\(y)\"/>"
            svg +=
                "<text x=\"\(Self.left - 6)\" y=\"\(y + 3.5)\" text-anchor=\"end\">\(Self.short(value, upTo: most))</text>"
        }
        for mark in marks {
            let x = Self.coordinate(place(time: mark))
            svg +=
                "<text x=\"\(x)\" y=\"\(Self.height - 4)\" text-anchor=\"middle\">\(Self.short(mark, upTo: mark)) s</text>"
        }
        for line in lines { svg += path(line, most) }
        return svg + "</svg></figure>"
    }

    /// One line needs none.
    private func legend(_ lines: [Line]) -> String {
        guard lines.count > 1 else { return "" }
        return "<span>" + lines.map { "<i class=\"\($0.style)\"></i>\($0.label)" }.joined(separator: " ")
            + "</span>"
    }

    /// Over what isn't measured.
    private var shade: String {
        guard let measured, let first = times.first, let last = times.last, last > first else { return "" }
        let spans = [(first, measured.lowerBound), (measured.upperBound, last)]
        return spans.filter { $0.0 < $0.1 }.map { from, to in
            let (x, end) = (place(time: max(first, from)), place(time: min(last, to)))
            return "<rect class=\"shade\" x=\"\(Self.coordinate(x))\" y=\"\(Self.top)\""
                + " width=\"\(Self.coordinate(end - x))\" height=\"\(Self.height - Self.top - Self.bottom)\"/>"
        }.joined()
    }

    private func path(_ line: Line, _ most: Double) -> String {
        var path = ""
        var isDrawing = false
        for (time, value) in zip(times, line.values) {
            guard let value else {
                isDrawing = false
                continue
            }
            path +=
                "\(isDrawing ? "L" : "M")\(Self.coordinate(place(time: time))) \(Self.coordinate(place(value, most)))"
            isDrawing = true
        }
        let shape = "<path class=\"\(line.style)\" d=\"\(path)\"/>"
        // What is beneath a line without gaps is tinted.
        guard !path.isEmpty, line.values.allSatisfy({ $0 != nil }), let first = times.first,
            let last = times.last
        else { return shape }
        let ground = Self.coordinate(place(0, most))
        let area =
            "\(path)L\(Self.coordinate(place(time: last))) \(ground)L\(Self.coordinate(place(time: first))) \(ground)Z"
        return "<path class=\"fill \(line.style)\" d=\"\(area)\"/>" + shape
    }

    /// Round seconds, about five of them.
    private var marks: [Double] {
        guard let first = times.first, let last = times.last, last > first else { return [] }
        let step = [1.0, 2, 5, 10, 20, 30, 60, 120, 300, 600].first { (last - first) / $0 <= 6 } ?? 3_600
        var mark = (first / step).rounded(.up) * step
        var marks: [Double] = []
        while mark <= last {
            marks.append(mark)
            mark += step
        }
        return marks
    }

    private func place(time: Double) -> Double {
        guard let first = times.first, let last = times.last, last > first else { return Self.left }
        return Self.left + (time - first) / (last - first) * (Self.width - Self.left - Self.right)
    }

    private func place(_ value: Double, _ most: Double) -> Double {
        Self.height - Self.bottom - value / most * (Self.height - Self.top - Self.bottom)
    }

    /// The next of 1, 2, 4, 5 and 8 times a power of ten; never 0.
    private static func roundUp(_ value: Double) -> Double {
        guard value > 0 else { return 1 }
        var power = 1.0
        while power * 10 <= value { power *= 10 }
        while power > value { power /= 10 }
        for factor in [1.0, 2, 4, 5, 8, 10] where factor * power >= value { return factor * power }
        return power * 10
    }

    /// In thousands if the axis goes up to many of them.
    private static func short(_ value: Double, upTo most: Double) -> String {
        if most >= 10_000, value > 0 {
            let thousands = value / 1_000
            return Decimals.text(thousands, thousands == thousands.rounded() ? 0 : 1) + "k"
        }
        return Decimals.text(value, value >= 100 || value == value.rounded() ? 0 : value >= 1 ? 1 : 2)
    }

    private static func coordinate(_ value: Double) -> String {
        Decimals.text(value, 1)
    }
}
