import Wire

/// Ids and payload types that all simulated peers have negotiated.
enum Negotiated {
    static let opus = PayloadType(111)
    static let vp8 = PayloadType(96)
    static let vp8RTX = PayloadType(97)

    static var extensions: HeaderExtensionMap { extensions() }

    static func extensions(without omitted: HeaderExtensionKind? = nil) -> HeaderExtensionMap {
        var map = HeaderExtensionMap()
        let kinds: [HeaderExtensionKind] = [
            .mid, .audioLevel, .transportCC, .rid, .repairedRID, .absoluteSendTime, .dependencyDescriptor,
        ]
        for (index, kind) in kinds.enumerated() where kind != omitted {
            _ = map.map(kind, to: UInt8(index + 1))
        }
        return map
    }

    static func id(_ kind: HeaderExtensionKind) -> UInt8 { extensions.id(of: kind) }
}

/// A mid or rid.
func shortID(_ text: String) -> ShortID { ShortID(text)! }

/// A packet to be written.
struct PacketPlan {
    var fields: RTPFields
    var mid: ShortID?
    var rid: ShortID?
    var isRepair = false
    var transportSequence: UInt16?
    var audioLevel: UInt8?
    var descriptor: [UInt8]?
    var payload: [UInt8]

    var bytes: [UInt8] {
        get throws {
            var bytes = [UInt8](repeating: 0, count: 320)
            var span = bytes.mutableSpan
            var writer = try RTPWriter(fields, into: &span)
            if let mid { try writer.append(id: Negotiated.id(.mid), mid, to: &span) }
            if let rid {
                try writer.append(id: Negotiated.id(isRepair ? .repairedRID : .rid), rid, to: &span)
            }
            if let transportSequence {
                try writer.append(
                    id: Negotiated.id(.transportCC), SequenceNumber(transportSequence), to: &span)
            }
            if let audioLevel {
                try writer.append(
                    id: Negotiated.id(.audioLevel), AudioLevel(level: audioLevel, isVoice: true), to: &span)
            }
            if let descriptor {
                try writer.append(id: Negotiated.id(.dependencyDescriptor), descriptor.span, to: &span)
            }
            let length = try writer.finish(&span)
            return Array(bytes[..<length]) + payload
        }
    }
}

/// What the payload of a simulated packet says of itself, behind the codec's own bytes.
struct Mark: Hashable {
    /// Unique over the simulation.
    var id: UInt32
    var frame: UInt32 = 0
    var index: UInt8 = 0
    var count: UInt8 = 1

    static let length = 10

    var bytes: [UInt8] {
        id.bytes + frame.bytes + [index, count]
    }

    init(id: UInt32, frame: UInt32 = 0, index: UInt8 = 0, count: UInt8 = 1) {
        self.id = id
        self.frame = frame
        self.index = index
        self.count = count
    }

    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= Self.length else { return nil }
        let start = bytes.startIndex
        id = bytes[start..<(start + 4)].reduce(0) { $0 << 8 | UInt32($1) }
        frame = bytes[(start + 4)..<(start + 8)].reduce(0) { $0 << 8 | UInt32($1) }
        index = bytes[start + 8]
        count = bytes[start + 9]
    }
}

extension UInt32 {
    var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (24 - 8 * $0)) } }
}

extension UInt16 {
    var bytes: [UInt8] { [UInt8(self >> 8), UInt8(truncatingIfNeeded: self)] }
}

/// The VP8 descriptor of a simulated packet: all fields, the picture id in 15 bits.
func vp8Descriptor(starts: Bool, picture: UInt16, tl0: UInt8, key: UInt8) -> [UInt8] {
    [0x80 | (starts ? 0x10 : 0), 0xf0] + (picture | 0x8000).bytes + [tl0, key & 31]
}

/// The transport-wide number of a packet that came out of the forwarder, and whether there is nothing but padding in it.
func numbering(_ bytes: [UInt8]) -> (number: UInt16, isPadding: Bool)? {
    guard let header = try? RTPHeader.parse(bytes.span) else { return nil }
    var elements = HeaderExtensions(of: header)
    while let element = elements.next(in: bytes.span) {
        guard Negotiated.extensions.kind(of: element.id) == .transportCC,
            let number = element.transportSequenceNumber(in: bytes.span)
        else { continue }
        return (number.rawValue, header.payloadRange.isEmpty)
    }
    return nil
}

/// A packet that came out of the forwarder, read back.
struct ReadPacket {
    var header: RTPHeader
    var mid: ShortID?
    var transportSequence: UInt16?
    /// The original number of a retransmission.
    var original: SequenceNumber?
    var descriptor: VP8Descriptor?
    var isKeyFrame = false
    var mark: Mark
    /// The payload without original number.
    var payload: [UInt8]

    init?(_ bytes: [UInt8]) {
        guard let header = try? RTPHeader.parse(bytes.span) else { return nil }
        self.header = header
        var elements = HeaderExtensions(of: header)
        while let element = elements.next(in: bytes.span) {
            switch Negotiated.extensions.kind(of: element.id) {
            case .mid: mid = element.shortID(in: bytes.span)
            case .transportCC:
                transportSequence = element.transportSequenceNumber(in: bytes.span)?.rawValue
            default: break
            }
        }
        var payload = Array(bytes[header.payloadRange])
        if header.payloadType == Negotiated.vp8RTX {
            guard payload.count > 2 else { return nil }
            original = SequenceNumber(UInt16(payload[0]) << 8 | UInt16(payload[1]))
            payload.removeFirst(2)
        }
        var start = 1
        if header.payloadType != Negotiated.opus {
            let parsed = try? VP8Descriptor.parse(payload.span)
            guard let parsed else { return nil }
            descriptor = parsed
            isKeyFrame = parsed.isKeyFrame
            start = parsed.length + 1
        }
        self.payload = payload
        guard let mark = Mark(payload.dropFirst(start)) else { return nil }
        self.mark = mark
    }
}
