import FixedCollections
import Testing
import TransportTestSupport
import Wire

@testable import Transport

/// A transport with what is around it on the server, driven with arrays.
final class TestPeer {
    let credentials: ICECredentials
    private(set) var transport: PeerTransport
    private var engine = SealingEngine(preference: .openSSL)
    private var output = OutputDatagrams()
    /// What the last call wanted sent.
    private(set) var sent: [(bytes: [UInt8], path: TransportPath)] = []

    init(
        context: DTLSContext? = nil, fingerprints: [CertificateFingerprint] = [], lane: Int = 0,
        limits: SRTPReceiver.Limits = SRTPReceiver.Limits(),
        remote: RemoteICECredentials? = TestAnswer.credentials, now: Instant = .at(0)
    ) throws {
        credentials = try .random(lane: lane)
        let context = try context ?? DTLSContext(certificate: .generate())
        let configuration = PeerTransportConfiguration(
            credentials: credentials, remote: remote, fingerprints: fingerprints, context: context,
            receiverLimits: limits)
        transport = try PeerTransport(configuration: configuration, now: now)
    }

    @discardableResult
    func stun(_ bytes: [UInt8], from path: TransportPath = udpPath(), at now: Instant = .at(0)) -> STUNOutcome
    {
        let outcome = transport.receiveSTUN(bytes.span, from: path, now: now, into: &output)
        drain()
        return outcome
    }

    /// A good check.
    @discardableResult
    func check(
        from path: TransportPath = udpPath(), at now: Instant = .at(0), nominates: Bool = true
    ) throws -> STUNOutcome {
        stun(try TestCheck(credentials: credentials, nominates: nominates).bytes(), from: path, at: now)
    }

    /// Answers the check of the transport's own that it wanted sent last.
    @discardableResult
    func prove(
        _ path: TransportPath = udpPath(), at now: Instant = .at(0),
        password: String = TestAnswer.credentials.password
    ) throws -> STUNOutcome {
        let probe = try #require(
            sent.last { $0.path == path && STUNHeader($0.bytes.span)?.type == .bindingRequest })
        var answer = try TestAnswer(to: probe.bytes)
        answer.password = password
        return stun(try answer.bytes(), from: path, at: now)
    }

    @discardableResult
    func dtls(_ bytes: [UInt8], from path: TransportPath = udpPath(), at now: Instant = .at(0)) -> DTLSOutcome
    {
        VirtualClock.set(now)
        defer { VirtualClock.clear() }
        let outcome = transport.receiveDTLS(
            bytes.span, from: path, now: now, engine: engine, into: &output)
        drain()
        return outcome
    }

    @discardableResult
    func timeout(at now: Instant) -> TransportTimeout {
        VirtualClock.set(now)
        defer { VirtualClock.clear() }
        let outcome = transport.handleTimeout(now: now, into: &output)
        drain()
        return outcome
    }

    func close(at now: Instant = .at(0)) {
        VirtualClock.set(now)
        defer { VirtualClock.clear() }
        transport.close(now: now, into: &output)
        drain()
    }

    func restart(
        _ credentials: ICECredentials, remote: RemoteICECredentials? = TestAnswer.credentials
    ) throws -> ICEUfrag? {
        try transport.restart(credentials, remote: remote)
    }

    func removePath(_ path: TransportPath) -> Bool {
        transport.removePath(path)
    }

    func openRTP(
        _ packet: [UInt8], from path: TransportPath = udpPath(), at now: Instant = .at(0)
    ) throws(TransportError) -> [UInt8] {
        var copy = packet
        var span = copy.mutableSpan
        let length = try transport.openRTP(&span, length: packet.count, from: path, now: now)
        return Array(copy[..<length])
    }

    func openUnprovenRTP(
        _ packet: [UInt8], from path: TransportPath, at now: Instant
    ) throws(TransportError) -> [UInt8] {
        var copy = packet
        var span = copy.mutableSpan
        defer { drain() }
        let length = try transport.openUnprovenRTP(
            &span, length: packet.count, from: path, now: now, into: &output)
        return Array(copy[..<length])
    }

    func sealRTP(header: [UInt8], payload: [UInt8], ssrc: SSRC) throws(TransportError) -> [UInt8] {
        let stream = try transport.registerStream(ssrc)
        var packet = header + [UInt8](repeating: 0, count: payload.count + 16)
        var span = packet.mutableSpan
        let length = try transport.sealRTP(
            PacketToSeal(stream: stream, headerLength: header.count), payload: payload.span, into: &span,
            engine: &engine)
        return Array(packet[..<length])
    }

    var probeTag: ProbeTag {
        get { transport.probeTag }
        set { transport.probeTag = newValue }
    }

    func isValidated(_ path: TransportPath) -> Bool {
        transport.isValidated(path)
    }

    private func drain() {
        sent = []
        for index in 0..<output.count {
            let bytes = output.bytes(at: index)
            var copy: [UInt8] = []
            for offset in 0..<bytes.count { copy.append(bytes[offset]) }
            sent.append((copy, output.path(at: index)))
        }
        output.removeAll()
    }
}
