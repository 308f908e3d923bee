import JSON
import Observability

/// What commands print.
enum Terminal {
    /// A table with aligned columns.
    static func table(_ head: [String], _ rows: [[String]]) {
        let all = [head] + rows.map { $0.map(safe) }
        let widths = head.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        for row in all {
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            var line = cells.joined(separator: "  ")
            while line.hasSuffix(" ") { line.removeLast() }
            Output.line(line)
        }
    }

    /// A value a line, with its name before it; those without a value are left out.
    static func facts(_ facts: [(name: String, value: String?)]) {
        let width = facts.map(\.name.count).max() ?? 0
        for (name, value) in facts {
            guard let value else { continue }
            Output.line(name + String(repeating: " ", count: width - name.count + 2) + safe(value))
        }
    }

    static func json(_ value: JSONValue) {
        Output.line((try? value.text()).map { String(decoding: $0, as: UTF8.self) } ?? "")
    }

    /// Without what would steer the terminal: names come from anybody.
    static func safe(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: result += "?"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension JSONValue {
    /// The member as text for people: empty if it is absent.
    func shown(_ name: String) -> String {
        switch self[name] {
        case .string(let text): text
        case .integer(let number): String(number)
        case .bool(let flag): flag ? "yes" : "no"
        case .number(let number): String(number)
        default: ""
        }
    }

    /// The member as a time, to the second.
    func time(_ name: String) -> String {
        guard let milliseconds = self[name]?.integerValue, milliseconds > 0 else { return "" }
        return Timestamp(milliseconds: milliseconds / 1_000 * 1_000).description.replacing(".000Z", with: "Z")
    }
}
