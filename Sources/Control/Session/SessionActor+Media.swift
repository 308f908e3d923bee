import MediaWorker
import Meeting

/// The session's side of the media workers.
extension SessionActor {
    /// The session's router.
    func openedMedia() async -> MediaSessionID {
        if let opening { return await opening.value }
        let limits = MediaLimits(meeting.session.settings)
        let task = Task { [media, directory] in
            let session = directory.addSession(self)
            await media.openSession(session, limits: limits)
            return session
        }
        opening = task
        return await task.value
    }

    /// Announces a participant who joins, with what holds for it now, and answers its offer.
    func setUpMedia(
        for participant: ParticipantID, offer: String?
    ) async throws(MediaError) -> MediaAnswer? {
        let session = await openedMedia()
        guard let place = places[participant], var publish = meeting.publishable(by: participant) else {
            throw .participantGone
        }
        await media.join(place.media, session: session, permissions: Self.permissions(publish, place))
        // A scope that was changed meanwhile found no media to hold for.
        while let now = meeting.publishable(by: participant), now != publish {
            publish = now
            await media.setPermissions(of: place.media, to: Self.permissions(publish, place))
        }
        if let layout = place.layout {
            try await media.setViewing(of: place.media, .layout(layout, seats: nil))
        }
        guard let state = meeting.participant(participant) else { throw .participantGone }
        if state.audioMuted { await media.setSource(.microphone, of: place.media, to: .off) }
        if state.videoPaused { await media.setSource(.camera, of: place.media, to: .off) }
        let settings = meeting.session.settings
        if let limit = settings.maxBitrateDownBps { await media.setReceiveLimit(of: place.media, to: limit) }
        if let limit = settings.maxBitrateUpBps { await media.setSendLimit(of: place.media, to: limit) }
        await media.setSource(.screen, of: place.media, to: .off)
        await media.setSource(.screenAudio, of: place.media, to: .off)
        guard let offer else { return nil }
        let named = place.sources.sources
        let answer = try await media.negotiate(place.media, offer: offer, sources: named)
        places[participant]?.sources.accepted(answer.published.keys, asked: named)
        return answer
    }

    static func permissions(_ publish: Set<Source>, _ place: Place) -> MediaPermissions {
        MediaPermissions(publish: Set(publish.map(MediaSource.init)), subscribe: place.subscribes)
    }

    // MARK: - Seats

    func seat(_ state: SeatState) -> Seat {
        let occupant = state.occupant.flatMap { participants[$0] }
        return Seat(
            mid: state.mid, kind: state.kind == .audio ? .audio : .video, occupant: occupant,
            source: occupant == nil ? nil : state.source.map(Source.init), muted: state.muted)
    }

    /// Lets the media obey other settings.
    func setLimits(_ settings: SessionSettings) async {
        // Whoever opens it later does so with the settings that hold then.
        if let session = await opening?.value {
            await media.setLimits(of: session, to: MediaLimits(settings))
        }
        for place in places.values where place.holdsPlace {
            await media.setReceiveLimit(of: place.media, to: settings.maxBitrateDownBps)
            await media.setSendLimit(of: place.media, to: settings.maxBitrateUpBps)
        }
    }

    func speaker(_ speaker: SpeakerLevel) -> ActiveSpeaker? {
        participants[speaker.participant].map { ActiveSpeaker(participant: $0, level: speaker.level) }
    }

    /// What somebody is sent, and why not more.
    func stats(of participant: ParticipantID) async -> StatsResult {
        await statistics(of: participant) ?? StatsResult(ViewerStatistics(), seats: [])
    }

    /// The same; nil while it has no media.
    private func statistics(of participant: ParticipantID) async -> StatsResult? {
        guard let place = places[participant], place.holdsPlace,
            let statistics = await media.viewerStatistics(of: place.media)
        else { return nil }
        return StatsResult(statistics, seats: statistics.seats.map { seat($0.state) })
    }

    /// Somebody of the roster, or who waits, with what it is sent.
    ///
    /// - Parameter hidden: whether those are found too whom the roster doesn't have.
    func details(
        of participant: ParticipantID, hidden: Bool
    ) async throws(APIError) -> ParticipantDetails {
        _ = try shown(participant, hidden: hidden)
        let statistics = await statistics(of: participant)
        return ParticipantDetails(try shown(participant, hidden: hidden), statistics: statistics)
    }

    /// Seats that waited for somebody to be announced.
    func releaseHeldSeats() {
        let held = heldSeats
        heldSeats = [:]
        for (viewer, seats) in held { handle(.seatsChanged(viewer, seats)) }
    }

    /// Whether somebody sits there who hasn't been announced yet.
    func hasNewcomer(_ seats: [SeatState]) -> Bool {
        seats.contains { seat in
            guard let id = seat.occupant.flatMap({ participants[$0] }) else { return false }
            return isJoining(id)
        }
    }

    func isJoining(_ participant: ParticipantID) -> Bool {
        meeting.participant(participant)?.state == .joining
    }
}

extension MediaLimits {
    init(_ settings: SessionSettings) {
        self.init(maxVideoSeats: settings.maxVideoSeats, maxAudible: settings.maxAudible)
    }
}

extension EncodingHint {
    init(_ hint: MediaEncodingHint) {
        self.init(mid: hint.mid, rid: hint.rid, active: hint.isActive, maxBitrateBps: hint.maxBitrate)
    }
}

extension MediaSource {
    init(_ source: Source) {
        switch source {
        case .microphone: self = .microphone
        case .camera: self = .camera
        case .screen: self = .screen
        case .screenAudio: self = .screenAudio
        }
    }
}

extension Source {
    init(_ source: MediaSource) {
        switch source {
        case .microphone: self = .microphone
        case .camera: self = .camera
        case .screen: self = .screen
        case .screenAudio: self = .screenAudio
        }
    }
}
