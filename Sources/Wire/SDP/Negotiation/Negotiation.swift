/// Offer and answer (RFC 3264, RFC 8829 section 5.3) for one participant.
public enum Negotiation {
    /// Answers an offer; a pure function of its arguments.
    ///
    /// - m-lines offered sendonly are publications, answered recvonly. One offered sendrecv is a publication too and
    ///   no seat: whoever wants to send and to receive offers two m-lines.
    /// - m-lines offered recvonly are seats, answered sendonly. Seats are numbered from 0, audio and video apart, in
    ///   m-line order; a seat keeps number, SSRCs and msid as long as its m-line lives, whatever `previous` calls it
    ///   in between. Seats above the limits, data channels and unknown kinds are refused with port 0.
    /// - One BUNDLE group, ICE-lite, `a=setup:passive`; candidates, credentials and fingerprint stand in all m-sections.
    ///
    /// - Parameter generator: where SSRCs and the session id of the first answer come from.
    public static func answer<Generator: RandomNumberGenerator>(
        _ offer: SessionDescription, previous: NegotiatedSession?, local: LocalParameters,
        using generator: inout Generator
    ) throws(NegotiationError) -> NegotiatedSession {
        try OfferCheck(offer: offer, previous: previous).check()
        var planner = SeatPlanner(offer: offer, previous: previous, local: local)
        var media: [NegotiatedMedia] = []
        for index in offer.media.indices {
            media.append(try planner.negotiate(index, using: &generator))
        }
        let accepted = media.filter { $0.role != .rejected }.map(\.index)
        let remote = try RemoteTransport(offer: offer, accepted: accepted)
        if let previous { try remote.checkContinuity(previous) }
        let sessionID = previous?.answer.origin.sessionID ?? generator.next() >> 2
        let version = previous?.answer.origin.version ?? 0
        let origin = SessionDescription.Origin(sessionID: sessionID, version: version &+ 1)
        let answer = AnswerWriter(offer: offer, media: media, local: local, origin: origin).write()
        return NegotiatedSession(
            answer: answer, media: media, remoteUfrag: remote.ufrag, remotePwd: remote.pwd,
            remoteFingerprints: remote.fingerprints,
            isICERestart: previous.map { $0.remoteUfrag != remote.ufrag || $0.remotePwd != remote.pwd }
                ?? false)
    }

    /// Whether an offer restarts ICE (RFC 8839 section 4.4.1.1.1), so that the answer needs new credentials.
    ///
    /// False if the offer has no credentials at all: `answer` says what is wrong with it.
    public static func isICERestart(_ offer: SessionDescription, previous: NegotiatedSession) -> Bool {
        let accepted = offer.media.indices.filter { index in
            let media = offer.media[index]
            guard !media.isRejected, media.kind == .audio || media.kind == .video else { return false }
            guard index < previous.media.count else { return true }
            let known = previous.media[index]
            return known.role != .rejected || known.mid != media.mid
        }
        guard let remote = try? RemoteTransport(offer: offer, accepted: accepted) else { return false }
        return remote.ufrag != previous.remoteUfrag || remote.pwd != previous.remotePwd
    }
}
