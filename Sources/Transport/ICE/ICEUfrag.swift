import Wire

/// A username fragment that this server gave out: eight ICE characters, kept in one integer so that a transport is found
/// by it without touching a string.
///
/// The first two characters carry a lane, a number of the owner's choosing (which worker), so that whoever receives a check
/// knows whom to hand it to. The other six are random: 36 bits, of which RFC 8445 section 5.3 asks 24.
public struct ICEUfrag: Hashable, Sendable, BitwiseCopyable {
    /// Lanes are 0 to `laneCount` − 1.
    public static var laneCount: Int { 4_096 }
    /// Characters, and bytes on the wire.
    public static var length: Int { 8 }

    /// The characters' ASCII codes, the first one highest.
    public let rawValue: UInt64

    /// Takes the lane modulo `laneCount` and the low 36 bits of `random`.
    init(lane: Int, random: UInt64) {
        let bits = UInt64(truncatingIfNeeded: lane & (Self.laneCount - 1)) << 36 | random & 0xf_ffff_ffff
        var value: UInt64 = 0
        for index in 0..<Self.length {
            let sextet = UInt8(truncatingIfNeeded: bits >> UInt64(42 - 6 * index)) & 63
            value = value << 8 | UInt64(ICECharacter.encode(sextet))
        }
        rawValue = value
    }

    /// The one for which a binding request in `message` is meant; nil if it is no request, or can't be one of ours.
    ///
    /// Nothing is authenticated by this.
    public init?(addressedBy message: Span<UInt8>) {
        guard let range = STUNBindingRequest.localUfrag(in: message) else { return nil }
        self.init(message, range)
    }

    /// Reads the characters at `range`, which lies within `bytes`; nil unless there are eight.
    init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        guard range.count == Self.length else { return nil }
        rawValue = bytes.loadUInt64(at: range.lowerBound)
    }

    /// The number given when it was made; nil if this isn't one of ours.
    public var lane: Int? {
        guard let high = ICECharacter.decode(UInt8(truncatingIfNeeded: rawValue >> 56)),
            let low = ICECharacter.decode(UInt8(truncatingIfNeeded: rawValue >> 48))
        else { return nil }
        return Int(high) << 6 | Int(low)
    }

    /// As it stands in `a=ice-ufrag`.
    public var text: String {
        var text = ""
        for index in 0..<Self.length {
            let byte = UInt8(truncatingIfNeeded: rawValue >> UInt64(56 - 8 * index))
            text.unicodeScalars.append(Unicode.Scalar(byte))
        }
        return text
    }
}

/// The 64 characters of `ice-char` (RFC 8839 section 5.4).
enum ICECharacter {
    /// The character for the low six bits of `sextet`.
    static func encode(_ sextet: UInt8) -> UInt8 {
        switch sextet & 63 {
        case let value where value < 26: UInt8(ascii: "A") + value
        case let value where value < 52: UInt8(ascii: "a") + (value - 26)
        case let value where value < 62: UInt8(ascii: "0") + (value - 52)
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }

    static func decode(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
