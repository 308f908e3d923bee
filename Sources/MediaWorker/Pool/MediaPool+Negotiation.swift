import Forwarding
import Transport
import Wire

extension MediaPool {
    public func negotiate(
        _ participant: MediaParticipantID, offer: String, sources: [String: MediaSource]
    ) async throws(MediaError) -> MediaAnswer {
        let description = try Self.parse(offer)
        await waitForTurn(of: participant)
        defer { endTurn(of: participant) }
        guard let member = members[participant] else { throw .participantGone }
        if let previous = member.negotiated, member.offerOrigin == description.origin.sessionID {
            return try await renegotiate(participant, member, description, previous, sources)
        }
        return try await connect(participant, member, description, sources)
    }

    private static func parse(_ offer: String) throws(MediaError) -> SessionDescription {
        do throws(SDPError) {
            return try SessionDescription.parse(offer)
        } catch {
            throw .invalidOffer(line: error.line, reason: error.reason.text)
        }
    }

    /// A first offer, or one of another peer connection: then what was there before goes.
    private func connect(
        _ participant: MediaParticipantID, _ member: MediaMember, _ offer: SessionDescription,
        _ sources: [String: MediaSource]
    ) async throws(MediaError) -> MediaAnswer {
        let credentials = try credentials(for: member.worker)
        let negotiated = try answer(offer, previous: nil, credentials)
        var sections = MediaSections(
            negotiated, sources: sources, permissions: member.permissions, previous: nil,
            order: nextNumber(), using: &generator)
        sections.localSSRC = SSRC(.random(in: 1...UInt32.max, using: &generator))
        let request = ConnectRequest(
            participant: participant, session: member.session, number: nextNumber(),
            credentials: credentials, remote: negotiated.remote,
            fingerprints: negotiated.remoteFingerprints.compactMap { CertificateFingerprint($0) },
            sections: sections, receiveLimit: member.receiveLimit, sendLimit: member.sendLimit,
            viewing: members[participant]?.viewing ?? ViewerPreferences())
        guard
            let seats = await tell(participant, sections, number: request.number, { .connect(request, $0) })
        else {
            // The one before has gone.
            members[participant]?.negotiated = nil
            await disconnect(participant)
            throw members[participant] == nil ? .participantGone : .serverFull
        }
        members[participant]?.sources = [:]
        return remember(participant, offer, negotiated, credentials, (sections, sources), seats)
    }

    private func renegotiate(
        _ participant: MediaParticipantID, _ member: MediaMember, _ offer: SessionDescription,
        _ previous: NegotiatedSession, _ sources: [String: MediaSource]
    ) async throws(MediaError) -> MediaAnswer {
        guard var credentials = member.credentials, let old = member.sections else { throw .participantGone }
        let isRestart = Negotiation.isICERestart(offer, previous: previous)
        if isRestart { credentials = try self.credentials(for: member.worker) }
        let negotiated = try answer(offer, previous: previous, credentials)
        if isRestart {
            let restart = credentials
            guard await ask(member.worker, { .restart(participant, restart, negotiated.remote, $0) }),
                members[participant] != nil
            else { throw ended(participant) }
        }
        var known = member.sources
        // A microphone stays one, so that what is muted can't be heard under another name.
        known.merge(sources) { $0 == .microphone ? $0 : $1 }
        let sections = MediaSections(
            negotiated, sources: known, permissions: member.permissions, previous: old, order: nextNumber(),
            using: &generator)
        let number = member.original?.connection ?? 0
        guard
            let seats = await tell(
                participant, sections, number: number, { .configure(participant, sections, $0) })
        else {
            await disconnect(participant)
            throw ended(participant)
        }
        return remember(participant, offer, negotiated, credentials, (sections, known), seats)
    }

    /// Why a connection that was negotiated before isn't there.
    private func ended(_ participant: MediaParticipantID) -> MediaError {
        guard members[participant] != nil else { return .participantGone }
        return .invalidOffer(
            line: nil, reason: "the connection has ended: offer from a new peer connection")
    }

    private func remember(
        _ participant: MediaParticipantID, _ offer: SessionDescription, _ negotiated: NegotiatedSession,
        _ credentials: ICECredentials, _ media: (sections: MediaSections, named: [String: MediaSource]),
        _ seats: [SeatState]
    ) -> MediaAnswer {
        let sections = media.sections
        // Those that may not be published keep their names: they may be allowed later.
        for line in negotiated.media {
            guard case .publication = line.role, let name = media.named[line.mid] else { continue }
            members[participant]?.sources[line.mid] = name
        }
        let published = Dictionary(
            sections.publications.map { ($0.mid.description, MediaSource($0.source)) },
            uniquingKeysWith: { $1 })
        members[participant]?.negotiated = negotiated
        members[participant]?.credentials = credentials
        members[participant]?.sections = sections
        members[participant]?.viewing.keepSeats { mid in
            sections.seats.contains { $0.mid == mid && $0.isActive }
        }
        members[participant]?.sources.merge(published) { $1 }
        members[participant]?.offerOrigin = offer.origin.sessionID
        let ordered = sections.seats.compactMap { seat in
            seats.first { $0.mid == seat.mid.description }
        }
        return MediaAnswer(sdp: negotiated.answer.write(), seats: ordered, published: published)
    }

    private func credentials(for worker: Int) throws(MediaError) -> ICECredentials {
        do throws(TransportError) {
            return try ICECredentials.random(lane: worker)
        } catch {
            throw .serverFull
        }
    }

    private func answer(
        _ offer: SessionDescription, previous: NegotiatedSession?, _ credentials: ICECredentials
    ) throws(MediaError) -> NegotiatedSession {
        var local = LocalParameters(
            iceUfrag: credentials.ufrag.text, icePwd: credentials.password,
            fingerprint: shared.certificate.fingerprint.digest, candidates: candidates, cname: "rostrum")
        local.maxVideoSeats = shared.settings.maxVideoSeats
        local.maxAudioSeats = shared.settings.maxAudioSeats
        local.asksForLinkReports = shared.settings.estimatesBandwidth
        do throws(NegotiationError) {
            return try Negotiation.answer(offer, previous: previous, local: local, using: &generator)
        } catch {
            switch error {
            case .codecUnsupported(let mid, _): throw .codecUnsupported(mid: mid)
            case .invalidOffer(let line, let reason): throw .invalidOffer(line: line, reason: reason.text)
            }
        }
    }

    // MARK: One negotiation at a time

    func waitForTurn(of participant: MediaParticipantID) async {
        while members[participant]?.isNegotiating == true {
            await withCheckedContinuation { members[participant]?.waiting.append($0) }
        }
        members[participant]?.isNegotiating = true
    }

    func endTurn(of participant: MediaParticipantID) {
        guard var member = members[participant] else { return }
        member.isNegotiating = false
        let waiting = member.waiting
        member.waiting = []
        members[participant] = member
        for continuation in waiting { continuation.resume() }
    }
}

extension NegotiatedSession {
    var remote: RemoteICECredentials {
        RemoteICECredentials(ufrag: remoteUfrag, password: remotePwd)
    }
}

extension CertificateFingerprint {
    init?(_ fingerprint: Fingerprint) {
        guard let algorithm = Algorithm(rawValue: fingerprint.algorithm) else { return nil }
        self.init(algorithm: algorithm, digest: fingerprint.bytes)
    }
}
