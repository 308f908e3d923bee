import FixedCollections
import Wire

/// What the peer's SDP said about its side of ICE.
public struct RemoteICECredentials: Hashable, Sendable {
    public var ufrag: String
    public var password: String

    public init(ufrag: String, password: String) {
        self.ufrag = ufrag
        self.password = password
    }
}

/// Checks of our own, for the one case in which a lite agent can't wait for the peer's.
///
/// When a NAT gives the peer another address, its media comes from there at once, but its next check only after seconds
/// (2.5 from Chromium, 5 from Firefox). So authentic media from an address that hasn't been checked is answered by a check
/// (RFC 8445 section 7.2.2); who answers that with the right key can be sent to. One check per `pause` at the most.
struct PathProber {
    static let pause = Duration.milliseconds(50)
    /// How long an answer may take.
    static let patience = Duration.seconds(2)

    private struct Probe {
        var path: TransportPath
        var id: STUNTransactionID
        var sentAt: Instant
    }

    private let key: ICEKey
    private let username: [UInt8]
    private let tieBreaker: UInt64
    private var probe: Probe?

    init(_ remote: RemoteICECredentials, local: ICEUfrag) throws(TransportError) {
        key = try ICEKey(ICECredentials(ufrag: local, password: remote.password))
        username = Array("\(remote.ufrag):\(local.text)".utf8)
        tieBreaker = try Self.random()
    }

    /// Sends a check, unless it would be longer than `longest`, the bytes that caused it.
    ///
    /// - Parameter label: the upper third of the transaction's id, by which the caller finds this peer when the answer
    ///   comes.
    mutating func ask(
        _ path: TransportPath, label: UInt32, longest: Int, now: Instant, into output: inout OutputDatagrams
    ) {
        if let probe, now - probe.sentAt < Self.pause { return }
        guard let random = try? Self.random() else { return }
        let id = STUNTransactionID(high: label, low: random)
        let (key, username, tieBreaker) = (key, username, tieBreaker)
        let before = output.count
        output.append(to: path) { bytes in
            var writer = STUNWriter(.bindingRequest, id, into: &bytes)
            writer.append(.username, username.span, into: &bytes)
            writer.append(.priority, UInt32(126 << 24 | 65_535 << 8 | 255), into: &bytes)
            writer.append(.iceControlled, tieBreaker, into: &bytes)
            guard let integrity = writer.appendIntegrity(into: &bytes), key.sign(&bytes, integrity) else {
                return 0
            }
            writer.appendFingerprint(into: &bytes)
            return writer.count <= longest ? writer.count : 0
        }
        if output.count > before { probe = Probe(path: path, id: id, sentAt: now) }
    }

    /// Whether the bytes are the peer's answer to the last check, on the path on which it was asked.
    mutating func accepts(_ bytes: Span<UInt8>, from path: TransportPath, now: Instant) -> Bool {
        guard let probe, probe.path == path, now - probe.sentAt < Self.patience,
            let answer = try? STUNBindingResponse(bytes), answer.transactionID == probe.id,
            answer.errorCode == nil, let integrity = answer.integrity, key.verifies(bytes, integrity)
        else { return false }
        self.probe = nil
        return true
    }

    private static func random() throws(TransportError) -> UInt64 {
        try OpenSSL.randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
