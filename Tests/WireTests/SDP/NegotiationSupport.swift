import TestSupport

@testable import Wire

extension LocalParameters {
    /// The server of the tests.
    static var testing: LocalParameters {
        LocalParameters(
            iceUfrag: "srvu", icePwd: "serverserverserverserver", fingerprint: Array(0..<32),
            candidates: [
                ICECandidate(foundation: "1", priority: 2_130_706_431, address: "127.0.0.1", port: 3478),
                ICECandidate(
                    foundation: "2", transport: .tcp, priority: 1_671_430_143, address: "127.0.0.1",
                    port: 3478,
                    tcpType: .passive),
            ], cname: "rostrum")
    }
}

/// Parses and answers.
func negotiate(
    _ text: String, previous: NegotiatedSession? = nil, local: LocalParameters = .testing, seed: UInt64 = 1
) throws -> NegotiatedSession {
    var generator = SeededGenerator(seed: seed)
    return try Negotiation.answer(
        SessionDescription.parse(text), previous: previous, local: local, using: &generator)
}

/// The error of negotiating; nil if there is none or if it is another.
func negotiationError(
    _ lines: [String], previous: NegotiatedSession? = nil, local: LocalParameters = .testing
) -> NegotiationError? {
    do {
        _ = try negotiate(lines.sdp, previous: previous, local: local)
        return nil
    } catch {
        return error as? NegotiationError
    }
}

extension NegotiatedSession {
    var seats: [AnsweredSeat] {
        media.compactMap {
            guard case .seat(let seat) = $0.role else { return nil }
            return seat
        }
    }

    var publications: [OfferedPublication] {
        media.compactMap {
            guard case .publication(let publication) = $0.role else { return nil }
            return publication
        }
    }
}

extension NegotiatedMedia {
    var isSeat: Bool {
        guard case .seat = role else { return false }
        return true
    }
}
