import FixedCollections
import Wire

/// One peer's ICE, on the lite side: it answers checks (RFC 8445 section 2.5) and sends none but those of `askForProof`,
/// for which alone it needs the peer's credentials.
///
/// The path in use is the one that the peer nominated last (USE-CANDIDATE). As not every client nominates again from a
/// changed address, any path on which the peer proves itself takes over when the selected one has been silent for half a
/// second. Once the peer is connected, so that media flows, a path is used only after the peer has answered a check there:
/// its own checks say who it is, but copies of them can come from anywhere, and would send its media to whoever is there.
/// That takes a round trip. Until then, only the path of the handshake is known to be the peer's.
///
/// No answer is longer than the request it answers, and nothing that isn't signed gets one.
struct ICEAgent: ~Copyable {
    /// Without a check for this long the peer has withdrawn its consent (RFC 7675 section 5.1).
    static let consentLifetime = Duration.seconds(30)
    /// Bytes of the longest answer: success with an IPv6 address. What a client sends is longer by its USERNAME.
    static let longestAnswer = 76

    private(set) var key: ICEKey
    /// Given out by a restart, and not used by the peer yet.
    private var nextKey: ICEKey?
    private var paths = PathSet()
    /// Paths that the peer is asked to prove itself on.
    var probes = PathProbes()
    /// When consent ends unless another check comes.
    private(set) var consentDeadline: Instant

    init(
        credentials: ICECredentials, remote: RemoteICECredentials?, now: Instant
    ) throws(TransportError) {
        key = try ICEKey(credentials, remote: remote)
        consentDeadline = now + Self.consentLifetime
    }

    var selectedPath: TransportPath? { paths.selected }

    func isValidated(_ path: TransportPath) -> Bool {
        paths.contains(path)
    }

    /// Lets the peer use new credentials; the old ones stay good until it does (RFC 8839 section 4.4.1.1.1).
    ///
    /// Returns the ufrag of an earlier restart that the peer never used and now can't any more.
    mutating func restart(
        _ credentials: ICECredentials, remote: RemoteICECredentials?
    ) throws(TransportError) -> ICEUfrag? {
        let superseded = nextKey?.ufrag
        nextKey = try ICEKey(credentials, remote: remote)
        return superseded
    }

    /// The peer has withdrawn its consent: there is no path any more until it passes a check, with whatever credentials it
    /// has. A check is authentic, so the peer itself says that it wants to receive again, where RFC 7675 section 5.1 has full
    /// agents, whose own checks prove less, restart.
    mutating func withdraw() {
        paths.removeAll()
        probes.removeAll()
        consentDeadline = .distantFuture
    }

    /// The handshake was completed on this path: it is the peer's, and others are used only once they are proven.
    mutating func connected(on path: TransportPath) {
        paths.needsProof = true
        paths.prove(path)
        _ = paths.select(path)
    }

    /// - Parameter tag: what checks that this brings about are tagged with.
    mutating func receive(
        _ bytes: Span<UInt8>, from path: TransportPath, now: Instant, tag: ProbeTag,
        into output: inout OutputDatagrams
    ) -> STUNOutcome {
        let request: STUNBindingRequest
        do {
            request = try STUNBindingRequest(bytes)
        } catch {
            guard error == .unexpectedType else { return STUNOutcome(rejection: .malformed) }
            guard ProbeTag(answeredBy: bytes) != nil else { return STUNOutcome(rejection: .unexpectedType) }
            return receiveAnswer(bytes, from: path, now: now)
        }
        guard bytes.count >= Self.longestAnswer else { return STUNOutcome(rejection: .tooShort) }
        guard let key = key(for: request, in: bytes) else { return STUNOutcome(rejection: .unknownUfrag) }
        guard key.verifies(bytes, request.integrity) else { return STUNOutcome(rejection: .badIntegrity) }
        if request.unknownCount > 0 {
            answer(request, path, error: 420, key, into: &output)
            return STUNOutcome(rejection: .unknownAttributes)
        }
        if request.role == .controlled {
            answer(request, path, error: 487, key, into: &output)
            return STUNOutcome(rejection: .roleConflict)
        }
        let moves = request.nominates || paths.isSelectedSilent(now: now)
        let outcome = accept(key, from: path, selects: moves, now: now)
        answer(request, path, error: nil, key, into: &output)
        if moves, paths.selected != path {
            askForProof(bytes.count, from: path, now: now, tag: tag, into: &output)
        }
        return outcome
    }

    /// Notes authenticated media. Nil if the path isn't validated, else whether `selectedPath` changed.
    mutating func heard(from path: TransportPath, now: Instant) -> Bool? {
        paths.heard(path, now: now)
    }

    /// Forgets a path, such as a connection that ended. Returns whether `selectedPath` changed.
    mutating func remove(_ path: TransportPath) -> Bool {
        paths.remove(path)
    }

    private func key(for request: STUNBindingRequest, in bytes: Span<UInt8>) -> ICEKey? {
        let username = request.username
        let end = username.lowerBound + ICEUfrag.length
        guard username.count > ICEUfrag.length, bytes[end] == UInt8(ascii: ":"),
            let ufrag = ICEUfrag(bytes, username.lowerBound..<end)
        else { return nil }
        if ufrag == key.ufrag { return key }
        return ufrag == nextKey?.ufrag ? nextKey : nil
    }

    private mutating func accept(
        _ key: ICEKey, from path: TransportPath, selects: Bool, now: Instant
    ) -> STUNOutcome {
        let retired = key.ufrag == self.key.ufrag ? nil : self.key.ufrag
        if retired != nil {
            self.key = key
            nextKey = nil
            // What was asked under the old credentials is answered under them.
            probes.removeAll()
        }
        var outcome = validate(path, selects: selects, now: now)
        outcome.retiredUfrag = retired
        return outcome
    }

    /// Takes a path on which the peer has proved itself just now: by a check, or by the answer to one (`isAnswer`).
    mutating func validate(
        _ path: TransportPath, selects: Bool, isAnswer: Bool = false, now: Instant
    ) -> STUNOutcome {
        var outcome = STUNOutcome()
        consentDeadline = now + Self.consentLifetime
        (outcome.isNewPath, outcome.evictedPath) = paths.insert(path, now: now)
        if isAnswer {
            probes.forget(path)
            paths.prove(path)
        }
        if selects { outcome.selectedPathChanged = paths.select(path) }
        return outcome
    }

    private func answer(
        _ request: STUNBindingRequest, _ path: TransportPath, error: Int?, _ key: ICEKey,
        into output: inout OutputDatagrams
    ) {
        output.append(to: path) { bytes in
            let type: STUNMessageType = error == nil ? .bindingSuccess : .bindingError
            var writer = STUNWriter(type, request.transactionID, into: &bytes)
            if let error {
                writer.appendErrorCode(error, into: &bytes)
                if error == 420 { writer.appendUnknownAttributes(of: request, into: &bytes) }
            } else {
                writer.appendXORMappedAddress(path.address, into: &bytes)
            }
            guard let integrity = writer.appendIntegrity(into: &bytes), key.sign(&bytes, integrity) else {
                return 0
            }
            writer.appendFingerprint(into: &bytes)
            return writer.count
        }
    }
}
