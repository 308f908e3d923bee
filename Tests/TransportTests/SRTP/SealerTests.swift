import Testing
import Wire

@testable import Transport

struct SealerTests {
    @Test func `the rollover counter follows wraps and packets just behind them`() throws {
        var stream = OutboundStream(ssrc: 1)
        #expect(try stream.take(65_534) == 0)
        #expect(try stream.take(0) == 1)
        #expect(try stream.take(65_535) == 0)
        #expect(try stream.take(1) == 1)
        #expect(try stream.take(32_000) == 1)
        #expect(try stream.take(60_000) == 1)
        #expect(try stream.take(5) == 2)
        #expect(try stream.take(59_999) == 1)
    }

    @Test func `a number is sealed once`() throws {
        var stream = OutboundStream(ssrc: 1)
        for sequence in 1_000..<UInt16(1_064) {
            #expect(try stream.take(sequence) == 0)
        }
        for sequence in 1_000..<UInt16(1_064) {
            #expect(failure { try stream.take(sequence) } == .alreadySealed)
        }
        #expect(try stream.take(1_066) == 0)
        #expect(try stream.take(1_065) == 0)
        #expect(failure { try stream.take(1_065) } == .alreadySealed)
    }

    @Test func `a number before the first one is refused`() throws {
        var stream = OutboundStream(ssrc: 1)
        #expect(try stream.take(2) == 0)
        #expect(failure { try stream.take(65_535) } == .beforeFirst)
        #expect(try stream.take(1) == 0)
    }

    @Test func `a stream that is registered again goes on with its counter`() throws {
        var table = OutboundStreamTable(capacity: 2)
        let first = try table.register(7)
        #expect(try table.register(7) == first)
        #expect(try table.take(65_535, ssrc: 7, stream: first) == 0)
        #expect(try table.take(0, ssrc: 7, stream: first) == 1)
        table.unregister(first)
        #expect(failure { try table.take(1, ssrc: 7, stream: first) } == .unknownStream)
        #expect(try table.register(7) == first)
        #expect(try table.take(1, ssrc: 7, stream: first) == 1)
    }

    @Test func `the table refuses when all streams are in use and reuses retired ones last`() throws {
        var table = OutboundStreamTable(capacity: 2)
        let first = try table.register(1)
        table.unregister(first)
        #expect(try table.register(2) != first)
        #expect(try table.register(3) == first)
        #expect(failure { try table.register(4) } == .tooManyStreams)
        #expect(failure { try table.take(1, ssrc: 1, stream: first) } == .unknownStream)
        #expect(failure { try table.take(1, ssrc: 1, stream: 2) } == .unknownStream)
    }

    @Test(arguments: SRTPSuite.allCases, sealingPreferences)
    func `lengths out of bounds are refused and nothing is written`(
        suite: SRTPSuite, preference: SealingPreference
    ) throws {
        var engine = SealingEngine(preference: preference)
        var sealer = try Sealer(key: masterKey(suite), engine: engine)
        let stream = try sealer.registerStream(SSRC(1))
        var output = rtpHeader(sequence: 1, ssrc: 1) + [UInt8](repeating: 0, count: 8 + suite.tagLength)
        let before = output
        let payload: [UInt8] = [1, 2, 3, 4]
        let cases: [(offset: Int, header: Int, prefix: Int, padding: UInt8)] = [
            (0, 11, 0, 0), (0, 12, 5, 0), (0, 12, 0, 5), (1, 12, 4, 0), (-1, 12, 0, 0), (0, 12, -1, 0),
            (0, .max, 0, 0), (0, 12, .max, 0), (.max, 12, 0, 0), (0, -12, 40, 0),
        ]
        for value in cases {
            let packet = PacketToSeal(
                stream: stream, offset: value.offset, headerLength: value.header,
                prefixLength: value.prefix, paddingLength: value.padding)
            var span = output.mutableSpan
            do {
                _ = try sealer.sealRTP(packet, payload: payload.span, into: &span, engine: &engine)
                Issue.record("sealed \(value)")
            } catch {
                #expect(error == .outOfBounds)
            }
        }
        #expect(output == before)
        let fits = PacketToSeal(stream: stream, headerLength: 12, prefixLength: 4)
        var span = output.mutableSpan
        #expect(
            try sealer.sealRTP(fits, payload: payload.span, into: &span, engine: &engine) == before.count)
    }

    @Test func `a header with another SSRC is refused`() throws {
        var engine = SealingEngine()
        var sealer = try Sealer(key: masterKey(.aes128GCM), engine: engine)
        let stream = try sealer.registerStream(SSRC(1))
        let header = rtpHeader(sequence: 1, ssrc: 2)
        #expect(
            failure { try seal(&sealer, stream, header: header, payload: [1], engine: &engine) }
                == .unknownStream)
    }

    @Test(arguments: SRTPSuite.allCases, sealingPreferences)
    func `a packet beside others changes none of their bytes`(
        suite: SRTPSuite, preference: SealingPreference
    ) throws {
        var engine = SealingEngine(preference: preference)
        var sealer = try Sealer(key: masterKey(suite), engine: engine)
        let stream = try sealer.registerStream(SSRC(1))
        for payload in [0, 1, 15, 16, 17, 63, 64, 65, 127, 1_100] {
            let total = 12 + payload + suite.tagLength
            var output = [UInt8](repeating: 0xee, count: 50 + total + 50)
            let header = rtpHeader(sequence: UInt16(payload + 1), ssrc: 1)
            output.replaceSubrange(50..<62, with: header)
            let bytes = [UInt8](repeating: 7, count: payload)
            let packet = PacketToSeal(stream: stream, offset: 50, headerLength: 12)
            var span = output.mutableSpan
            let length = try sealer.queueRTP(packet, payload: bytes.span, into: &span, engine: &engine)
            engine.flush(&span)
            #expect(length == total)
            #expect(output[..<50].allSatisfy { $0 == 0xee })
            #expect(output[(50 + total)...].allSatisfy { $0 == 0xee })
        }
    }

    @Test(arguments: sealingPreferences)
    func `more packets than the queue holds are sealed in one batch`(preference: SealingPreference) throws {
        var engine = SealingEngine(preference: preference)
        var sealer = try Sealer(key: masterKey(.aes128CMSHA1), engine: engine)
        var receiver = try SRTPReceiver(key: masterKey(.aes128CMSHA1))
        let stream = try sealer.registerStream(SSRC(1))
        var output = [UInt8](repeating: 0, count: 300 * 64)
        let payload = [UInt8](repeating: 9, count: 40)
        for index in 0..<300 {
            let header = rtpHeader(sequence: UInt16(index), ssrc: 1)
            output.replaceSubrange(index * 62..<index * 62 + 12, with: header)
            var span = output.mutableSpan
            let packet = PacketToSeal(stream: stream, offset: index * 62, headerLength: 12)
            _ = try sealer.queueRTP(packet, payload: payload.span, into: &span, engine: &engine)
        }
        var span = output.mutableSpan
        engine.flush(&span)
        for index in 0..<300 {
            let packet = Array(output[index * 62..<index * 62 + 62])
            #expect(try open(&receiver, packet).count == 52)
        }
    }

    @Test(arguments: sealingPreferences)
    func `packets in the queue are sealed though their sealer is gone`(preference: SealingPreference) throws {
        var engine = SealingEngine(preference: preference)
        var receiver = try SRTPReceiver(key: masterKey(.aes128CMSHA1))
        var output = rtpHeader(sequence: 5, ssrc: 1) + [UInt8](repeating: 0, count: 20)
        try queueAndForget(&output, engine: &engine)
        var span = output.mutableSpan
        engine.flush(&span)
        #expect(try open(&receiver, output) == rtpHeader(sequence: 5, ssrc: 1) + [UInt8](0..<10))

        // And an engine that goes with a queue that was never flushed.
        var second = rtpHeader(sequence: 5, ssrc: 1) + [UInt8](repeating: 0, count: 20)
        try queueAndForget(&second, engine: &engine)
    }

    @Test func `a sealer refuses the engine of another implementation`() throws {
        let first = SealingEngine(preference: .multiBuffer)
        guard first.implementation == .multiBuffer else {
            return
        }
        var second = SealingEngine(preference: .openSSL)
        var sealer = try Sealer(key: masterKey(.aes128GCM), engine: first)
        let stream = try sealer.registerStream(SSRC(1))
        let header = rtpHeader(sequence: 1, ssrc: 1)
        #expect(
            failure { try seal(&sealer, stream, header: header, payload: [1], engine: &second) }
                == .otherEngine)
    }

    @Test func `the engine says what it picked and why`() {
        let asked = SealingEngine(preference: .openSSL)
        #expect(asked.implementation == .openSSL)
        #expect(asked.reason == "asked for by the configuration")
        let picked = SealingEngine()
        #if ROSTRUM_IPSEC_MB
            #expect(picked.implementation == .multiBuffer || picked.reason.contains("lacks"))
        #else
            #expect(picked.implementation == .openSSL)
        #endif
        #expect(!picked.reason.isEmpty)
    }

    @Test func `control packets end when their index does`() throws {
        let engine = SealingEngine()
        var sealer = try Sealer(key: masterKey(.aes128GCM), engine: engine)
        let packet: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 1]
        #expect(failure { try sealRTCP(&sealer, Array(packet[..<7])) } == .tooShort)
        sealer.rtcpIndex = 0x7fff_ffff
        let last = try sealRTCP(&sealer, packet)
        #expect(Array(last.suffix(4)) == [0xff, 0xff, 0xff, 0xff])
        #expect(failure { try sealRTCP(&sealer, packet) } == .keyExpired)
    }

    private func queueAndForget(_ output: inout [UInt8], engine: inout SealingEngine) throws {
        var sealer = try Sealer(key: masterKey(.aes128CMSHA1), engine: engine)
        let stream = try sealer.registerStream(SSRC(1))
        let payload = [UInt8](0..<10)
        var span = output.mutableSpan
        let packet = PacketToSeal(stream: stream, headerLength: 12)
        _ = try sealer.queueRTP(packet, payload: payload.span, into: &span, engine: &engine)
    }
}
