import Testing
import TestSupport
import Transport
import Wire

struct SRTPReceiverTests {
    @Test(arguments: SRTPSuite.allCases)
    func `a replayed packet is refused`(suite: SRTPSuite) throws {
        var pair = try Pair(suite)
        let packet = try pair.next()
        let control = try sealRTCP(&pair.sealer, [0x80, 201, 0, 1, 1, 2, 3, 4])
        #expect(try open(&pair.receiver, packet).count == 12 + 40)
        #expect(failure { try open(&pair.receiver, packet) } == .replayed)
        #expect(try openRTCP(&pair.receiver, control) == [0x80, 201, 0, 1, 1, 2, 3, 4])
        #expect(failure { try openRTCP(&pair.receiver, control) } == .replayed)
    }

    @Test(arguments: [128, 1_024])
    func `the replay window is as wide as asked for`(window: Int) throws {
        var pair = try Pair(.aes128GCM, limits: .init(replayWindow: window))
        let packets = try (0..<window + 1).map { _ in try pair.next() }
        _ = try open(&pair.receiver, packets[window])
        #expect(failure { try open(&pair.receiver, packets[0]) } == .replayed)
        #expect(failure { try open(&pair.receiver, packets[1]) } == nil)
    }

    @Test(arguments: SRTPSuite.allCases)
    func `a truncated packet is refused at every length`(suite: SRTPSuite) throws {
        var pair = try Pair(suite)
        let packet = try pair.next()
        let control = try sealRTCP(&pair.sealer, [0x80, 201, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8])
        for length in 0..<packet.count {
            let error = failure { try open(&pair.receiver, Array(packet[..<length])) }
            #expect(error == (length < 12 + suite.tagLength ? .tooShort : .authenticationFailed))
        }
        for length in 0..<control.count {
            let error = failure { try openRTCP(&pair.receiver, Array(control[..<length])) }
            #expect(error != nil)
            if length < 8 + suite.rtcpOverhead {
                #expect(error == .tooShort)
            }
        }
        #expect(pair.receiver.streamCount == 0)
        #expect(failure { try open(&pair.receiver, packet) } == nil)
        #expect(failure { try openRTCP(&pair.receiver, control) } == nil)
    }

    @Test(arguments: SRTPSuite.allCases)
    func `a packet with any bit flipped is refused`(suite: SRTPSuite) throws {
        var pair = try Pair(suite)
        _ = try open(&pair.receiver, pair.next())
        let packet = try pair.next()
        let control = try sealRTCP(&pair.sealer, [0x80, 201, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8])
        for bit in 0..<packet.count * 8 {
            var damaged = packet
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(failure { try open(&pair.receiver, damaged) } != nil, "bit \(bit)")
        }
        for bit in 0..<control.count * 8 {
            var damaged = control
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(failure { try openRTCP(&pair.receiver, damaged) } != nil, "bit \(bit)")
        }
        #expect(pair.receiver.streamCount == 1)
        #expect(failure { try open(&pair.receiver, packet) } == nil)
        #expect(failure { try openRTCP(&pair.receiver, control) } == nil)
    }

    @Test(arguments: SRTPSuite.allCases)
    func `random bytes are refused and leave nothing behind`(suite: SRTPSuite) throws {
        var generator = SeededGenerator(seed: 5)
        var receiver = try SRTPReceiver(key: masterKey(suite))
        for round in 0..<20_000 {
            var packet = generator.bytes(generator.below(120))
            if !packet.isEmpty, round % 4 != 0 {
                packet[0] = packet[0] & 0x3f | 0x80
            }
            #expect(failure { try open(&receiver, packet) } != nil)
            #expect(failure { try openRTCP(&receiver, packet) } != nil)
        }
        #expect(receiver.streamCount == 0)
    }

    @Test func `a length beyond the packet is refused`() throws {
        var receiver = try SRTPReceiver(key: masterKey(.aes128GCM))
        var bytes = [UInt8](repeating: 0x80, count: 40)
        #expect(failure { try openBeyond(&receiver, &bytes, length: 41) } == .outOfBounds)
        #expect(failure { try openBeyond(&receiver, &bytes, length: -1) } == .tooShort)
    }

    @Test func `an extension that reaches behind the packet is refused`() throws {
        var receiver = try SRTPReceiver(key: masterKey(.aes128GCM))
        var packet = rtpHeader(sequence: 1, ssrc: 1) + [0xbe, 0xde, 0xff, 0xff]
        packet += [UInt8](repeating: 0, count: 60)
        packet[0] = 0x9f
        #expect(failure { try open(&receiver, packet) } == .tooShort)
    }

    @Test func `100000 spoofed SSRCs leave no stream`() throws {
        var pair = try Pair(.aes128GCM)
        _ = try open(&pair.receiver, pair.next())
        var packet = try pair.next()
        for ssrc in 0..<UInt32(100_000) {
            for byte in 0..<4 {
                packet[8 + byte] = UInt8(truncatingIfNeeded: ssrc >> UInt32(8 * byte))
            }
            #expect(failure { try open(&pair.receiver, packet) } == .authenticationFailed)
        }
        #expect(pair.receiver.streamCount == 1)
    }

    @Test func `a peer that knows the key gets no more streams than allowed`() throws {
        var engine = SealingEngine()
        var receiver = try SRTPReceiver(key: masterKey(.aes128GCM), limits: .init(maximumStreams: 8))
        var refused = 0
        var sealer = try Sealer(key: masterKey(.aes128GCM), streamCapacity: 256, engine: engine)
        for ssrc in 1...UInt32(256) {
            let stream = try sealer.registerStream(SSRC(ssrc))
            let header = rtpHeader(sequence: 1, ssrc: ssrc)
            let packet = try seal(&sealer, stream, header: header, payload: [1, 2, 3], engine: &engine)
            if failure({ try open(&receiver, packet) }) == .tooManyStreams {
                refused += 1
            }
        }
        #expect(receiver.streamCount == 8)
        #expect(refused == 248)
        receiver.removeStream(SSRC(3))
        #expect(receiver.streamCount == 7)
    }

    @Test func `an SSRC starts again after its stream was removed`() throws {
        var pair = try Pair(.aes128CMSHA1)
        let packet = try pair.next()
        _ = try open(&pair.receiver, packet)
        pair.receiver.removeStream(SSRC(99))
        #expect(failure { try open(&pair.receiver, packet) } == .replayed)
        pair.receiver.removeStream(Pair.ssrc)
        #expect(failure { try open(&pair.receiver, packet) } == nil)
    }

    @Test func `limits and keys out of bounds are refused`() throws {
        #expect(failure { try Self.make(window: 127, streams: 1) } == .outOfBounds)
        #expect(failure { try Self.make(window: 1_025, streams: 1) } == .outOfBounds)
        #expect(failure { try Self.make(window: 128, streams: 0) } == .outOfBounds)
        #expect(failure { try Self.make(window: 128, streams: 1) } == nil)
    }

    @Test func `receivers on several threads open what is theirs`() async throws {
        let opened = try await withThrowingTaskGroup(of: Int.self) { group in
            for seed in 1...8 {
                group.addTask {
                    var count = 0
                    for suite in SRTPSuite.allCases {
                        var pair = try Pair(suite, seed: UInt64(seed))
                        for _ in 0..<200 {
                            count += try open(&pair.receiver, pair.next()).count == 52 ? 1 : 0
                        }
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(opened == 8 * 3 * 200)
    }

    private static func make(window: Int, streams: Int) throws {
        _ = try SRTPReceiver(
            key: masterKey(.aes128GCM), limits: .init(replayWindow: window, maximumStreams: streams))
    }

    private func openBeyond(_ receiver: inout SRTPReceiver, _ bytes: inout [UInt8], length: Int) throws {
        var span = bytes.mutableSpan
        _ = try receiver.openRTP(&span, length: length)
    }
}

/// A sealer with one stream and the receiver for it.
private struct Pair: ~Copyable {
    static let ssrc = SSRC(0x1122_3344)

    var engine: SealingEngine
    var sealer: Sealer
    var receiver: SRTPReceiver
    private let stream: SealerStream
    private var sequence: UInt16 = 100

    init(_ suite: SRTPSuite, limits: SRTPReceiver.Limits = .init(), seed: UInt64 = 1) throws {
        let engine = SealingEngine()
        var sealer = try Sealer(key: masterKey(suite, seed: seed), engine: engine)
        let receiver = try SRTPReceiver(key: masterKey(suite, seed: seed), limits: limits)
        stream = try sealer.registerStream(Self.ssrc)
        self.engine = engine
        self.sealer = sealer
        self.receiver = receiver
    }

    /// The next packet, of 40 bytes of payload.
    mutating func next() throws -> [UInt8] {
        let header = rtpHeader(sequence: sequence, ssrc: Self.ssrc.rawValue)
        sequence &+= 1
        let payload = [UInt8](repeating: 0x42, count: 40)
        return try seal(&sealer, stream, header: header, payload: payload, engine: &engine)
    }
}
