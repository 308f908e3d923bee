/// A participant's id, unique per join and device. The caller makes it up; it must never be used twice.
public struct ParticipantID: Hashable, Sendable, CustomStringConvertible {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}

/// Limits that the API sets to what clients send.
public enum Limit {
    /// Characters (Unicode scalars) in a name or title.
    public static let name = 100
    /// Characters in an avatar's address.
    public static let avatar = 3_000
    /// Characters in the text of a message.
    public static let text = 65_536
    /// Bytes of a message's data, as JSON.
    public static let data = 10 * 1_024
    /// Characters in an id, a message type or a device id.
    public static let id = 100

    /// Whether a `uid`, `guid` or `sessionId` is 1 to 100 of `A-Z a-z 0-9 _ . : @ -`.
    public static func isValidID(_ id: String) -> Bool {
        guard (1...self.id).contains(id.utf8.count) else { return false }
        return id.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            case UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "@"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
    }

    /// Refuses an id that isn't one, naming the field.
    public static func checkID(_ id: String, field: String) throws(MeetingError) {
        guard isValidID(id) else {
            throw .invalid(field: field, reason: "must be 1 to 100 of A-Z a-z 0-9 _ . : @ -")
        }
    }

    /// Refuses text over `limit` characters. Scalars are counted, for a grapheme can be of any length.
    public static func checkLength(_ text: String, field: String, limit: Int) throws(MeetingError) {
        guard text.utf8.count <= limit || text.unicodeScalars.count <= limit else {
            throw .invalid(field: field, reason: "must be at most \(limit) characters")
        }
    }

    /// Refuses a name that is over 100 characters, or of which nothing is to be seen.
    public static func checkName(_ text: String, field: String) throws(MeetingError) {
        guard !text.isEmpty else { throw .invalid(field: field, reason: "must not be empty") }
        try checkLength(text, field: field, limit: name)
        guard text.unicodeScalars.contains(where: isVisible) else {
            throw .invalid(field: field, reason: "must have a character that can be seen")
        }
    }

    /// Whether a character leaves a mark: no blank, nothing that only steers how others are shown.
    private static func isVisible(_ character: Unicode.Scalar) -> Bool {
        let properties = character.properties
        // The Braille pattern without dots is a symbol, and blank.
        guard !properties.isDefaultIgnorableCodePoint, character != "\u{2800}" else { return false }
        return switch properties.generalCategory {
        case .control, .format, .surrogate, .unassigned, .spaceSeparator, .lineSeparator,
            .paragraphSeparator:
            false
        default: true
        }
    }

    /// Refuses an avatar that isn't an http(s) address of at most 3,000 characters.
    public static func checkAvatar(_ text: String) throws(MeetingError) {
        guard text.hasPrefix("https://") || text.hasPrefix("http://") else {
            throw .invalid(field: "avatar", reason: "must be an http or https address")
        }
        try checkLength(text, field: "avatar", limit: avatar)
    }
}
