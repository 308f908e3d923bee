/// Strict JSON: text to `JSONValue` and back, and `Codable` types from and to both.
///
/// Everything here may be called from any thread.
public enum JSON {
    /// What to do with fields that a decoded type never asks for.
    public enum UnknownFields: Sendable {
        /// The first one is an error that names its path.
        case refuse
        /// They are skipped.
        case ignore
    }

    /// Bounds of what is parsed.
    public struct Limits: Sendable {
        /// Largest text, in bytes.
        public var bytes: Int
        /// Deepest nesting of arrays and objects, at most 512.
        public var depth: Int

        /// What a request body or a socket message may have: 256 KiB, 32 deep.
        public static let message = Limits()

        public init(bytes: Int = 256 * 1024, depth: Int = 32) {
            self.bytes = bytes
            self.depth = min(depth, JSON.greatestDepth)
        }
    }

    /// The nesting that nothing may exceed, read or written: parts of this module recurse.
    static let greatestDepth = 512

    /// Parses one JSON text (RFC 8259): any value at the top, nothing but white space behind it.
    ///
    /// Refused: duplicate keys, invalid UTF-8, `\u0000` in strings, numbers that fit neither `Int64` nor
    /// `Double`.
    public static func parse(
        _ text: Span<UInt8>, limits: Limits = .message
    ) throws(JSONError) -> JSONValue {
        try JSONParser.parse(text, limits: limits)
    }

    /// As `parse(_: Span<UInt8>)`.
    ///
    /// - Parameter allowsNUL: whether strings may have `\u0000`, names of fields apart: for those who want to know what it
    ///   is that they refuse.
    public static func parse(
        _ text: [UInt8], limits: Limits = .message, allowsNUL: Bool = false
    ) throws(JSONError) -> JSONValue {
        try JSONParser.parse(text.span, limits: limits, allowsNUL: allowsNUL)
    }

    /// As `parse(_: Span<UInt8>)`.
    public static func parse(
        _ text: String, limits: Limits = .message
    ) throws(JSONError) -> JSONValue {
        try JSONParser.parse(Array(text.utf8).span, limits: limits)
    }

    /// Parses a text and decodes it.
    public static func decode<T: Decodable>(
        _ type: T.Type, from text: Span<UInt8>, unknownFields: UnknownFields = .refuse,
        limits: Limits = .message
    ) throws(JSONError) -> T {
        try decode(type, from: parse(text, limits: limits), unknownFields: unknownFields)
    }

    /// Parses a text and decodes it.
    public static func decode<T: Decodable>(
        _ type: T.Type, from text: [UInt8], unknownFields: UnknownFields = .refuse,
        limits: Limits = .message
    ) throws(JSONError) -> T {
        try decode(type, from: parse(text, limits: limits), unknownFields: unknownFields)
    }

    /// Parses a text and decodes it.
    public static func decode<T: Decodable>(
        _ type: T.Type, from text: String, unknownFields: UnknownFields = .refuse,
        limits: Limits = .message
    ) throws(JSONError) -> T {
        try decode(type, from: parse(text, limits: limits), unknownFields: unknownFields)
    }

    /// Decodes a value that was parsed before.
    ///
    /// `path` is where the value stood in its document (`params`): errors name paths that begin there.
    /// `null` counts as absent for optional properties. Whole numbers decode as `Double`, but `1.0` isn't an
    /// integer.
    public static func decode<T: Decodable>(
        _ type: T.Type, from value: JSONValue, at path: String = "", unknownFields: UnknownFields = .refuse
    ) throws(JSONError) -> T {
        let options = DecodingOptions(root: path, unknownFields: unknownFields)
        do {
            return try ValueDecoder(value: value, codingPath: [], options: options)
                .read(type, from: value, key: nil)
        } catch {
            throw JSONError(decoding: error, options: options)
        }
    }

    /// Encodes to compact UTF-8 text: keys in the order of declaration, absent optionals left out.
    public static func encode<T: Encodable>(_ value: T) throws(JSONError) -> [UInt8] {
        try JSONWriter.write(encodeValue(value))
    }

    /// Encodes to a value, without making text of it.
    public static func encodeValue<T: Encodable>(_ value: T) throws(JSONError) -> JSONValue {
        do {
            return try ValueEncoder.value(of: value, codingPath: [])
        } catch {
            throw JSONError(encoding: error)
        }
    }
}
