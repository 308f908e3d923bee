import FixedCollections
import Transport
import Wire

/// Seals the packets of a turn for sixteen receivers, as an egress batch does.
struct SealingBench: ~Copyable {
    static let receivers = 16
    static let packetsEach = 4
    static var packets: Int { receivers * packetsEach }

    private var engine: SealingEngine
    private var sealers: Table<Sealer>
    private var streams: [SealerStream] = []
    private var output = FixedArray<UInt8>(repeating: 0, count: SealingBench.packets * 1_200)
    private let payload: FixedArray<UInt8>
    private var sequence: UInt16 = 0

    /// - Parameter size: bytes of a packet without its tag.
    init(suite: SRTPSuite, size: Int, preference: SealingPreference) {
        engine = SealingEngine(preference: preference)
        sealers = Table(capacity: Self.receivers)
        payload = FixedArray(repeating: 0x5a, count: size - 12)
        for number in 0..<Self.receivers {
            let key = FixedArray<UInt8>(repeating: UInt8(number), count: 64)
            do throws(SRTPError) {
                let master = try SRTPMasterKey(
                    suite: suite, key: key.span.extracting(0..<suite.keyLength),
                    salt: key.span.extracting(0..<suite.saltLength))
                var sealer = try Sealer(key: master, streamCapacity: 1, engine: engine)
                streams.append(try sealer.registerStream(SSRC(UInt32(number))))
                _ = sealers.insert(sealer)
            } catch {
                preconditionFailure("a key of the suite's length makes a sealer")
            }
        }
    }

    var implementation: SealingImplementation { engine.implementation }

    mutating func run() {
        for number in 0..<Self.receivers {
            for packet in 0..<Self.packetsEach {
                let offset = (number * Self.packetsEach + packet) * 1_200
                seal(number, at: offset, sequence: sequence &+ UInt16(packet))
            }
        }
        Self.flush(&engine, &output)
        sequence &+= UInt16(Self.packetsEach)
    }

    private mutating func seal(_ number: Int, at offset: Int, sequence: UInt16) {
        let fields = RTPFields(
            marker: false, payloadType: PayloadType(96), sequenceNumber: SequenceNumber(sequence),
            timestamp: RTPTimestamp(0), ssrc: SSRC(UInt32(number)))
        let request = PacketToSeal(stream: streams[number], offset: offset, headerLength: 12)
        let length = Self.seal(fields, request, payload, by: &sealers[number], &engine, into: &output)
        precondition(length > 0, "a packet of the bench can be sealed")
    }

    private static func seal(
        _ fields: RTPFields, _ request: PacketToSeal, _ payload: borrowing FixedArray<UInt8>,
        by sealer: inout Sealer, _ engine: inout SealingEngine, into output: inout FixedArray<UInt8>
    ) -> Int {
        var span = output.mutableSpan
        var room = span._mutatingExtracting(request.offset..<(request.offset + 1_200))
        guard (try? RTPWriter(fields, into: &room)) != nil else { return 0 }
        return (try? sealer.queueRTP(request, payload: payload.span, into: &span, engine: &engine)) ?? 0
    }

    private static func flush(_ engine: inout SealingEngine, _ output: inout FixedArray<UInt8>) {
        var span = output.mutableSpan
        engine.flush(&span)
    }
}
