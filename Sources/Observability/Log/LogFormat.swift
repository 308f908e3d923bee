import JSON

/// How log lines look.
public enum LogFormat: String, CaseIterable, Sendable {
    /// `2026-11-30T02:31:46.123Z info message key=value`
    case text
    /// `{"at":"2026-11-30T02:31:46.123Z","level":"info","message":"…","key":"value"}`
    case json

    /// The record as one line, its line feed included. No other control character is in it, whatever the fields hold.
    public func line(_ record: LogRecord) -> [UInt8] {
        switch self {
        case .text: Self.textLine(record)
        case .json: Self.jsonLine(record)
        }
    }

    private static func textLine(_ record: LogRecord) -> [UInt8] {
        var line = "\(Timestamp(milliseconds: record.at)) \(record.level.rawValue) "
        appendEscaped(record.message, to: &line, escapingQuotes: false)
        for (key, value) in record.fields {
            line += " "
            appendEscaped(key, to: &line, escapingQuotes: false)
            line += "="
            append(value, to: &line)
        }
        line += "\n"
        return Array(line.utf8)
    }

    private static func append(_ value: LogValue, to line: inout String) {
        switch value {
        case .integer(let value): line += "\(value)"
        case .number(let value): line += "\(value)"
        case .bool(let value): line += "\(value)"
        case .string(let value) where isPlain(value): line += value
        case .string(let value):
            line += "\""
            appendEscaped(value, to: &line, escapingQuotes: true)
            line += "\""
        }
    }

    /// Whether a value can stand without quotes and still be told from what follows.
    private static func isPlain(_ value: String) -> Bool {
        !value.isEmpty
            && value.utf8.allSatisfy { byte in
                byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "=")
                    && byte != UInt8(ascii: "\\")
            }
    }

    private static func appendEscaped(_ text: String, to line: inout String, escapingQuotes: Bool) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": line += "\\n"
            case "\r": line += "\\r"
            case "\t": line += "\\t"
            case "\"" where escapingQuotes: line += "\\\""
            case "\\" where escapingQuotes: line += "\\\\"
            case _ where isControl(scalar): line += "\\u{\(String(scalar.value, radix: 16))}"
            default: line.unicodeScalars.append(scalar)
            }
        }
    }

    /// What could move a terminal's cursor, reorder a line or end it.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    private static func jsonLine(_ record: LogRecord) -> [UInt8] {
        var object = JSONObject([
            ("at", .string("\(Timestamp(milliseconds: record.at))")),
            ("level", .string(record.level.rawValue)),
            ("message", .string(record.message)),
        ])
        for (key, value) in record.fields {
            // A field never replaces what every line has.
            object[object[key] == nil ? key : key + "_"] = JSONValue(value)
        }
        let text = (try? JSONValue.object(object).text()) ?? Array(#"{"level":"error"}"#.utf8)
        return text + [UInt8(ascii: "\n")]
    }
}
