import FixedCollections
import TestSupport
import Wire

@testable import Forwarding

/// One layer of one picture, and what decoding it takes.
struct LayeredFrame {
    var encoding: Int
    /// Counts the pictures of all encodings: same capture, same number.
    var capture: Int
    var spatial: Int
    var temporal: Int
    var isKey: Bool
    var isSwitchingUp: Bool
    var isLastOfPicture: Bool
    /// Frames that it needs, by their unique number.
    var references: [UInt32]
    /// The same, in pictures back.
    var back: [Int]
    var pictureID: UInt16
    var tl0: UInt8
    /// The dependency descriptor's.
    var number: UInt16
    var packets: Int
    /// Of its payloads.
    var bytes = 0
    /// Packets that never came.
    var lost = 0
}

/// One encoding of a layered video.
final class LayeredEncoder {
    struct Packet {
        var bytes: [UInt8]
        /// Bytes of the payload.
        var payload: Int
        var frame: LayeredFrame
        var mark: Mark
    }

    let structure: LayeredStructure
    let place: Int
    let ssrc: SSRC
    let rid: ShortID?
    var wantsKeyFrame = true
    private(set) var requests = 0
    private let writer: DescriptorWriter
    private var sequence: UInt16
    private let timestampBase: UInt32
    private var pictureID: UInt16
    private var tl0: UInt8
    private var frameNumber: UInt16
    private var sinceKey = 0
    /// Unique numbers of the frames since the last key picture, a picture after the other.
    private var pictures: [[UInt32]] = []

    init(_ structure: LayeredStructure, place: Int, using generator: inout SeededGenerator) {
        self.structure = structure
        self.place = place
        ssrc = SSRC(UInt32(5_000 + place))
        rid = structure.encodings > 1 ? shortID("r\(place)") : nil
        writer = DescriptorWriter(structure: structure, encoding: place)
        sequence = UInt16(generator.below(65_536))
        timestampBase = UInt32(truncatingIfNeeded: generator.next())
        pictureID = UInt16(generator.below(32_768))
        tl0 = UInt8(generator.below(256))
        frameNumber = UInt16(generator.below(65_536))
    }

    func request() {
        requests += 1
        wantsKeyFrame = true
    }

    func timestamp(ofCapture capture: Int) -> RTPTimestamp {
        RTPTimestamp(timestampBase &+ UInt32(capture * 3_000))
    }

    /// The packets of the next picture, with the frame that each belongs to.
    func encode(
        capture: Int, firstFrame: UInt32, ids: inout IDs, using generator: inout SeededGenerator
    ) throws -> [Packet] {
        let isKey = wantsKeyFrame
        wantsKeyFrame = false
        if isKey {
            sinceKey = 0
            pictures = []
        }
        let temporal = structure.temporal(ofPicture: sinceKey)
        pictureID = (pictureID + 1) & 0x7fff
        if temporal == 0 { tl0 &+= 1 }
        var packets: [Packet] = []
        var own: [UInt32] = []
        for spatial in 0..<structure.spatials {
            let number = firstFrame + UInt32(spatial)
            let frame = frame(
                capture, spatial, temporal, isKey, below: own.last,
                packets: 1 + generator.below(isKey ? 4 : 3))
            own.append(number)
            packets += try write(frame, number, ids: &ids)
        }
        pictures.append(own)
        sinceKey += 1
        return packets
    }

    private func frame(
        _ capture: Int, _ spatial: Int, _ temporal: Int, _ isKey: Bool, below: UInt32?, packets: Int
    ) -> LayeredFrame {
        let back = isKey ? [] : structure.references(ofPicture: sinceKey).filter { $0 <= sinceKey }
        defer { frameNumber &+= 1 }
        return LayeredFrame(
            encoding: place, capture: capture, spatial: spatial, temporal: temporal, isKey: isKey,
            isSwitchingUp: structure.isSwitchingUp(picture: sinceKey),
            isLastOfPicture: spatial + 1 == structure.spatials,
            references: back.map { pictures[sinceKey - $0][spatial] } + [below].compactMap { $0 }, back: back,
            pictureID: pictureID, tl0: tl0, number: frameNumber, packets: packets)
    }

    private func write(
        _ frame: LayeredFrame, _ number: UInt32, ids: inout IDs
    ) throws -> [Packet] {
        try (0..<frame.packets).map { index in
            let (starts, ends) = (index == 0, index + 1 == frame.packets)
            let mark = Mark(
                id: ids.nextPacket(), frame: number, index: UInt8(index), count: UInt8(frame.packets))
            // The mark comes last, so that it is found whatever stands before.
            let payload = writer.payload(frame, starts: starts, ends: ends) + [0xab, 0xcd] + mark.bytes
            let fields = RTPFields(
                marker: ends && frame.isLastOfPicture,
                payloadType: LayeredMeeting.payloadType(of: structure.codec),
                sequenceNumber: SequenceNumber(sequence), timestamp: timestamp(ofCapture: frame.capture),
                ssrc: ssrc)
            sequence &+= 1
            let plan = PacketPlan(
                fields: fields, mid: shortID("0"), rid: rid,
                descriptor: writer.descriptor(frame, starts: starts, ends: ends), payload: payload)
            return Packet(bytes: try plan.bytes, payload: payload.count, frame: frame, mark: mark)
        }
    }

    func senderReport(capture: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        var span = bytes.mutableSpan
        let report = SenderReport(
            ssrc: ssrc,
            ntpTime: NTPTime(
                sinceUnixEpoch: .seconds(1_600_000_000) + .nanoseconds(capture * 100_000_000 / 3)),
            rtpTimestamp: timestamp(ofCapture: capture), packetCount: 0, octetCount: 0)
        let length = try report.write(blocks: Span<ReportBlock>(), into: &span, at: 0)
        return Array(bytes[..<length])
    }
}
