import COpenSSL
import FixedCollections
import Testing
import TransportTestSupport
import Wire

@testable import Transport

/// Shakes hands over a network without faults.
func connected(
    _ client: DTLSTestClient, remote: RemoteICECredentials? = TestAnswer.credentials
) throws -> TestLink {
    let link = try TestLink(client, remote: remote)
    link.sendToServer(client.start())
    try #require(link.runUntilUp())
    return link
}

/// Carries datagrams back and forth until neither side has any; the last thing that happened at the server.
func shakeHands(_ client: DTLSTestClient, _ peer: TestPeer) -> DTLSOutcome {
    var waiting = client.start()
    var last = DTLSOutcome.nothing
    while !waiting.isEmpty {
        let outcome = peer.dtls(waiting.removeFirst())
        if outcome != .ignored, outcome != .nothing { last = outcome }
        for (bytes, _) in peer.sent { waiting += client.receive(bytes) }
    }
    return last
}

/// Whether a packet sealed by either side is opened by the other.
func mediaFlows(_ link: TestLink) throws -> Bool {
    let keys = try link.client.exportKeys()
    var engine = SealingEngine(preference: .openSSL)
    var sealer = try Sealer(key: keys.client, engine: engine)
    var receiver = try SRTPReceiver(key: keys.server)
    let header = rtpHeader(sequence: 5, ssrc: 0xabcd)
    let payload: [UInt8] = [1, 2, 3, 4, 5]
    let stream = try sealer.registerStream(SSRC(0xabcd))
    let up = try seal(&sealer, stream, header: header, payload: payload, engine: &engine)
    let down = try link.peer.sealRTP(header: header, payload: payload, ssrc: SSRC(0xabcd))
    return try link.peer.openRTP(up, at: link.now) == header + payload
        && open(&receiver, down) == header + payload
}

/// A certificate's hash.
func fingerprint(
    of certificate: DTLSCertificate, _ algorithm: CertificateFingerprint.Algorithm
) throws -> CertificateFingerprint? {
    let bytes = certificate.certificate
    let parsed = unsafe bytes.withUnsafeBufferPointer { buffer in
        var cursor = buffer.baseAddress
        return unsafe d2i_X509(nil, &cursor, buffer.count)
    }
    defer { unsafe X509_free(parsed) }
    guard let parsed = unsafe parsed else { return nil }
    return unsafe CertificateFingerprint.of(parsed, algorithm)
}
