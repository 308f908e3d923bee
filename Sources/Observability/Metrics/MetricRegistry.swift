import Synchronization

/// All metrics of a server, and the page that shows them.
public final class MetricRegistry: Sendable {
    /// Gives values that nothing counts while nobody looks, such as the workers' statistics.
    public typealias Collector = @Sendable () async -> [MetricSample]

    private struct State {
        var families: [String: MetricFamily] = [:]
        var collectors: [Collector] = []
    }

    private let state = Mutex(State())

    public init() {}

    /// The counter of this name and labels, made at the first call. The name ends in `_total`.
    ///
    /// A name has one kind and one help text, those of its first use. Names and label names must be valid for
    /// Prometheus: both are invariants of the program, not input.
    public func counter(_ name: String, help: String, labels: MetricLabels = [:]) -> Counter {
        let made = instrument(name, help: help, kind: .counter, labels: labels) { .counter(Counter()) }
        guard case .counter(let counter) = made else { preconditionFailure("\(name) is no counter") }
        return counter
    }

    /// The gauge of this name and labels, made at the first call; rules as for `counter`.
    public func gauge(_ name: String, help: String, labels: MetricLabels = [:]) -> Gauge {
        let made = instrument(name, help: help, kind: .gauge, labels: labels) { .gauge(Gauge()) }
        guard case .gauge(let gauge) = made else { preconditionFailure("\(name) is no gauge") }
        return gauge
    }

    /// The histogram of this name and labels, made with these bounds at the first call; rules as for `counter`.
    public func histogram(
        _ name: String, help: String, bounds: [Double], labels: MetricLabels = [:]
    ) -> Histogram {
        let made = instrument(name, help: help, kind: .histogram, labels: labels) {
            .histogram(Histogram(bounds: bounds))
        }
        guard case .histogram(let histogram) = made else { preconditionFailure("\(name) is no histogram") }
        return histogram
    }

    /// Adds values that are asked for whenever the page is.
    public func collect(_ collector: @escaping Collector) {
        state.withLock { $0.collectors.append(collector) }
    }

    /// The page in Prometheus' text format, version 0.0.4, sorted by name.
    ///
    /// Collected samples with an invalid name, of another kind than their name has, or there already are left out.
    public func page() async -> String {
        var (families, collectors) = state.withLock { ($0.families, $0.collectors) }
        for collector in collectors {
            for sample in await collector() where MetricName.isValid(sample) {
                families[
                    sample.name, default: MetricFamily(kind: sample.kind, help: sample.help)
                ].add(sample)
            }
        }
        return families.sorted { $0.key < $1.key }.map { $0.value.text(name: $0.key) }.joined()
    }

    /// The page's media type.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private func instrument(
        _ name: String, help: String, kind: MetricKind, labels: MetricLabels, make: () -> Instrument
    ) -> Instrument {
        let pairs = MetricSample.pairs(labels)
        precondition(
            MetricName.isValid(name) && pairs.allSatisfy { MetricName.isValidLabel($0.name) },
            "invalid metric \(name)")
        return state.withLock { state in
            state.families[name, default: MetricFamily(kind: kind, help: help)]
                .instrument(labels: MetricText.labels(pairs), make: make)
        }
    }
}

/// Which names Prometheus accepts.
enum MetricName {
    static func isValid(_ name: String) -> Bool {
        isWord(name, also: [UInt8(ascii: "_"), UInt8(ascii: ":")])
    }

    static func isValidLabel(_ name: String) -> Bool {
        isWord(name, also: [UInt8(ascii: "_")]) && !name.hasPrefix("__")
    }

    /// A histogram's samples belong to buckets: a plain value can't be one.
    static func isValid(_ sample: MetricSample) -> Bool {
        isValid(sample.name) && sample.kind != .histogram
            && sample.labels.allSatisfy { isValidLabel($0.name) }
    }

    private static func isWord(_ name: String, also: [UInt8]) -> Bool {
        guard let first = name.utf8.first, !isDigit(first) else { return false }
        return name.utf8.allSatisfy { isDigit($0) || isLetter($0) || also.contains($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
