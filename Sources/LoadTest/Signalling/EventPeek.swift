/// Finds an event's name without reading the whole message: lists of a thousand participants come four times a second.
enum EventPeek {
    private static let start = Array(#"{"event":""#.utf8)

    /// The name, if the message begins with it.
    static func name(of text: [UInt8]) -> String? {
        guard text.starts(with: start) else { return nil }
        let rest = text[start.count...].prefix(64)
        guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        return String(decoding: rest[..<end], as: UTF8.self)
    }

    /// The event's number, which stands near the beginning; nil if it doesn't.
    static func seq(of text: [UInt8]) -> Int64? {
        let head = text.prefix(300)
        guard let place = head.firstRange(of: mark) else { return nil }
        let digits = head[place.upperBound...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return Int64(String(decoding: digits, as: UTF8.self))
    }

    private static let mark = Array(#""seq":"#.utf8)

    /// Whether more than the name is of interest.
    static func isRead(_ name: String) -> Bool {
        read.contains(name)
    }

    private static let read: Set = [
        "dominantSpeakerChanged", "seatsChanged", "participantAudioMuted", "message", "incomingCallReceived",
        "outgoingCallAccepted", "outgoingCallRejected", "incomingCallCancelled",
    ]
}
