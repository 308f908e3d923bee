import Wire

/// A seat's RTP header as it was last written, to be written again with the next packet's numbers.
///
/// A seat's packets differ in a few numbers; which extensions they carry seldom changes. As long as it doesn't, the
/// header is copied and those numbers are put in their places.
struct HeaderTemplate: BitwiseCopyable, Sendable {
    /// Longer headers aren't kept.
    static var limit: Int { 48 }

    private var words = InlineArray<6, UInt64>(repeating: 0)
    /// 0: there is none.
    private var length: UInt8 = 0
    private var format = FormatID(0xff)
    /// Of the passed extensions that the header was written with.
    private var shape: UInt64 = 0
    /// Where the values are that change; 0: not there.
    private var sendTime: UInt8 = 0
    private var transport: UInt8 = 0
    private var frameNumber: UInt8 = 0
    private var passed = InlineArray<4, UInt8>(repeating: 0)

    init() {}

    /// Keeps the header that was just written for a packet, if it is short and its extensions can be told apart.
    init(_ header: Span<UInt8>, of packet: borrowing PacketInfo, for viewer: borrowing HeaderExtensionMap) {
        guard header.count <= Self.limit, let shape = packet.extensions.shape,
            let parsed = try? RTPHeader(parsingHeaderOf: header)
        else { return }
        var elements = HeaderExtensions(of: parsed)
        while let element = elements.next(in: header) {
            guard let kind = viewer.kind(of: element.id) else { continue }
            let offset = UInt8(truncatingIfNeeded: element.offset)
            switch kind {
            case .absoluteSendTime: sendTime = offset
            case .transportCC: transport = offset
            default: notePassed(kind, at: offset, of: packet)
            }
        }
        for index in 0..<6 { words[index] = Self.word(index, of: header) }
        format = packet.format
        self.shape = shape
        length = UInt8(header.count)
    }

    private mutating func notePassed(
        _ kind: HeaderExtensionKind, at offset: UInt8, of packet: borrowing PacketInfo
    ) {
        for index in 0..<Int(packet.extensions.count) where packet.extensions[index].kind == kind {
            passed[index] = offset
            if kind == .dependencyDescriptor, packet.extensions[index].length >= 3 {
                frameNumber = offset + 1
            }
        }
    }

    private static func word(_ index: Int, of header: Span<UInt8>) -> UInt64 {
        var word: UInt64 = 0
        for offset in index * 8..<index * 8 + 8 {
            word = word << 8 | UInt64(offset < header.count ? header[offset] : 0)
        }
        return word
    }

    /// Whether the packet's header has this form.
    @inline(__always)
    func fits(_ packet: borrowing PacketInfo) -> Bool {
        guard length > 0, packet.format == format else { return false }
        return packet.extensions.shape == shape
    }

    /// Writes the header for a packet that it fits.
    ///
    /// - Parameters:
    ///   - block: the packet's bytes, where the values of passed extensions are.
    ///   - bytes: has room for `limit` bytes.
    /// - Returns: the header's length.
    @inline(__always)
    func write(
        _ packet: borrowing PacketInfo, in block: Span<UInt8>, numbers: RewrittenNumbers,
        sendTime time: UInt32,
        transport number: UInt16, into bytes: inout MutableSpan<UInt8>
    ) -> Int {
        for index in 0..<6 { bytes.store(words[index], at: index * 8) }
        bytes[1] = bytes[1] & 0x7f | (numbers.marker ? 0x80 : 0)
        bytes.store(numbers.sequence.rawValue, at: 2)
        bytes.store(numbers.timestamp.rawValue, at: 4)
        if sendTime != 0 { bytes.storeUInt24(time, at: Int(sendTime)) }
        if transport != 0 { bytes.store(number, at: Int(transport)) }
        for index in 0..<Int(packet.extensions.count) where passed[index] != 0 {
            let element = packet.extensions[index]
            let (start, count) = (Int(element.offset), Int(element.length))
            bytes.store(block.extracting(start..<(start + count)), at: Int(passed[index]))
        }
        if frameNumber != 0 {
            bytes.store(packet.frame.frameNumber &+ numbers.frameNumberOffset, at: Int(frameNumber))
        }
        return Int(length)
    }
}
