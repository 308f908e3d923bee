/// One element of a packet's header extension block: its id, and where its value is in the packet.
public struct HeaderExtension: Hashable, Sendable, BitwiseCopyable {
    /// The id that was negotiated: 1 to 14 in one-byte form, 1 to 255 in two-byte form.
    public var id: UInt8
    @usableFromInline var rawOffset: UInt16
    @usableFromInline var rawLength: UInt8

    /// First byte of the value, from the start of the packet.
    @inlinable public var offset: Int { Int(rawOffset) }
    /// Bytes of the value: 1 to 16 in one-byte form, 0 to 255 in two-byte form.
    @inlinable public var length: Int { Int(rawLength) }
    @inlinable public var range: Range<Int> { offset..<(offset &+ length) }

    @inlinable
    init(id: UInt8, offset: Int, length: Int) {
        self.id = id
        rawOffset = UInt16(truncatingIfNeeded: offset)
        rawLength = UInt8(truncatingIfNeeded: length)
    }
}

/// Walks over the elements of a packet's header extension block, in either form (RFC 8285 section 4).
///
/// Id 0 is padding; id 15 in one-byte form ends the walk, as does an element that would pass the block's end. A block
/// of another profile has no elements.
///
///     var elements = HeaderExtensions(of: header)
///     while let element = elements.next(in: packet) { … }
public struct HeaderExtensions: Sendable, BitwiseCopyable {
    /// The profile of the one-byte form.
    @inlinable public static var oneByteProfile: UInt16 { 0xBEDE }
    /// The profile of the two-byte form; its low four bits, `appbits`, mean nothing here.
    @inlinable public static var twoByteProfile: UInt16 { 0x1000 }

    @usableFromInline var position: Int
    @usableFromInline var end: Int
    @usableFromInline let isTwoByte: Bool

    @inlinable
    public init(of header: RTPHeader) {
        position = header.extensionOffset
        isTwoByte = header.extensionProfile & 0xFFF0 == Self.twoByteProfile
        let isKnown = isTwoByte || header.extensionProfile == Self.oneByteProfile
        end = isKnown ? position &+ header.extensionLength : position
    }

    /// The next element, or nil after the last one. `packet` is the one the header was parsed from.
    @inlinable
    public mutating func next(in packet: Span<UInt8>) -> HeaderExtension? {
        // A caller that passes a shorter packet than it parsed ends the walk, and doesn't trap.
        if end > packet.count { end = packet.count }
        while position < end {
            let first = packet[position]
            if first == 0 || (!isTwoByte && first >> 4 == 0) {
                // A one-byte element with id 0 and a length is against the rules; RFC 8285 says to stop.
                if first != 0 { break }
                position &+= 1
                continue
            }
            let id: UInt8
            let length: Int
            let start: Int
            if isTwoByte {
                guard position &+ 1 < end else { break }
                id = first
                length = Int(packet[position &+ 1])
                start = position &+ 2
            } else {
                id = first >> 4
                if id == 15 { break }
                length = Int(first & 0x0F) &+ 1
                start = position &+ 1
            }
            guard length <= end &- start else { break }
            position = start &+ length
            return HeaderExtension(id: id, offset: start, length: length)
        }
        position = end
        return nil
    }
}
