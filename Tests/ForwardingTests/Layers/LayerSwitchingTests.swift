import FixedCollections
import TestSupport
import Testing
import Wire

@testable import Forwarding

/// Switches among all layers of what browsers send, with a model of a decoder at the end.
@Suite struct LayerSwitchingTests {
    private typealias Layer = LayeredMeeting.Layer

    /// Has the viewer wander among all layers.
    private func wander(_ meeting: LayeredMeeting, switches: Int) throws {
        let layers = meeting.allLayers
        try meeting.run(milliseconds: 1_500)
        for _ in 0..<switches {
            meeting.allot(layers[meeting.generator.below(layers.count)])
            try meeting.run(milliseconds: 20 + meeting.generator.below(700))
        }
    }

    @Test(arguments: LayeredStructure.all, [1, 2]) func `a decoder doesn't notice switches`(
        structure: LayeredStructure, seed: UInt64
    ) throws {
        let meeting = try LayeredMeeting(structure, seed: seed)
        try wander(meeting, switches: 60)
        let decoder = meeting.decoder
        let frames = decoder.frames(meeting.frames)
        #expect(frames.count > 200)
        #expect(decoder.undecodable(meeting.frames) == [])
        #expect(frames.filter { $0.packets.count < $0.frame.packets }.dropLast(3).isEmpty)
        #expect(decoder.gaps == 0 && decoder.repeated == 0)
        #expect(decoder.timestampFaults(meeting.frames) == [])
        // Sound stays with the picture: within a millisecond of the sender's clock.
        #expect(decoder.clockSpread(meeting.frames) <= 90)
        #expect(decoder.markerFaults(meeting.frames) == [])
        #expect(decoder.numberFaults(meeting.frames) == [])
    }

    @Test(arguments: LayeredStructure.all, [3, 4])
    func `nothing that is shown lacks anything, with loss and disorder`(
        structure: LayeredStructure, seed: UInt64
    ) throws {
        let meeting = try LayeredMeeting(structure, seed: seed)
        meeting.uplink = LayeredMeeting.Uplink(loss: 0.01, repaired: 0.02, jitter: 12)
        try wander(meeting, switches: 60)
        let decoder = meeting.decoder
        #expect(decoder.frames(meeting.frames).count > 150)
        #expect(decoder.undecodable(meeting.frames) == [])
        #expect(decoder.repeated == 0)
    }

    @Test(arguments: LayeredStructure.all) func `each layer is reached, all of it comes and nothing above`(
        structure: LayeredStructure
    ) throws {
        let meeting = try LayeredMeeting(structure, seed: 5)
        try meeting.run(milliseconds: 1_500)
        var layers = meeting.allLayers
        layers += layers.reversed() + layers.shuffled(using: &meeting.generator)
        for layer in layers {
            meeting.allot(layer)
            try meeting.run(milliseconds: 1_400)
            let start = meeting.capture
            try meeting.run(milliseconds: 500)
            let shown = Set(
                meeting.decoder.frames(meeting.frames).filter { $0.frame.capture > start }.map(\.number))
            let wanted = meeting.frames.filter { _, frame in
                frame.capture > start && frame.encoding == layer.encoding && frame.spatial <= layer.spatial
                    && (frame.temporal <= layer.temporal || structure.describedTemporals == 1)
            }
            #expect(shown.subtracting(wanted.keys).isEmpty, "more than \(layer)")
            #expect(wanted.count - shown.count <= structure.spatials, "less than \(layer)")
        }
    }

    @Test(arguments: LayeredStructure.all) func `statistics name the layer that is sent, and how tall it is`(
        structure: LayeredStructure
    ) throws {
        let meeting = try LayeredMeeting(structure, seed: 8)
        try meeting.run(milliseconds: 1_500)
        // These H.264 encoders say how tall pictures are in a dependency descriptor only.
        let tells = structure.codec != .h264 || structure.isDescribed
        for layer in meeting.allLayers {
            meeting.allot(layer)
            try meeting.run(milliseconds: 1_400)
            let all = meeting.bench.forwarder.linkStatistics(of: meeting.viewer).seats
            let seat = try #require(all.first { $0.isVideo })
            #expect(seat.isSent)
            #expect(seat.rid == meeting.encoders[layer.encoding].rid)
            #expect(seat.temporal == layer.temporal)
            let height = structure.height(ofSpatial: layer.spatial, encoding: layer.encoding)
            #expect(seat.height == (tells ? height : nil))
            // Encodings that don't say are put in order by their bits, which wander here.
            if tells { #expect(seat.spatial == layer.encoding + layer.spatial) }
        }
    }

    @Test(arguments: LayeredStructure.all.filter { $0.codec == .av1 && $0.spatials > 1 })
    func `who doesn't get the descriptor gets the lowest spatial layer of AV1, which needs none`(
        structure: LayeredStructure
    ) throws {
        let meeting = try LayeredMeeting(
            structure, seed: 9, viewerGets: Negotiated.extensions(without: .dependencyDescriptor))
        try meeting.run(milliseconds: 3_000)
        let shown = meeting.decoder.frames(meeting.frames).filter { $0.frame.capture > 60 }
        #expect(shown.count > 20)
        #expect(shown.allSatisfy { $0.frame.spatial == 0 })
    }

    @Test(arguments: LayeredStructure.all) func `what was sent before a switch comes again as it was`(
        structure: LayeredStructure
    ) throws {
        let meeting = try LayeredMeeting(structure, seed: 6)
        let layers = meeting.allLayers
        try meeting.run(milliseconds: 1_500)
        var requested = Set<UInt16>()
        for _ in 0..<12 {
            meeting.allot(layers[meeting.generator.below(layers.count)])
            try meeting.run(milliseconds: 250)
            let recent = meeting.decoder.inOrder.suffix(30).map { UInt16(truncatingIfNeeded: $0.extended) }
            requested.formUnion(recent)
            try meeting.request(recent)
            try meeting.run(milliseconds: 150)
        }
        let again = meeting.decoder.retransmitted
        #expect(requested.count > 100 && requested == Set(again.keys))
        for (number, packet) in again {
            let first = meeting.decoder.packets.values.first {
                UInt16(truncatingIfNeeded: $0.extended) == number
            }
            #expect(packet.payload == first?.payload && packet.descriptor == first?.descriptor)
            #expect(packet.timestamp == first?.timestamp && packet.marker == first?.marker)
        }
    }

    @Test(arguments: LayeredStructure.all) func `paused, nothing comes, and it goes on with a key frame`(
        structure: LayeredStructure
    ) throws {
        let meeting = try LayeredMeeting(structure, seed: 7)
        try meeting.run(milliseconds: 1_500)
        var paused = SeatAllotment()
        paused.isPaused = true
        meeting.allot(paused)
        let count = meeting.decoder.packets.count
        try meeting.run(milliseconds: 1_500)
        #expect(meeting.decoder.packets.count == count)
        meeting.allot(SeatAllotment())
        try meeting.run(milliseconds: 1_500)
        #expect(meeting.decoder.packets.count > count + 30)
        #expect(meeting.decoder.undecodable(meeting.frames) == [] && meeting.decoder.gaps == 0)
        #expect(meeting.decoder.numberFaults(meeting.frames) == [])
    }

    @Test(arguments: LayeredStructure.all.filter { $0.encodings > 1 && $0.describedTemporals > 1 })
    func `until a smaller encoding's key frame comes, the one that is shown loses its upper layers`(
        structure: LayeredStructure
    ) throws {
        let meeting = try LayeredMeeting(structure, seed: 9)
        try meeting.run(milliseconds: 2_500)
        meeting.answersRequests = false
        meeting.allot(Layer(encoding: 0, spatial: 0, temporal: structure.temporals - 1))
        let start = meeting.capture + 1
        try meeting.run(milliseconds: 1_000)
        let shown = meeting.decoder.frames(meeting.frames).filter { $0.frame.capture > start }
        #expect(shown.count > 5)
        #expect(shown.allSatisfy { $0.frame.encoding == structure.encodings - 1 && $0.frame.temporal == 0 })
        meeting.encoders[0].request()
        try meeting.run(milliseconds: 1_000)
        let last = meeting.decoder.frames(meeting.frames).suffix(10)
        #expect(last.allSatisfy { $0.frame.encoding == 0 })
        #expect(meeting.decoder.undecodable(meeting.frames) == [])
    }

    @Test(arguments: LayeredStructure.all, [1, 2]) func `changed descriptors trap nothing`(
        structure: LayeredStructure, seed: UInt64
    ) throws {
        let meeting = try LayeredMeeting(structure, seed: seed)
        meeting.corruption = 0.2
        try wander(meeting, switches: 40)
        #expect(meeting.decoder.packets.count > 50)
        #expect(meeting.decoder.repeated == 0)
        // It goes on as before.
        meeting.corruption = 0
        meeting.allot(SeatAllotment())
        for encoder in meeting.encoders { encoder.request() }
        try meeting.run(milliseconds: 1_500)
        let count = meeting.decoder.packets.count
        try meeting.run(milliseconds: 500)
        #expect(meeting.decoder.packets.count > count + 10)
    }
}
