/// A place in a text; both count from 1, columns in characters.
public struct JSONPosition: Hashable, Sendable {
    public var line: Int
    public var column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

/// What was wrong with a text, or with a value that was decoded or encoded.
///
/// Paths look like `params.seats[2].mid`; the empty path is the whole document.
public enum JSONError: Error, Hashable, Sendable {
    // The text.
    /// Longer than the limit, in bytes. It wasn't looked at.
    case tooLarge(bytes: Int, limit: Int)
    /// Arrays and objects nested deeper than the limit; no position when a value was to be written.
    case tooDeep(limit: Int, at: JSONPosition?)
    case invalidUTF8(at: JSONPosition)
    /// A key that its object already has; no position if the two are spelt differently but equivalent in
    /// Unicode.
    case duplicateKey(String, at: JSONPosition?)
    /// U+0000 in a string.
    case nulCharacter(at: JSONPosition)
    /// Something follows the value.
    case trailingContent(at: JSONPosition)
    /// The text ends in mid-value.
    case truncated(at: JSONPosition)
    /// A number that fits neither `Int64` nor `Double`.
    case numberOutOfRange(at: JSONPosition)
    case syntax(String, at: JSONPosition)

    // The value.
    /// A field that nothing asked for; `known` are those of its object that something asks for, by name.
    case unknownField(path: String, known: [String])
    case missingField(path: String)
    case typeMismatch(path: String, expected: String, found: String)
    /// An integer that its type can't hold.
    case integerOutOfRange(path: String, lowest: String, highest: String)
    /// The right type, but not a value it may have.
    case invalidValue(path: String, reason: String)

    // Encoding.
    /// Infinity or not a number.
    case notFinite(path: String)
    /// An integer beyond `Int64`, or a type that refuses to be encoded.
    case notEncodable(path: String, reason: String)
    case outOfMemory

    /// The path of the field that is wrong, if a value was.
    public var path: String? {
        switch self {
        case .unknownField(let path, _), .missingField(let path), .typeMismatch(let path, _, _),
            .integerOutOfRange(let path, _, _), .invalidValue(let path, _), .notFinite(let path),
            .notEncodable(let path, _):
            path
        default: nil
        }
    }

    /// Where the text is wrong, if it is.
    public var position: JSONPosition? {
        switch self {
        case .tooDeep(_, let position), .duplicateKey(_, let position): position
        case .invalidUTF8(let position), .nulCharacter(let position), .trailingContent(let position),
            .truncated(let position), .numberOutOfRange(let position), .syntax(_, let position):
            position
        default: nil
        }
    }
}

extension JSONError: CustomStringConvertible {
    /// One line for a person: what and where.
    public var description: String {
        if let position { return "\(what) at line \(position.line), column \(position.column)" }
        if let path, !path.isEmpty { return "\(path): \(what)" }
        return what
    }

    /// What is wrong, without where: for those who show `path` or `position` apart.
    public var what: String {
        switch self {
        case .tooLarge(let bytes, let limit): "\(bytes) bytes, at most \(limit) are allowed"
        case .tooDeep(let limit, _): "nested deeper than \(limit)"
        case .invalidUTF8: "invalid UTF-8"
        case .duplicateKey(let key, _): "duplicate key \"\(key)\""
        case .nulCharacter: "U+0000 in a string"
        case .trailingContent: "something follows the value"
        case .truncated: "the text ends too early"
        case .numberOutOfRange: "number out of range"
        case .syntax(let text, _): text
        case .unknownField(_, let known):
            "unknown field; known: \(known.isEmpty ? "none" : known.joined(separator: ", "))"
        case .missingField: "missing"
        case .typeMismatch(_, let expected, let found): "expected \(expected), found \(found)"
        case .integerOutOfRange(_, let lowest, let highest): "must be from \(lowest) to \(highest)"
        case .invalidValue(_, let reason), .notEncodable(_, let reason): reason
        case .notFinite: "not a finite number"
        case .outOfMemory: "out of memory"
        }
    }
}
