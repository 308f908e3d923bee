/// What a metric's value is read from.
enum Instrument: Sendable {
    case counter(Counter)
    case gauge(Gauge)
    case histogram(Histogram)
    case plain(Double)
}

/// All samples of one name.
struct MetricFamily: Sendable {
    let kind: MetricKind
    let help: String
    /// In order of their making; labels as text, without braces.
    private var samples: [(labels: String, instrument: Instrument)] = []
    private var places: [String: Int] = [:]

    init(kind: MetricKind, help: String) {
        self.kind = kind
        self.help = help
    }

    mutating func instrument(labels: String, make: () -> Instrument) -> Instrument {
        if let place = places[labels] { return samples[place].instrument }
        let instrument = make()
        places[labels] = samples.count
        samples.append((labels, instrument))
        return instrument
    }

    mutating func add(_ sample: MetricSample) {
        guard sample.kind == kind else { return }
        _ = instrument(labels: MetricText.labels(sample.labels)) { .plain(sample.value) }
    }

    func text(name: String) -> String {
        var text =
            "# HELP \(name) \(MetricText.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
        for (labels, instrument) in samples {
            switch instrument {
            case .counter(let counter): text += MetricText.line(name, labels, "\(counter.value)")
            case .gauge(let gauge): text += MetricText.line(name, labels, MetricText.number(gauge.value))
            case .plain(let value): text += MetricText.line(name, labels, MetricText.number(value))
            case .histogram(let histogram): text += Self.text(of: histogram, name: name, labels: labels)
            }
        }
        return text
    }

    private static func text(of histogram: Histogram, name: String, labels: String) -> String {
        let (cumulative, sum) = histogram.snapshot
        let prefix = labels.isEmpty ? "" : labels + ","
        var text = ""
        for (bound, count) in zip(histogram.bounds + [.infinity], cumulative) {
            text += MetricText.line(
                name + "_bucket", "\(prefix)le=\"\(MetricText.number(bound))\"", "\(count)")
        }
        text += MetricText.line(name + "_sum", labels, MetricText.number(sum))
        text += MetricText.line(name + "_count", labels, "\(cumulative.last ?? 0)")
        return text
    }
}

/// The words of Prometheus' text format.
enum MetricText {
    static func line(_ name: String, _ labels: String, _ value: String) -> String {
        labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    /// `a="1",b="2"`
    static func labels(_ labels: [(name: String, value: String)]) -> String {
        labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }.joined(separator: ",")
    }

    static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        // Whole numbers that a Double holds exactly, without the fraction that its description has.
        if value.magnitude < 0x1p53, let whole = Int64(exactly: value) { return "\(whole)" }
        return "\(value)"
    }
}
