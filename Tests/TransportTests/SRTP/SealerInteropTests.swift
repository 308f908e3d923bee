import Testing
import TestSupport
import Transport
import Wire

/// What the sealer writes is opened by libsrtp2, packet by packet.
struct SealerInteropTests {
    @Test(arguments: SRTPSuite.allCases, sealingPreferences)
    func `libsrtp2 opens 200000 packets over sequence wraps`(
        suite: SRTPSuite, preference: SealingPreference
    ) throws {
        var exchange = try Exchange(suite: suite, preference: preference)
        while exchange.opened < 200_000 {
            try exchange.run()
        }
        #expect(exchange.wraps >= 10)
        #expect(exchange.late > 1_000)
    }

    @Test(arguments: SRTPSuite.allCases)
    func `libsrtp2 opens control packets of all lengths`(suite: SRTPSuite) throws {
        var generator = SeededGenerator(seed: 7)
        let engine = SealingEngine()
        var sealer = try Sealer(key: masterKey(suite), engine: engine)
        var receiver = try SRTPReceiver(key: masterKey(suite))
        for round in 0..<2_000 {
            var packet: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, UInt8(round % 3)]
            packet += generator.bytes(4 * generator.below(100))
            #expect(try openRTCP(&receiver, sealRTCP(&sealer, packet)) == packet)
        }
    }
}

/// Two receivers with three streams each, whose packets lie in one buffer as in a worker's turn.
private struct Exchange: ~Copyable {
    /// A stream's way through its numbers: mostly one by one, with gaps, jumps and packets that come late.
    struct Numbers {
        let ssrc: UInt32
        var next: UInt16
        var held: UInt16?
    }

    struct Sealed {
        var receiver: Int
        var offset: Int
        var length: Int
    }

    private(set) var opened = 0
    private(set) var wraps = 0
    private(set) var late = 0

    private var generator: SeededGenerator
    private var engine: SealingEngine
    private var firstSealer: Sealer
    private var secondSealer: Sealer
    private var firstReceiver: SRTPReceiver
    private var secondReceiver: SRTPReceiver
    private var streams: [SealerStream] = []
    private var numbers: [Numbers] = []
    private let pool: [UInt8]
    private var output = [UInt8](repeating: 0, count: 64_000)
    private var expected = [UInt8](repeating: 0, count: 64_000)
    private var sealed: [Sealed] = []

    init(suite: SRTPSuite, preference: SealingPreference) throws {
        var generator = SeededGenerator(seed: 3_711)
        let engine = SealingEngine(preference: preference)
        var first = try Sealer(key: masterKey(suite, seed: 1), engine: engine)
        var second = try Sealer(key: masterKey(suite, seed: 2), engine: engine)
        let firstReceiver = try SRTPReceiver(key: masterKey(suite, seed: 1))
        let secondReceiver = try SRTPReceiver(key: masterKey(suite, seed: 2))
        for index in 0..<6 {
            let ssrc = UInt32(truncatingIfNeeded: generator.next())
            let start = UInt16(32_000 + generator.below(700))
            numbers.append(Numbers(ssrc: ssrc, next: start))
            if index < 3 {
                streams.append(try first.registerStream(SSRC(ssrc)))
            } else {
                streams.append(try second.registerStream(SSRC(ssrc)))
            }
        }
        pool = generator.bytes(4_096)
        self.generator = generator
        self.engine = engine
        self.firstReceiver = firstReceiver
        self.secondReceiver = secondReceiver
        firstSealer = first
        secondSealer = second
    }

    /// Seals up to 50 packets into the buffer, then opens them all.
    mutating func run() throws {
        sealed.removeAll(keepingCapacity: true)
        var offset = generator.below(16)
        for _ in 0..<(1 + generator.below(50)) where offset < 60_000 {
            offset += try sealNext(at: offset)
        }
        flush(&engine, &output)
        for packet in sealed {
            try check(packet)
        }
    }

    private mutating func nextNumber(of index: Int) -> UInt16 {
        if let held = numbers[index].held, generator.below(3) == 0 {
            numbers[index].held = nil
            late += 1
            return held
        }
        let before = numbers[index].next
        let steps =
            switch generator.below(100) {
            case 0...1: 1 + generator.below(1_000)
            case 2...11: 2
            default: 1
            }
        numbers[index].next = before &+ UInt16(steps)
        if numbers[index].next < before {
            wraps += 1
        }
        if steps == 2, numbers[index].held == nil {
            numbers[index].held = before &+ 1
        } else if steps > 2 {
            // Lost for good: it might fall out of the replay window.
            numbers[index].held = nil
        }
        return before
    }

    private mutating func sealNext(at offset: Int) throws -> Int {
        let index = generator.below(6)
        var header = rtpHeader(sequence: nextNumber(of: index), ssrc: numbers[index].ssrc)
        if generator.below(4) == 0 {
            header[0] |= 0x10
            header += [0xbe, 0xde, 0, 1, 0x10, 0x55, 0, 0]
        }
        let long = generator.below(64) == 0
        let prefix = generator.below(3) == 0 ? generator.below(7) : 0
        let payload = generator.below(long ? 1_200 : 32)
        let padding = generator.below(4) == 0 ? generator.below(long ? 256 : 17) : 0
        let source = generator.below(1_024)
        let packet = PacketToSeal(
            stream: streams[index], offset: offset, headerLength: header.count, prefixLength: prefix,
            paddingLength: UInt8(padding))

        var end = offset
        for position in 0..<header.count {
            output[end] = header[position]
            expected[end] = header[position]
            end += 1
        }
        if padding > 0 {
            expected[offset] |= 0x20
        }
        for position in 0..<prefix {
            output[end] = UInt8(position)
            expected[end] = UInt8(position)
            end += 1
        }
        for position in 0..<payload {
            expected[end] = pool[source + position]
            end += 1
        }
        for position in 0..<padding {
            expected[end] = position == padding - 1 ? UInt8(padding) : 0
            end += 1
        }
        let length = try seal(packet, source: source..<source + payload, first: index < 3)
        if length != end - offset + firstSealer.suite.tagLength {
            Issue.record("a packet is sealed to \(length) bytes")
        }
        sealed.append(Sealed(receiver: index / 3, offset: offset, length: length))
        return length
    }

    /// Seals at once or queues, by chance.
    private mutating func seal(_ packet: PacketToSeal, source: Range<Int>, first: Bool) throws -> Int {
        let queues = generator.below(8) != 0
        // A copy: a span of a property would hold on to the whole of self.
        let pool = pool
        let payload = pool.span.extracting(source)
        if first {
            return try write(packet, payload: payload, &firstSealer, &output, &engine, queues: queues)
        }
        return try write(packet, payload: payload, &secondSealer, &output, &engine, queues: queues)
    }

    private mutating func check(_ packet: Sealed) throws {
        var bytes = Array(output[packet.offset..<packet.offset + packet.length])
        var span = bytes.mutableSpan
        let length =
            packet.receiver == 0
            ? try firstReceiver.openRTP(&span, length: packet.length)
            : try secondReceiver.openRTP(&span, length: packet.length)
        var same = length == packet.length - firstSealer.suite.tagLength
        for position in 0..<length where bytes[position] != expected[packet.offset + position] {
            same = false
        }
        if !same {
            Issue.record("packet \(opened) differs")
        }
        opened += 1
    }
}

private func flush(_ engine: inout SealingEngine, _ output: inout [UInt8]) {
    var span = output.mutableSpan
    engine.flush(&span)
}

private func write(
    _ packet: PacketToSeal, payload: Span<UInt8>, _ sealer: inout Sealer, _ output: inout [UInt8],
    _ engine: inout SealingEngine, queues: Bool
) throws -> Int {
    var span = output.mutableSpan
    if queues {
        return try sealer.queueRTP(packet, payload: payload, into: &span, engine: &engine)
    }
    return try sealer.sealRTP(packet, payload: payload, into: &span, engine: &engine)
}
