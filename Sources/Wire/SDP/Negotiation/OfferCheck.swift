/// What must hold of an offer as a whole, before its m-lines are looked at.
struct OfferCheck {
    let offer: SessionDescription
    let previous: NegotiatedSession?

    func check() throws(NegotiationError) {
        guard !offer.isICELite else {
            throw .invalidOffer(line: offer.iceLiteLine.number, reason: .iceLiteOffer)
        }
        if let previous { try checkContinuity(previous) }
        try checkSSRCs()
    }

    /// An m-line keeps its kind and mid for ever, except that one that was rejected may be used again for something
    /// new (RFC 8829 section 5.2.2).
    private func checkContinuity(_ previous: NegotiatedSession) throws(NegotiationError) {
        guard offer.media.count >= previous.media.count else {
            throw .invalidOffer(line: offer.media.last?.line.number ?? 1, reason: .removedMedia)
        }
        let knownMIDs = Set(previous.media.map(\.mid))
        for (index, media) in offer.media.enumerated() {
            let known = index < previous.media.count ? previous.media[index] : nil
            let mid = media.mid ?? ""
            if let known, known.role != .rejected || (known.mid == mid && !media.isRejected) {
                let isSame = known.mid == mid || (media.isRejected && mid.isEmpty)
                guard known.kind == media.kind, isSame else {
                    throw .invalidOffer(line: media.line.number, reason: .changedMedia)
                }
            } else if !mid.isEmpty, mid != known?.mid, knownMIDs.contains(mid) {
                throw .invalidOffer(line: media.line.number, reason: .reusedMID)
            }
        }
    }

    private func checkSSRCs() throws(NegotiationError) {
        var seen: Set<SSRC> = []
        for media in offer.media where !media.isRejected {
            for source in media.sources where !seen.insert(source.ssrc).inserted {
                throw .invalidOffer(line: media.line.number, reason: .duplicateSSRC)
            }
        }
    }
}

/// The offerer's end of the bundled transport: that of the first accepted m-line of the BUNDLE group
/// (RFC 9143 section 7.3.1).
struct RemoteTransport {
    let ufrag: String
    let pwd: String
    let fingerprints: [Fingerprint]
    private let fingerprintLine: Int

    init(offer: SessionDescription, accepted: [Int]) throws(NegotiationError) {
        guard let first = accepted.first else {
            throw .invalidOffer(line: offer.media.first?.line.number ?? 1, reason: .nothingAccepted)
        }
        let tagged = RemoteTransport.tagged(offer, accepted) ?? first
        let media = offer.media[tagged]
        var transport = offer.effectiveTransport(of: media)
        if media.isBundleOnly, transport.iceUfrag == nil, let mid = offer.bundle?.first,
            let original = offer.media.first(where: { $0.mid == mid })
        {
            // A bundle-only m-section has no transport of its own: it is in the one of the offer's first.
            transport = offer.effectiveTransport(of: original)
        }
        guard let ufrag = transport.iceUfrag, let pwd = transport.icePwd else {
            throw .invalidOffer(line: media.line.number, reason: .missingICECredentials)
        }
        guard !transport.fingerprints.isEmpty else {
            throw .invalidOffer(line: media.line.number, reason: .missingFingerprint)
        }
        let strong = transport.fingerprints.filter {
            ["sha-256", "sha-384", "sha-512"].contains($0.algorithm)
        }
        guard !strong.isEmpty else {
            throw .invalidOffer(line: transport.fingerprintLine.number, reason: .weakFingerprint)
        }
        // Without a line the offerer is active (RFC 4145 section 4).
        guard transport.setup == nil || transport.setup == .actpass || transport.setup == .active else {
            throw .invalidOffer(line: transport.setupLine.number, reason: .wrongSetup)
        }
        self.ufrag = ufrag
        self.pwd = pwd
        self.fingerprints = strong
        fingerprintLine = transport.fingerprintLine.number
    }

    /// The DTLS association goes on, whatever else an offer changes, so the certificate must be the same.
    func checkContinuity(_ previous: NegotiatedSession) throws(NegotiationError) {
        guard Set(fingerprints) == Set(previous.remoteFingerprints) else {
            throw .invalidOffer(line: fingerprintLine, reason: .changedFingerprint)
        }
    }

    private static func tagged(_ offer: SessionDescription, _ accepted: [Int]) -> Int? {
        guard let bundle = offer.bundle else { return nil }
        var indices: [String: Int] = [:]
        for index in accepted {
            if let mid = offer.media[index].mid { indices[mid] = index }
        }
        return bundle.lazy.compactMap { indices[$0] }.first
    }
}
