/// A command's flags, `--name value` or `--name=value`, and what stands without one.
struct Options {
    private var values: [String: String] = [:]
    private var switches: Set<String> = []
    /// What is no flag of the command's own, in order.
    private(set) var rest: [String] = []

    /// - Parameters:
    ///   - valued: flags with a value.
    ///   - switches: flags without one.
    init(_ arguments: [String], valued: Set<String>, switches known: Set<String> = []) throws(CommandError) {
        var left = arguments[...]
        while let argument = left.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts.first.map(String.init) ?? ""
            if known.contains(argument) {
                switches.insert(argument)
            } else if valued.contains(name) {
                // One that begins with -- can be said as --name=--value.
                let value =
                    parts.count > 1 ? String(parts[1]) : left.first.flatMap { $0.hasPrefix("--") ? nil : $0 }
                guard let value else { throw CommandError("\(name) needs a value") }
                if parts.count == 1 { left.removeFirst() }
                values[name] = value
            } else {
                rest.append(argument)
            }
        }
    }

    subscript(name: String) -> String? { values[name] }

    func has(_ name: String) -> Bool { switches.contains(name) }

    func required(_ name: String) throws(CommandError) -> String {
        guard let value = values[name] else { throw CommandError("\(name) is missing") }
        return value
    }

    /// A whole number in a range; nil if the flag isn't there.
    func integer(_ name: String, in range: ClosedRange<Int64>) throws(CommandError) -> Int64? {
        guard let text = values[name] else { return nil }
        guard let number = Int64(text), range.contains(number) else {
            throw CommandError("\(name) must be from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
