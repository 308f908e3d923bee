import FixedCollections
import Testing
import Wire

@testable import Forwarding

@Suite struct LayerMeterTests {
    @Test(arguments: LayeredStructure.all) func `layers are told with their height, rate and bits`(
        structure: LayeredStructure
    ) throws {
        let meeting = try LayeredMeeting(structure, seed: 8)
        try meeting.run(milliseconds: 4_000)
        let layers = meeting.bench.forwarder.layers(of: meeting.publication, at: meeting.bench.now)
        let all = meeting.allLayers
        #expect(layers.count == all.count)
        for (index, expected) in all.enumerated() {
            let layer = layers[index]
            #expect(Int(layer.encoding) == expected.encoding && Int(layer.temporal) == expected.temporal)
            if structure.encodings == 1 || structure.codec != .h264 || structure.isDescribed {
                #expect(Int(layer.spatial) == expected.encoding + expected.spatial)
                let height = structure.height(ofSpatial: expected.spatial, encoding: expected.encoding)
                #expect(Int(layer.height) == height)
            }
            let rate = 30 >> (structure.describedTemporals - 1 - expected.temporal)
            #expect(abs(Int(layer.framesPerSecond) - rate) <= 2)
            let bits = sent(meeting, expected)
            // A picture more or less at the edge of the second.
            #expect(abs(layer.bitrate.bitsPerSecond - bits) < bits / 10 + 3_000)
        }
    }

    /// Bits of a layer with those below, over the last second.
    private func sent(_ meeting: LayeredMeeting, _ layer: LayeredMeeting.Layer) -> Int {
        let frames = meeting.frames.values.filter {
            $0.encoding == layer.encoding && $0.spatial <= layer.spatial
                && ($0.temporal <= layer.temporal || meeting.structure.describedTemporals == 1)
                && $0.capture > 90
        }
        return frames.reduce(0) { $0 + $1.bytes + $1.packets * LayerMeter.overhead } * 8
    }

    @Test func `a layer that stops is gone after a second`() {
        var meter = LayerMeter()
        var packet = PacketInfo()
        packet.payloadLength = 1_178
        packet.frame.isFrameStart = true
        for number in 0..<100 {
            packet.arrival = Instant(nanoseconds: 7_000_000_000 + Int64(number) * 20_000_000)
            packet.frame.temporal = UInt8(number % 2)
            meter.add(packet)
        }
        let (lowest, all) = (LayerLimit(spatial: 0, temporal: 0), LayerLimit())
        let end = packet.arrival
        #expect(abs(meter.bitrate(upTo: all, at: end).bitsPerSecond - 500_000) < 20_000)
        #expect(abs(meter.bitrate(upTo: lowest, at: end).bitsPerSecond - 250_000) < 20_000)
        #expect(abs(meter.framesPerSecond(upTo: LayerLimit(spatial: 0, temporal: 1), at: end) - 50) <= 2)
        #expect(meter.isSent(LayerLimit(spatial: 0, temporal: 1), at: end))
        #expect(!meter.isSent(LayerLimit(spatial: 1, temporal: 0), at: end))
        let later = end + .milliseconds(1_260)
        #expect(meter.bitrate(upTo: all, at: later).bitsPerSecond == 0)
        #expect(!meter.isSent(lowest, at: later))
    }

    @Test func `the rate of what has just begun is told at once`() {
        var meter = LayerMeter()
        var packet = PacketInfo()
        packet.payloadLength = 928
        for start in [Int64(1_000), 60_130] {
            for number in 0..<30 {
                packet.arrival = Instant(nanoseconds: (start + Int64(number) * 10) * 1_000_000)
                meter.add(packet)
            }
            let rate = meter.bitrate(upTo: LayerLimit(), at: packet.arrival).bitsPerSecond
            #expect(abs(rate - 800_000) < 100_000)
        }
    }
}
