/// Writes a fresh RTP header: fixed part, then header extensions one by one, in one-byte form where that is enough.
///
/// The buffer is the packet from its first byte on, and the same in every call:
///
///     var writer = try RTPWriter(fields, into: &packet)
///     try writer.append(id: 3, audioLevel, to: &packet)
///     let payloadOffset = try writer.finish(&packet)
public struct RTPWriter: Sendable, BitwiseCopyable {
    @usableFromInline var end: Int
    @usableFromInline var elementCount = 0
    @usableFromInline var isTwoByte: Bool

    /// Where the elements start when there are any: after the fixed part and the block's profile and length.
    @usableFromInline static var elementsOffset: Int { 16 }

    /// Writes the fixed part, without padding, CSRCs or marker of an extension block.
    ///
    /// `usingTwoByteForm` asks for the two-byte form from the start. Throws `noSpace` below 12 bytes.
    @inlinable
    public init(
        _ fields: RTPFields, usingTwoByteForm: Bool = false, into packet: inout MutableSpan<UInt8>
    ) throws(RTPError) {
        guard packet.count >= RTPHeader.fixedLength else { throw .noSpace }
        packet[0] = 0x80
        RTPHeader.overwrite(fields, in: &packet)
        end = Self.elementsOffset
        isTwoByte = usingTwoByteForm
    }

    /// Appends an element with the value `value`, and returns the offset of its value in the packet, valid until
    /// something that needs the two-byte form is appended after elements in one-byte form.
    ///
    /// Throws `invalidExtension` for id 0 or more than 255 bytes, `noSpace` if the buffer is full.
    @inlinable @discardableResult
    public mutating func append(
        id: UInt8, _ value: Span<UInt8>, to packet: inout MutableSpan<UInt8>
    ) throws(RTPError) -> Int {
        let offset = try reserve(id: id, length: value.count, in: &packet)
        packet.store(value, at: offset)
        return offset
    }

    @inlinable @discardableResult
    public mutating func append(
        id: UInt8, _ value: ShortID, to packet: inout MutableSpan<UInt8>
    ) throws(RTPError) -> Int {
        let offset = try reserve(id: id, length: value.count, in: &packet)
        value.write(into: &packet, at: offset)
        return offset
    }

    @inlinable @discardableResult
    public mutating func append(
        id: UInt8, _ value: AudioLevel, to packet: inout MutableSpan<UInt8>
    ) throws(RTPError) -> Int {
        let offset = try reserve(id: id, length: 1, in: &packet)
        packet[offset] = value.byte
        return offset
    }

    /// Appends a transport-wide sequence number.
    @inlinable @discardableResult
    public mutating func append(
        id: UInt8, _ value: SequenceNumber, to packet: inout MutableSpan<UInt8>
    ) throws(RTPError) -> Int {
        let offset = try reserve(id: id, length: 2, in: &packet)
        packet.store(value.rawValue, at: offset)
        return offset
    }

    /// Appends the low 24 bits of `absoluteSendTime`, in units of 2^−18 s.
    @inlinable @discardableResult
    public mutating func append(
        id: UInt8, absoluteSendTime: UInt32, to packet: inout MutableSpan<UInt8>
    ) throws(RTPError) -> Int {
        let offset = try reserve(id: id, length: 3, in: &packet)
        packet.storeUInt24(absoluteSendTime, at: offset)
        return offset
    }

    /// Appends an element of `length` bytes whose value the caller writes, at the offset that is returned.
    ///
    /// Throws as `append` does.
    @inlinable
    public mutating func reserve(
        id: UInt8, length: Int, in packet: inout MutableSpan<UInt8>
    ) throws(RTPError) -> Int {
        guard id > 0, length >= 0, length <= 255 else { throw .invalidExtension }
        if !isTwoByte, id > 14 || length < 1 || length > 16 { try changeToTwoByteForm(&packet) }
        let start = end + (isTwoByte ? 2 : 1)
        // Three bytes more: what `finish` may need to fill up the last word.
        guard packet.holds(length + 3, at: start) else { throw .noSpace }
        if isTwoByte {
            packet[end] = id
            packet[end + 1] = UInt8(truncatingIfNeeded: length)
        } else {
            packet[end] = id << 4 | UInt8(truncatingIfNeeded: length - 1)
        }
        end = start + length
        elementCount += 1
        return start
    }

    /// Completes the extension block, and returns the header's length, which is where the payload begins.
    @inlinable
    public mutating func finish(_ packet: inout MutableSpan<UInt8>) throws(RTPError) -> Int {
        guard elementCount > 0 else { return RTPHeader.fixedLength }
        while end & 3 != 0 {
            guard end < packet.count else { throw .noSpace }
            packet[end] = 0
            end += 1
        }
        packet[0] |= 0x10
        packet.store(
            isTwoByte ? HeaderExtensions.twoByteProfile : HeaderExtensions.oneByteProfile,
            at: RTPHeader.fixedLength)
        let words = (end - Self.elementsOffset) / 4
        packet.store(UInt16(truncatingIfNeeded: words), at: RTPHeader.fixedLength + 2)
        return end
    }

    /// Turns the elements written so far into two-byte form.
    @usableFromInline
    mutating func changeToTwoByteForm(_ packet: inout MutableSpan<UInt8>) throws(RTPError) {
        isTwoByte = true
        guard elementCount > 0 else { return }
        guard packet.holds(elementCount, at: end) else { throw .noSpace }
        // Each element grows by a byte: move all of them up by their number, then write forward; the writing catches
        // up with the reading only at the end.
        var index = end
        while index > Self.elementsOffset {
            index -= 1
            packet[index + elementCount] = packet[index]
        }
        var read = Self.elementsOffset + elementCount
        var write = Self.elementsOffset
        for _ in 0..<elementCount {
            let head = packet[read]
            let length = Int(head & 0x0F) + 1
            packet[write] = head >> 4
            packet[write + 1] = UInt8(truncatingIfNeeded: length)
            for offset in 0..<length { packet[write + 2 + offset] = packet[read + 1 + offset] }
            read += 1 + length
            write += 2 + length
        }
        end += elementCount
    }
}
