import FixedCollections
import Testing
import Wire

@testable import Forwarding

/// VP8 descriptors on their way from a publisher to a viewer, in every shape that they can have.
@Suite struct DescriptorTests {
    /// Which values a descriptor has (RFC 7741 section 4.2).
    struct Shape: CustomTestStringConvertible {
        var picture: Picture
        var hasTL0 = false
        var hasLayer = false
        var hasKeyIndex = false
        /// No extension byte at all, else one even if it says that nothing follows.
        var isBare = false

        enum Picture: CaseIterable { case none, short, long }

        var testDescription: String {
            isBare ? "bare" : "\(picture) \(hasTL0 ? "L" : "")\(hasLayer ? "T" : "")\(hasKeyIndex ? "K" : "")"
        }

        static var all: [Shape] {
            var shapes = [Shape(picture: .none, isBare: true)]
            for picture in Picture.allCases {
                for flags in 0..<8 {
                    shapes.append(
                        Shape(
                            picture: picture, hasTL0: flags & 1 != 0, hasLayer: flags & 2 != 0,
                            hasKeyIndex: flags & 4 != 0))
                }
            }
            return shapes
        }

        func bytes(picture number: UInt16, tl0: UInt8, key: UInt8) -> [UInt8] {
            if isBare { return [0x10] }
            let flags: UInt8 =
                (picture == .none ? 0 : 0x80) | (hasTL0 ? 0x40 : 0) | (hasLayer ? 0x20 : 0)
                | (hasKeyIndex ? 0x10 : 0)
            var bytes: [UInt8] = [0x90, flags]
            switch picture {
            case .none: break
            case .short: bytes.append(UInt8(number & 0x7f))
            case .long: bytes += (number | 0x8000).bytes
            }
            if hasTL0 { bytes.append(tl0) }
            if hasLayer || hasKeyIndex { bytes.append((hasLayer ? 0xa0 : 0) | (hasKeyIndex ? key & 31 : 0)) }
            return bytes
        }
    }

    /// Two publishers and a viewer with one seat, at the door of a bench.
    private struct Stage {
        let bench = Bench()
        let senders: [SimulatedSender]
        let publishers: [SimulatedPeer]
        let viewer: SimulatedPeer
        private var sequence: UInt16 = 10

        init() throws {
            let router = try bench.router()
            senders = (1...2).map { SimulatedSender(.camera, mid: shortID("0"), ssrc: $0 * 1_000) }
            publishers = senders.enumerated().map { index, sender in
                SimulatedPeer(participant: UInt64(index + 1), router: router, senders: [sender], seats: 0)
            }
            viewer = SimulatedPeer(participant: 3, router: router, senders: [], seats: 1)
            for peer in publishers + [viewer] { peer.id = try bench.add(peer.setup) }
        }

        /// Lets a publisher send a key frame of one packet; what the viewer gets of it behind the RTP header.
        mutating func forward(_ payload: [UInt8], from index: Int) throws -> [UInt8]? {
            bench.advance(.milliseconds(33))
            let sender = senders[index]
            let fields = RTPFields(
                marker: true, payloadType: Negotiated.vp8, sequenceNumber: SequenceNumber(sequence),
                timestamp: sender.timestamp(at: bench.now), ssrc: sender.ssrc)
            sequence += 1
            bench.receive(
                try PacketPlan(fields: fields, mid: sender.mid, payload: payload).bytes,
                from: publishers[index].id)
            let media = bench.drain().filter { !$0.isControl && $0.peer == viewer.id }
            guard let bytes = media.first?.bytes else { return nil }
            return Array(bytes[try RTPHeader.parse(bytes.span).payloadRange])
        }
    }

    @Test(arguments: Shape.all) func `only the numbers change, over a switch of the source`(
        shape: Shape
    ) throws {
        var stage = try Stage()
        let body: [UInt8] = [0x10] + (0..<40).map { UInt8($0) }
        // The first occupant's numbers are the seat's.
        for step in UInt16(0)..<3 {
            let first = shape.bytes(picture: 126 + step, tl0: 254 &+ UInt8(step), key: 30 + UInt8(step))
            #expect(try stage.forward(first + body, from: 0) == first + body)
        }
        stage.bench.setLive(false, .camera, of: stage.publishers[0].id)
        // The next one's go on from there, whatever its own are.
        for step in UInt16(0)..<3 {
            let own = shape.bytes(picture: 77 + step, tl0: 5 + UInt8(step), key: 9 + UInt8(step))
            let expected = shape.bytes(picture: 129 + step, tl0: 1 + UInt8(step), key: 1 + UInt8(step))
            #expect(try stage.forward(own + body, from: 1) == expected + body)
        }
    }

    @Test func `what is cut within its descriptor goes nowhere`() throws {
        let whole = Shape(picture: .long, hasTL0: true, hasLayer: true, hasKeyIndex: true)
            .bytes(picture: 1, tl0: 2, key: 3)
        var stage = try Stage()
        for count in 1...whole.count {
            #expect(try stage.forward(Array(whole.prefix(count)), from: 0) == nil)
        }
        #expect(stage.bench.counters.malformed == UInt64(whole.count))
        #expect(try stage.forward(whole + [0x10], from: 0) != nil)
    }
}
