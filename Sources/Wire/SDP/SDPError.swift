/// Why a text is not a session description, and in which line.
public struct SDPError: Error, Hashable, Sendable {
    /// The line that was wrong, counted from 1. For something that is missing: the last line that was read.
    public var line: Int
    public var reason: Reason

    public init(line: Int, reason: Reason) {
        self.line = line
        self.reason = reason
    }

    public enum Reason: Hashable, Sendable {
        /// The text exceeds `SessionDescription.maximumBytes`.
        case tooLong
        /// The text exceeds `SessionDescription.maximumLines`.
        case tooManyLines
        /// A byte below 0x20 or 0x7f, or a carriage return without a line feed.
        case controlCharacter
        /// Not of the form `<letter>=<value>`, or of a type that SDP doesn't have.
        case notALine
        /// The first line isn't `v=0`.
        case noVersion
        /// The second line isn't a well-formed `o=`.
        case noOrigin
        /// No `m=` line.
        case noMedia
        /// More than `SessionDescription.maximumMedia` m-lines.
        case tooManyMedia
        /// The named field isn't what RFC 8866 or the attribute's own RFC says, or a number is out of range.
        case malformed(String)
        /// A payload type above 127 or not a number.
        case badPayloadType
        /// The named thing is given twice where it must be unique: a payload type, an extension id, a RID.
        case duplicate(String)
        /// Two m-lines with the same mid.
        case duplicateMID
        /// A group names a mid that no m-line has.
        case unknownMID
        /// More than 64 fingerprints at one level.
        case tooManyFingerprints
        /// More lines of the named attribute than one level may have.
        case tooMany(String)
    }
}

extension SDPError: CustomStringConvertible {
    public var description: String { "line \(line): \(reason.text)" }
}

extension SDPError.Reason {
    /// The reason in words, for the person who wrote the offer.
    public var text: String {
        switch self {
        case .tooLong: "the description is longer than \(SessionDescription.maximumBytes) bytes"
        case .tooManyLines: "the description has more than \(SessionDescription.maximumLines) lines"
        case .controlCharacter: "control character"
        case .notALine: "not a line of a session description"
        case .noVersion: "the first line must be v=0"
        case .noOrigin: "the second line must be a well-formed o= line"
        case .noMedia: "no m= line"
        case .tooManyMedia: "more than \(SessionDescription.maximumMedia) m= lines"
        case .malformed(let field): "malformed \(field)"
        case .badPayloadType: "a payload type must be a number from 0 to 127"
        case .duplicate(let field): "\(field) given twice"
        case .duplicateMID: "the mid is already another m-line's"
        case .unknownMID: "the group names a mid that no m-line has"
        case .tooManyFingerprints: "more than \(SessionDescription.maximumFingerprints) fingerprints"
        case .tooMany(let field): "too many \(field) lines"
        }
    }
}
