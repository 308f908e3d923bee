/// The text of a statement. Made from literals and numbers alone, so that no input can become part of it.
struct SQL: Sendable, Hashable, ExpressibleByStringLiteral {
    private(set) var text: String

    init(stringLiteral literal: StaticString) {
        text = literal.description
    }

    private init(text: String) {
        self.text = text
    }

    /// A setting of SQLite's, whose values can't be bound.
    static func pragma(_ name: StaticString, _ value: Int) -> SQL {
        SQL(text: "PRAGMA \(name) = \(value)")
    }

    static func + (left: SQL, right: SQL) -> SQL {
        SQL(text: left.text + right.text)
    }

    static func += (left: inout SQL, right: SQL) {
        left.text += right.text
    }
}

/// A value that is bound to a statement's parameter.
enum SQLValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case text(String)

    static func integer(_ value: Int) -> SQLValue { .integer(Int64(value)) }

    static func optional(_ value: String?) -> SQLValue { value.map { .text($0) } ?? .null }
    static func optional(_ value: Int64?) -> SQLValue { value.map { .integer($0) } ?? .null }
    static func optional(_ value: Int?) -> SQLValue { value.map { .integer($0) } ?? .null }

    static func word(_ value: some RawRepresentable<String>) -> SQLValue { .text(value.rawValue) }
}
