/// What the values of a metric mean.
public enum MetricKind: String, Sendable {
    /// Only rises; its name ends in `_total`.
    case counter
    case gauge
    case histogram
}

/// The labels of a sample, in the order in which they are shown.
public typealias MetricLabels = KeyValuePairs<String, String>

/// One value that is read when the page is asked for, instead of being kept up to date.
public struct MetricSample: Sendable {
    /// `[a-zA-Z_:][a-zA-Z0-9_:]*`; samples of one name stand together.
    public var name: String
    /// For a person; that of a name's first sample counts.
    public var help: String
    public var kind: MetricKind
    public var labels: [(name: String, value: String)]
    public var value: Double

    /// A number that only rises.
    public static func counter(
        _ name: String, help: String, labels: MetricLabels = [:], _ value: some BinaryInteger
    ) -> MetricSample {
        MetricSample(name: name, help: help, kind: .counter, labels: pairs(labels), value: Double(value))
    }

    /// A number that rises and falls.
    public static func gauge(
        _ name: String, help: String, labels: MetricLabels = [:], _ value: Double
    ) -> MetricSample {
        MetricSample(name: name, help: help, kind: .gauge, labels: pairs(labels), value: value)
    }

    static func pairs(_ labels: MetricLabels) -> [(name: String, value: String)] {
        labels.map { (name: $0.key, value: $0.value) }
    }
}
