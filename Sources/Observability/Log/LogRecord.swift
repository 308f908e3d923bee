public import JSON

/// The value of a field of a log line.
public enum LogValue: Hashable, Sendable {
    case string(String)
    case integer(Int64)
    case number(Double)
    case bool(Bool)

    /// An integer; one beyond `Int64` becomes text.
    public init(_ value: some BinaryInteger) {
        self = Int64(exactly: value).map(LogValue.integer) ?? .string("\(value)")
    }

    /// Anything else, by its description.
    public init(_ value: some CustomStringConvertible) {
        self = .string(value.description)
    }
}

extension LogValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

/// One log line before it is text.
public struct LogRecord: Sendable, Equatable {
    /// Milliseconds since 1970 UTC.
    public var at: Int64
    public var level: LogLevel
    public var message: String
    /// In the order in which they are shown.
    public var fields: [(key: String, value: LogValue)]

    public init(at: Int64, level: LogLevel, message: String, fields: [(key: String, value: LogValue)] = []) {
        self.at = at
        self.level = level
        self.message = message
        self.fields = fields
    }

    /// The value of the first field of this name.
    public subscript(key: String) -> LogValue? {
        fields.first { $0.key == key }?.value
    }

    public static func == (left: LogRecord, right: LogRecord) -> Bool {
        left.at == right.at && left.level == right.level && left.message == right.message
            && left.fields.elementsEqual(right.fields) { $0 == $1 }
    }
}

extension JSONValue {
    /// A field's value in a JSON line; a number that isn't finite becomes text.
    public init(_ value: LogValue) {
        switch value {
        case .string(let value): self = .string(value)
        case .integer(let value): self = .integer(value)
        case .number(let value): self = value.isFinite ? .number(value) : .string("\(value)")
        case .bool(let value): self = .bool(value)
        }
    }
}
