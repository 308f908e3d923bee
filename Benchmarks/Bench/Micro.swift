import FixedCollections
import Forwarding
import JSON
import Transport
import Wire

/// Single parts of the server, each by itself.
enum Micro {
    static func measure() -> [Measurement] {
        parsing() + sealing() + BandwidthBench.measure() + [slab(), decoding(), encoding()]
    }

    private static let rounds = 10_000

    // MARK: Wire

    private static func parsing() -> [Measurement] {
        var sender = Sender(isVideo: true, mid: mid, ssrc: 1)
        var transport: UInt16 = 0
        sender.beginFrame()
        _ = sender.writeNext(at: Instant(nanoseconds: 1_000_000_000), transport: &transport)
        let length = sender.length
        let packet = sender.packet
        return [
            Measurement("parse an RTP header with its extensions", operations: rounds) {
                for _ in 0..<rounds { keep(elements(in: packet.span.extracting(0..<length))) }
            },
            Measurement("parse a VP8 descriptor", operations: rounds) {
                let payload = packet.span.extracting(24..<length)
                for _ in 0..<rounds { keep((try? VP8Descriptor.parse(payload))?.length) }
            },
        ]
    }

    private static var mid: ShortID {
        guard let mid = ShortID("v") else { preconditionFailure("a mid of one letter") }
        return mid
    }

    private static func elements(in packet: Span<UInt8>) -> Int {
        guard let header = try? RTPHeader.parse(packet) else { return 0 }
        var count = 0
        var elements = HeaderExtensions(of: header)
        while elements.next(in: packet) != nil { count += 1 }
        return count
    }

    // MARK: Transport

    private static func sealing() -> [Measurement] {
        var results: [Measurement] = []
        for preference in [SealingPreference.multiBuffer, .openSSL] {
            for suite in SRTPSuite.allCases {
                for size in [100, 1_100] {
                    var bench = SealingBench(suite: suite, size: size, preference: preference)
                    let name = "seal \(size) bytes by \(bench.implementation), \(suite)"
                    results.append(
                        Measurement(name, unit: "packet", operations: SealingBench.packets) { bench.run() })
                }
            }
        }
        return results
    }

    // MARK: The rest

    private static func slab() -> Measurement {
        var slab = Slab(blockSize: 1_536, capacity: 4_096)
        return Measurement("take a block and give it back", operations: rounds) {
            for _ in 0..<rounds {
                guard let block = slab.take() else { preconditionFailure("the slab has room") }
                slab.giveBack(block)
            }
        }
    }

    private struct Request: Codable {
        var id: Int
        var method: String
        var params: [String: String]
    }

    private static let request = Request(
        id: 7, method: "sendMessage", params: ["type": "chat", "text": "Can everybody see the slides?"])

    private static func decoding() -> Measurement {
        let bytes = (try? JSON.encode(request)) ?? []
        return Measurement("decode a request", operations: 100) {
            for _ in 0..<100 { keep(try? JSON.decode(Request.self, from: bytes)) }
        }
    }

    private static func encoding() -> Measurement {
        Measurement("encode a request", operations: 100) {
            for _ in 0..<100 { keep(try? JSON.encode(request)) }
        }
    }
}
