import FixedCollections
import Wire

/// The controlling side of ICE with one pair: checks towards one address, and answers to the peer's own checks.
///
/// Checks nominate at once (USE-CANDIDATE), every 50 ms until one was answered, then every 2.5 s to renew consent (RFC
/// 7675). Works with lite and full peers; a peer that takes itself for controlling too is answered all the same.
struct ICEClient: ~Copyable {
    /// Between checks while none was answered, and afterwards.
    static let (hasty, calm) = (Duration.milliseconds(50), Duration.milliseconds(2_500))
    /// Without an answer for this long the peer is gone.
    static let consentLifetime = Duration.seconds(30)

    /// Of both sides: what checks in either direction carry.
    private let outgoingUsername: [UInt8]
    private let incomingUsername: [UInt8]
    private let ownSigner: STUNSigner
    private let peerSigner: STUNSigner
    private let tieBreaker: UInt64
    private let path: TransportPath
    /// The checks' transaction ids count up from a random number.
    private var transaction: STUNTransactionID
    private var sentAt = Instant.distantFuture
    /// When `handleTimeout` is due.
    private(set) var nextCheck: Instant
    private(set) var consentDeadline: Instant
    private(set) var isConnected = false
    /// From another address than before, no check was answered yet.
    private var isMoving = false
    /// From the last check that was answered.
    private(set) var roundTrip: Duration?

    init(
        local: RemoteICECredentials, remote: RemoteICECredentials, path: TransportPath, now: Instant
    ) throws(TransportError) {
        guard let tieBreaker = OpenSSL.randomNumber(), let first = OpenSSL.randomNumber() else {
            throw .cryptographyFailed
        }
        let ownSigner = try STUNSigner(password: local.password)
        let peerSigner = try STUNSigner(password: remote.password)
        outgoingUsername = Array("\(remote.ufrag):\(local.ufrag)".utf8)
        incomingUsername = Array("\(local.ufrag):\(remote.ufrag)".utf8)
        (self.ownSigner, self.peerSigner) = (ownSigner, peerSigner)
        self.tieBreaker = tieBreaker
        self.path = path
        transaction = STUNTransactionID(high: UInt32(truncatingIfNeeded: tieBreaker), low: first)
        nextCheck = now
        consentDeadline = now + Self.consentLifetime
    }

    /// Sends a check if it is time.
    mutating func handleTimeout(now: Instant, into output: inout OutputDatagrams) {
        guard now >= nextCheck else { return }
        nextCheck = now + (isConnected && !isMoving ? Self.calm : Self.hasty)
        transaction.low &+= 1
        sentAt = now
        let (id, username, tieBreaker) = (transaction, outgoingUsername, tieBreaker)
        let signer = peerSigner
        output.append(to: path) { bytes in
            var writer = STUNWriter(.bindingRequest, id, into: &bytes)
            writer.append(.username, username.span, into: &bytes)
            writer.append(.priority, 0x7e00_00ff as UInt32, into: &bytes)
            writer.append(.iceControlling, tieBreaker, into: &bytes)
            writer.append(.useCandidate, into: &bytes)
            return Self.finish(&writer, signer, &bytes)
        }
    }

    mutating func checkNow(_ now: Instant) {
        nextCheck = now
        isMoving = isConnected
    }

    /// Takes an answer or a check. Returns whether the first answer came, so that DTLS can start.
    mutating func receive(
        _ bytes: Span<UInt8>, now: Instant, into output: inout OutputDatagrams
    ) -> Bool {
        if let response = try? STUNBindingResponse(bytes) { return take(response, bytes, now: now) }
        guard let request = try? STUNBindingRequest(bytes),
            isForMe(request, bytes), ownSigner.verifies(bytes, request.integrity)
        else { return false }
        let (signer, path) = (ownSigner, path)
        output.append(to: path) { target in
            var writer = STUNWriter(.bindingSuccess, request.transactionID, into: &target)
            writer.appendXORMappedAddress(path.address, into: &target)
            return Self.finish(&writer, signer, &target)
        }
        return false
    }

    private mutating func take(_ response: STUNBindingResponse, _ bytes: Span<UInt8>, now: Instant) -> Bool {
        // Consent counts from any check of the last few.
        guard response.transactionID.high == transaction.high,
            transaction.low &- response.transactionID.low < 64,
            response.errorCode == nil, let integrity = response.integrity,
            peerSigner.verifies(bytes, integrity)
        else { return false }
        if response.transactionID.low == transaction.low { roundTrip = now - sentAt }
        consentDeadline = now + Self.consentLifetime
        if !isConnected || isMoving { nextCheck = now + Self.calm }
        isMoving = false
        guard !isConnected else { return false }
        isConnected = true
        return true
    }

    private func isForMe(_ request: STUNBindingRequest, _ bytes: Span<UInt8>) -> Bool {
        guard request.username.count == incomingUsername.count else { return false }
        for (index, offset) in request.username.enumerated() where bytes[offset] != incomingUsername[index] {
            return false
        }
        return true
    }

    private static func finish(
        _ writer: inout STUNWriter, _ signer: STUNSigner, _ bytes: inout MutableSpan<UInt8>
    ) -> Int {
        guard let integrity = writer.appendIntegrity(into: &bytes), signer.sign(&bytes, integrity) else {
            return 0
        }
        writer.appendFingerprint(into: &bytes)
        return writer.count
    }
}
