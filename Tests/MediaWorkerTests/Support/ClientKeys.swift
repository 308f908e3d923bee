import Transport
import TransportTestSupport
import Wire

/// A client's SRTP, both ways: the server's with the keys swapped.
struct ClientKeys: ~Copyable {
    let suite: SRTPSuite
    private var engine: SealingEngine
    private var sealer: Sealer
    private var receiver: SRTPReceiver
    private var streams: [SSRC: SealerStream]

    init(_ dtls: DTLSTestClient) throws {
        let keys = try dtls.exportKeys()
        let engine = SealingEngine(preference: .openSSL)
        let sealer = try Sealer(key: keys.client, streamCapacity: 256, engine: engine)
        let receiver = try SRTPReceiver(
            key: keys.server, limits: SRTPReceiver.Limits(replayWindow: 1_024, maximumStreams: 512))
        suite = keys.client.suite
        self.engine = engine
        self.sealer = sealer
        self.receiver = receiver
        streams = [:]
    }

    mutating func seal(_ header: [UInt8], _ payload: [UInt8], ssrc: SSRC) throws -> [UInt8] {
        let known = streams[ssrc]
        let stream = try known ?? sealer.registerStream(ssrc)
        streams[ssrc] = stream
        var packet = header + [UInt8](repeating: 0, count: payload.count + 16)
        var span = packet.mutableSpan
        let length = try sealer.sealRTP(
            PacketToSeal(stream: stream, headerLength: header.count), payload: payload.span, into: &span,
            engine: &engine)
        return Array(packet[..<length])
    }

    mutating func sealControl(_ packet: [UInt8]) throws -> [UInt8] {
        var sealed = packet + [UInt8](repeating: 0, count: suite.rtcpOverhead)
        var span = sealed.mutableSpan
        let length = try sealer.sealRTCP(&span, length: packet.count)
        return Array(sealed[..<length])
    }

    mutating func open(_ packet: [UInt8]) throws -> [UInt8] {
        var copy = packet
        var span = copy.mutableSpan
        let length = try receiver.openRTP(&span, length: packet.count)
        return Array(copy[..<length])
    }

    mutating func openControl(_ packet: [UInt8]) throws -> [UInt8] {
        var copy = packet
        var span = copy.mutableSpan
        let length = try receiver.openRTCP(&span, length: packet.count)
        return Array(copy[..<length])
    }
}
