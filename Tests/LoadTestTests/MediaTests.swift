import FixedCollections
import Testing
import Wire

@testable import LoadTest

struct MediaTests {
    @Test(arguments: [(150_000, 15), (1_200_000, 30), (4_000_000, 60)])
    func `an encoder keeps its rate over seconds, key frames included`(rate: Int, framesPerSecond: Int) {
        var encoder = EncoderModel(bitsPerSecond: rate, framesPerSecond: framesPerSecond, seed: 3)
        let frames = (0..<framesPerSecond * 20).map { encoder.next(isKey: $0 % (framesPerSecond * 5) == 0) }
        let sent = frames.reduce(0) { $0 + $1.bytes } * 8 / 20
        #expect(abs(sent - rate) < rate * 5 / 100)
        let mean = rate / 8 / framesPerSecond
        #expect(frames[0].bytes > 4 * mean)
    }

    @Test func `temporal layers come in the pattern of their count, and start anew at a key frame`() {
        var encoder = EncoderModel(bitsPerSecond: 500_000, framesPerSecond: 30, temporalLayers: 3, seed: 1)
        let layers = (0..<6).map { encoder.next(isKey: $0 == 0 || $0 == 5).temporal }
        #expect(layers == [0, 2, 1, 2, 0, 0])
    }

    @Test func `a frame's packets carry a VP8 descriptor, their places, and when they were made`() throws {
        var random = SeededRandom(seed: 5)
        let now = Instant(nanoseconds: 5_000_000_000)
        let encoder = EncoderModel(bitsPerSecond: 1_200_000, framesPerSecond: 30, seed: 1)
        var source = VideoSource(publication: 9, encoder: encoder, start: now, random: &random)
        var packets: [SentPacket] = []
        let later = now + .milliseconds(40)
        let isMade = source.makeFrame(now: later, timestamp: RTPTimestamp(1)) { packets.append($0) }
        try #require(isMade && packets.count > 1)
        for (index, packet) in packets.enumerated() {
            var bytes = [UInt8](repeating: 0, count: Int(packet.payloadLength))
            var span = bytes.mutableSpan
            packet.writePayload(into: &span, at: 0)
            let descriptor = try VP8Descriptor.parse(bytes.span)
            #expect(descriptor.isKeyFrame == (index == 0))
            #expect(descriptor.pictureID == packet.pictureID)
            #expect(packet.marker == (index == packets.count - 1))
            let offset = SentPacket.stampOffset(in: bytes.span, codec: .vp8) ?? 0
            let read = Stamp.read(bytes.span, at: offset)
            let stamp = try #require(read)
            #expect(stamp.sentAt == later)
            #expect(stamp.publication == 9)
            #expect((Int(stamp.packet), Int(stamp.packets)) == (index, packets.count))
        }
        let sizes = packets.map { Int($0.payloadLength) }
        #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 1)
        #expect((sizes.max() ?? 0) <= VideoSource.longestPayload)
    }

    @Test func `a key frame that is asked for comes with the next frame, but not twice in a moment`() {
        var random = SeededRandom(seed: 5)
        var now = Instant(nanoseconds: 5_000_000_000)
        let encoder = EncoderModel(bitsPerSecond: 600_000, framesPerSecond: 30, seed: 1)
        var source = VideoSource(publication: 1, encoder: encoder, start: now, random: &random)
        var keys: [Int] = []
        for frame in 0..<30 {
            now = source.nextFrame
            if frame == 3 || frame == 20 { source.requestKeyFrame() }
            _ = source.makeFrame(now: now, timestamp: RTPTimestamp(0)) { packet in
                if packet.stamp.isKey, packet.stamp.packet == 0 { keys.append(frame) }
            }
        }
        // The one asked for at frame 3 waits until 300 ms have passed since the first.
        #expect(keys == [0, 9, 20] || keys == [0, 10, 20])
    }

    @Test func `a microphone sends each 20 ms while its owner talks, and rarely in silence with DTX`() {
        let start = Instant(nanoseconds: 1_000_000_000)
        var source = AudioSource(
            publication: 1, bitsPerSecond: 32_000, usesDTX: true, start: start, seed: 1)
        var sizes: (talking: [Int], silent: [Int]) = ([], [])
        for millisecond in 0..<4_000 {
            let isSpeaking = millisecond < 2_000
            let packet = source.makePacket(
                now: start + .milliseconds(millisecond), timestamp: RTPTimestamp(0), isSpeaking: isSpeaking)
            guard let packet else { continue }
            if isSpeaking { sizes.talking.append(Int(packet.payloadLength)) }
            if !isSpeaking { sizes.silent.append(Int(packet.payloadLength)) }
            #expect((packet.level < 100) == isSpeaking)
        }
        #expect((99...101).contains(sizes.talking.count))
        #expect((4...6).contains(sizes.silent.count))
        #expect(sizes.silent.allSatisfy { $0 <= 3 })
        let mean = sizes.talking.reduce(0, +) / max(1, sizes.talking.count)
        #expect((70...90).contains(mean))
    }

    @Test func `speech is words of a changing level, with gaps down to the background`() {
        let start = Instant(nanoseconds: 1_000_000_000)
        var source = AudioSource(
            publication: 1, bitsPerSecond: 32_000, usesDTX: true, start: start, seed: 1)
        var levels: [UInt8] = []
        for millisecond in 0..<20_000 {
            let now = start + .milliseconds(millisecond)
            let packet = source.makePacket(now: now, timestamp: RTPTimestamp(0), isSpeaking: true)
            if let packet { levels.append(packet.level) }
        }
        let words = levels.split { $0 >= 60 }
        let gaps = levels.split { $0 < 60 }
        #expect(levels[0] < 60)
        #expect(words.dropLast().allSatisfy { (10...30).contains($0.count) })
        #expect(gaps.dropLast().allSatisfy { (3...8).contains($0.count) })
        // Two or three words a second.
        #expect((25...60).contains(words.count))
        #expect(words.allSatisfy { ($0.max() ?? 0) - ($0.min() ?? 0) > 5 })
    }

    @Test func `a retransmission carries the original number and the same payload`() throws {
        var random = SeededRandom(seed: 2)
        let now = Instant(nanoseconds: 9_000_000_000)
        let format = StreamFormat(
            payloadType: PayloadType(96), rtxPayloadType: PayloadType(97), clockRate: 90_000,
            extensions: HeaderExtensionMap())
        var stream = OutgoingStream(
            ssrc: SSRC(1), rtxSSRC: SSRC(2), format: format, isVideo: true, start: now, random: &random)
        let encoder = EncoderModel(bitsPerSecond: 1_200_000, framesPerSecond: 30, seed: 1)
        var source = VideoSource(publication: 1, encoder: encoder, start: now, random: &random)
        var sent: [SentPacket] = []
        // More than the history holds, so that the oldest are gone.
        for _ in 0..<300 {
            var frame: [SentPacket] = []
            _ = source.makeFrame(now: source.nextFrame, timestamp: RTPTimestamp(7)) { frame.append($0) }
            sent += frame.map { stream.number($0) }
        }
        try #require(sent.count > OutgoingStream.historyCount)
        #expect(stream.sent(sent[0].sequence) == nil)
        let wanted = sent[sent.count - 100]
        let found = try #require(stream.sent(wanted.sequence))
        #expect(found.stamp == wanted.stamp)
        var bytes = [UInt8](repeating: 0, count: 1_500)
        var span = bytes.mutableSpan
        let plain = try stream.write(found, now: now, transportSequence: nil, into: &span)
        let original = Array(bytes[plain.header..<plain.total])
        var again = [UInt8](repeating: 0, count: 1_500)
        var target = again.mutableSpan
        let rewritten = try stream.writeRTX(found, now: now, transportSequence: nil, into: &target)
        let written = try #require(rewritten)
        let header = try RTPHeader.parse(again.span.extracting(0..<written.total))
        #expect(header.ssrc == SSRC(2))
        #expect(header.payloadType == PayloadType(97))
        let number = again.span.loadUInt16(at: written.header)
        #expect(number == wanted.sequence.rawValue)
        #expect(Array(again[(written.header + 2)..<written.total]) == original)
    }
}
