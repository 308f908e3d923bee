import FixedCollections
import Testing
import Wire

@testable import LoadTest

struct CodecTests {
    /// What a forwarder reads in the packets of some pictures, and the stamps that receivers read.
    private func read(
        _ codec: VideoCodec, pictures: Int = 8, spatialLayers: Int = 1, temporalLayers: Int = 1
    ) throws -> [(info: MediaFrameInfo, stamp: Stamp, marker: Bool, payload: [UInt8])] {
        var random = SeededRandom(seed: 5)
        let start = Instant(nanoseconds: 5_000_000_000)
        let encoder = EncoderModel(
            bitsPerSecond: 1_200_000, framesPerSecond: 30, temporalLayers: temporalLayers, seed: 1)
        var source = VideoSource(
            publication: 9, encoder: encoder, codec: codec, spatialLayers: spatialLayers, start: start,
            random: &random)
        var packets: [SentPacket] = []
        for _ in 0..<pictures {
            _ = source.makeFrame(now: source.nextFrame, timestamp: RTPTimestamp(1)) { packets.append($0) }
        }
        let wire: Codec =
            switch codec {
            case .vp8: .vp8
            case .vp9: .vp9
            case .h264: .h264
            case .av1: .av1
            }
        return try packets.map { packet in
            var bytes = [UInt8](repeating: 0xff, count: Int(packet.payloadLength))
            var span = bytes.mutableSpan
            packet.writePayload(into: &span, at: 0)
            let info = try MediaFrameInfo.describe(wire, payload: bytes.span, marker: packet.marker)
            let offset = SentPacket.stampOffset(in: bytes.span, codec: codec)
            let stamp = Stamp.read(bytes.span, at: try #require(offset))
            return (info, try #require(stamp), packet.marker, bytes)
        }
    }

    @Test(arguments: VideoCodec.allCases)
    func `a forwarder finds key frames and frames' ends, and a receiver the stamp of each packet`(
        codec: VideoCodec
    ) throws {
        let packets = try read(codec)
        for (info, stamp, marker, _) in packets {
            #expect(info.isFrameEnd == marker)
            #expect(marker == (stamp.packet + 1 == stamp.packets))
            if stamp.packet == 0 { #expect(info.isFrameStart) }
        }
        let first = packets.prefix { $0.stamp.frame == 1 }
        #expect(first.first?.info.isKeyFrame == true)
        #expect(packets.dropFirst(first.count).allSatisfy { !$0.info.isKeyFrame })
    }

    @Test func `VP9 tells its layers, and the sizes of the spatial ones`() throws {
        let packets = try read(.vp9, spatialLayers: 3, temporalLayers: 3)
        for (info, stamp, marker, payload) in packets {
            #expect(info.spatialID == stamp.spatial && info.temporalID == stamp.temporal)
            if stamp.temporal > 0 { #expect(info.isSwitchingUpPoint) }
            let isLast = stamp.packet + 1 == stamp.packets
            #expect(info.isFrameEnd == isLast)
            #expect(marker == (isLast && stamp.spatial == 2))
            let descriptor = try VP9Descriptor.parse(payload.span)
            #expect(descriptor.dependsOnLowerLayer == (stamp.spatial > 0))
            #expect(descriptor.isNotReferencedAcrossLayers == (stamp.spatial == 2))
        }
        let bytes = packets[0].payload
        let key = try VP9Descriptor.parse(bytes.span)
        let structure = try #require(key.structure)
        let sizes = (0..<3).map { structure.size(ofLayer: $0) }
        #expect(sizes.map { $0?.height } == [180, 360, 720])
        #expect(sizes.map { $0?.width } == [320, 640, 1_280])
        #expect(Set(packets.map(\.stamp.spatial)) == [0, 1, 2])
        #expect(Set(packets.map(\.stamp.temporal)) == [0, 1, 2])
    }

    @Test func `an H264 key frame begins with its parameter sets, and large slices are cut`() throws {
        let packets = try read(.h264)
        let (key, slice) = (packets[0].payload, packets[1].payload)
        let first = try H264Payload.parse(key.span)
        #expect(first.packaging == .aggregate && first.hasSequenceParameters)
        let second = try H264Payload.parse(slice.span)
        #expect(second.packaging == .fragment && second.isKeyFrame)
        #expect(packets.filter { $0.info.isKeyFrame }.allSatisfy { $0.stamp.frame == 1 })
    }

    @Test func `encodings of simulcast tell their own sizes`() throws {
        for (encoding, height) in [720, 360, 180].enumerated() {
            var packet = SentPacket(
                sequence: SequenceNumber(0), timestamp: RTPTimestamp(0),
                stamp: Stamp(
                    sentAt: .zero, publication: UInt32(8 | (1 + encoding)), frame: 1, packet: 0, packets: 1,
                    isKey: true, temporal: 0),
                payloadLength: 100, pictureID: 0, baseIndex: 0, keyIndex: 0, isVideo: true, marker: true,
                level: 0)
            packet.codec = .vp8
            var bytes = [UInt8](repeating: 0, count: 100)
            var span = bytes.mutableSpan
            packet.writePayload(into: &span, at: 0)
            let size = try VP8Descriptor.parse(bytes.span).frameSize(in: bytes.span)
            #expect(size?.height == height)
            #expect(size?.width == height * 16 / 9)
        }
    }

    @Test(arguments: [
        ["--codec", "mjpeg"], ["--codec", "H264", "--temporal-layers", "2"], ["--spatial-layers", "3"],
        ["--codec", "VP9", "--spatial-layers", "3", "--simulcast", "3"], ["--viewports", "0"],
    ])
    func `layers that the codec can't have are refused`(arguments: [String]) {
        #expect(throws: LoadError.self) {
            try LoadFlags.parse(arguments, environment: [:], read: { _ in nil })
        }
    }
}
