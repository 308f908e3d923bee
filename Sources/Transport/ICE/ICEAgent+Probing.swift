import FixedCollections
import Wire

/// The only checks that the server makes: of a path on which authentic media came unannounced, as after a NAT changed
/// the peer's address, or checks that would move the stream there. Until the peer has answered from there, nothing else is
/// sent to it but answers to its checks.
extension ICEAgent {
    /// PRIORITY of a peer-reflexive candidate (RFC 8445 section 5.1.2): what the peer would learn from the check.
    private static let priority: UInt32 = 110 << 24 | 65_535 << 8 | 255

    /// Notes `count` authentic bytes from a path that isn't proven, and asks the peer to prove that it is there.
    mutating func askForProof(
        _ count: Int, from path: TransportPath, now: Instant, tag: ProbeTag,
        into output: inout OutputDatagrams
    ) {
        guard let remote = key.remote,
            probes.hear(count, from: path, now: now, size: remote.checkSize),
            let number = OpenSSL.randomNumber()
        else { return }
        probes.noteRequest(number, to: path, now: now)
        let id = STUNTransactionID(high: tag.rawValue, low: number)
        output.append(to: path) { bytes in
            var writer = STUNWriter(.bindingRequest, id, into: &bytes)
            writer.append(.username, remote.username.span, into: &bytes)
            writer.append(.priority, Self.priority, into: &bytes)
            // The tie-breaker decides nothing: facing a lite agent, the peer is controlling (RFC 8445 section 6.1.1).
            writer.append(.iceControlled, number, into: &bytes)
            guard let integrity = writer.appendIntegrity(into: &bytes), remote.signer.sign(&bytes, integrity)
            else { return 0 }
            writer.appendFingerprint(into: &bytes)
            return writer.count
        }
    }

    /// Takes an answer to such a check (RFC 8445 section 7.2.5): the path on which it comes is validated and selected, and
    /// the peer has consented anew (RFC 7675 section 5.1).
    mutating func receiveAnswer(_ bytes: Span<UInt8>, from path: TransportPath, now: Instant) -> STUNOutcome {
        guard let answer = try? STUNBindingResponse(bytes) else { return STUNOutcome(rejection: .malformed) }
        guard answer.errorCode == nil, let remote = key.remote,
            probes.awaits(answer.transactionID.low, from: path, now: now)
        else { return STUNOutcome(rejection: .unsolicited) }
        guard let integrity = answer.integrity, remote.signer.verifies(bytes, integrity) else {
            return STUNOutcome(rejection: .badIntegrity)
        }
        return validate(path, selects: true, isAnswer: true, now: now)
    }
}
