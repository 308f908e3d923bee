import FixedCollections
import Forwarding
import Wire

/// What all peers of the stage have negotiated.
enum Agreed {
    static let opus = PayloadType(111)
    static let vp8 = PayloadType(96)
    static let vp8RTX = PayloadType(97)
    static let kinds: [HeaderExtensionKind] = [.mid, .audioLevel, .transportCC, .absoluteSendTime]

    static var extensions: HeaderExtensionMap {
        var map = HeaderExtensionMap()
        for (index, kind) in kinds.enumerated() { _ = map.map(kind, to: UInt8(index + 1)) }
        return map
    }

    static func id(_ kind: HeaderExtensionKind) -> UInt8 { extensions.id(of: kind) }
}

/// One stream of a publisher: VP8 of 1.2 Mbit/s in 30 pictures a second, or Opus in packets of 20 ms.
struct Sender: ~Copyable {
    static let opusBytes = 80
    /// Bytes of a picture at 1.2 Mbit/s, and of its packets at the most.
    static let pictureBytes = 5_000
    static let packetBytes = 1_150

    let isVideo: Bool
    let mid: ShortID
    let ssrc: SSRC
    /// The packet being written, from its header on.
    var packet = FixedArray<UInt8>(repeating: 0, count: 1_400)
    private(set) var length = 0
    private var sequence: UInt16 = 1
    private var picture: UInt16 = 0
    private var remaining = 0

    init(isVideo: Bool, mid: ShortID, ssrc: UInt32) {
        self.isVideo = isVideo
        self.mid = mid
        self.ssrc = SSRC(ssrc)
    }

    var interval: Duration { isVideo ? .nanoseconds(33_333_333) : .milliseconds(20) }

    /// Starts the next picture, or the next 20 ms of sound.
    mutating func beginFrame() {
        picture &+= 1
        remaining = isVideo ? Self.pictureBytes : Self.opusBytes
    }

    /// Writes the frame's next packet into `packet`, in pieces of equal length.
    ///
    /// - Returns: false at the frame's end.
    mutating func writeNext(at now: Instant, transport: inout UInt16) -> Bool {
        guard remaining > 0 else { return false }
        let isFirst = remaining == Self.pictureBytes || !isVideo
        let packets = (remaining + Self.packetBytes - 1) / Self.packetBytes
        let payload = remaining / packets
        remaining -= payload
        let isLast = remaining == 0
        let clock = now.nanoseconds / 1_000 * (isVideo ? 90 : 48) / 1_000
        let fields = RTPFields(
            marker: isVideo && isLast, payloadType: isVideo ? Agreed.vp8 : Agreed.opus,
            sequenceNumber: SequenceNumber(sequence),
            timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: clock)), ssrc: ssrc)
        sequence &+= 1
        let descriptor = descriptor(isFirst: isFirst)
        let (isVideo, mid) = (isVideo, mid)
        var bytes = packet.mutableSpan
        let header = Self.write(fields, mid, transport: transport, isVideo: isVideo, into: &bytes)
        transport &+= 1
        if isVideo {
            for index in descriptor.indices { bytes[header + index] = descriptor[index] }
        } else {
            bytes[header] = 0x78
        }
        length = header + payload
        return true
    }

    /// All fields of VP8's descriptor, the picture's id in 15 bits; then VP8's own first byte.
    private func descriptor(isFirst: Bool) -> InlineArray<7, UInt8> {
        let isKey = picture % 300 == 1
        return [
            isFirst ? 0x90 : 0x80, 0xf0, UInt8(picture >> 8) | 0x80, UInt8(truncatingIfNeeded: picture), 0,
            UInt8(picture / 300 & 31), isKey ? 0x10 : 0x11,
        ]
    }

    private static func write(
        _ fields: RTPFields, _ mid: ShortID, transport: UInt16, isVideo: Bool,
        into bytes: inout MutableSpan<UInt8>
    ) -> Int {
        do throws(RTPError) {
            var writer = try RTPWriter(fields, into: &bytes)
            try writer.append(id: Agreed.id(.mid), mid, to: &bytes)
            try writer.append(id: Agreed.id(.transportCC), SequenceNumber(transport), to: &bytes)
            if !isVideo {
                let level = AudioLevel(level: 30, isVoice: true)
                try writer.append(id: Agreed.id(.audioLevel), level, to: &bytes)
            }
            return try writer.finish(&bytes)
        } catch {
            preconditionFailure("a header fits into the buffer")
        }
    }
}
