/// What a figure must be: `p99Delay<20ms`. Several are separated by commas, and all must hold.
public struct Expectation: Sendable, Equatable {
    public enum Relation: String, Sendable, CaseIterable {
        // Longer ones first, for they begin with the shorter ones.
        case atMost = "<="
        case atLeast = ">="
        case equal = "="
        case below = "<"
        case above = ">"
    }

    public var figure: String
    public var relation: Relation
    /// In the figure's own unit.
    public var bound: Double
    /// As it was written.
    public var text: String

    /// Reads `p99Delay<20ms,loss<0.1%`.
    ///
    /// Units may be left out: times are in ms, `s` and `us` are converted.
    public static func parse(_ text: String) throws(LoadError) -> [Expectation] {
        var result: [Expectation] = []
        for part in text.split(separator: ",") { result.append(try one(String(part.filter { $0 != " " }))) }
        return result
    }

    private static func one(_ text: String) throws(LoadError) -> Expectation {
        guard let start = text.firstIndex(where: { "<>=".contains($0) }) else {
            throw .invalid("expectation \(text): no <, <=, =, >= or >")
        }
        let rest = text[start...]
        guard let relation = Relation.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
            throw .invalid("expectation \(text): no <, <=, =, >= or >")
        }
        let value = rest.dropFirst(relation.rawValue.count)
        let number = value.prefix { $0.isNumber || $0 == "." || $0 == "-" }
        guard let bound = Double(number) else { throw .invalid("expectation \(text): \(value) is no number") }
        let factor: Double
        switch value.dropFirst(number.count) {
        case "", "ms", "%": factor = 1
        case "us", "µs": factor = 0.001
        case "s": factor = 1_000
        case let unit: throw .invalid("expectation \(text): \(unit) is no unit (us, ms, s, %)")
        }
        let name = String(text[..<start])
        guard !name.isEmpty else { throw .invalid("expectation \(text): which figure?") }
        // A figure that is in seconds isn't converted.
        let scale = name.hasSuffix("Seconds") && factor == 1_000 ? 1 : factor
        return Expectation(figure: name, relation: relation, bound: bound * scale, text: text)
    }

    /// Nil if the report meets it, else the figure that doesn't.
    public func failure(in report: Report) -> String? {
        guard let figure = report.figures.first(where: { $0.name == self.figure }) else {
            return "\(text): there was nothing to measure it by"
        }
        let holds =
            switch relation {
            case .below: figure.value < bound
            case .atMost: figure.value <= bound
            case .equal: figure.value == bound
            case .atLeast: figure.value >= bound
            case .above: figure.value > bound
            }
        return holds ? nil : "\(text): it was \(figure.text)"
    }
}
