import JSON
import MediaWorker
import Meeting

/// Somebody who wants to join, and what its offer says.
struct Joining: Sendable {
    var request: JoinRequest
    var offer: String?
    /// What the offer's sending m-lines carry.
    var sources: NamedSources
    var layout: ViewingLayout?
    var socket: Socket
    /// The auth token that its client lives by.
    var authTokenID: String?
    /// Whether what the group said about who joins still holds. Asked when the place is taken: whoever changes the
    /// group afterwards finds the newcomer. Errors: banned, or no member any more.
    var isStillRight: @Sendable () async throws(APIError) -> Bool
}

/// Somebody who was admitted, and comes in.
struct ComingIn: Sendable {
    var entry: MeetingSession.Entry
    var offer: String?
    var sources: NamedSources
    var layout: ViewingLayout?
}

extension SessionActor {
    /// What came of a join. If it came too late for this meeting, or the group has changed meanwhile, it is to be tried
    /// again.
    enum JoinOutcome: Sendable {
        /// It is in, or waits; that was answered.
        case done
        case over
        case changed
    }

    /// Takes a place, sets the media up, and answers with the whole state; or answers that it has to wait. The caller took
    /// a place on the server, which is given back here.
    func join(_ joining: Joining, _ reply: Reply) async throws(APIError) -> JoinOutcome {
        let request = joining.request
        do throws(MeetingError) {
            _ = try meeting.beginJoin(request, now: clock.now())
        } catch .over {
            directory.givePlaceBack()
            return .over
        } catch {
            directory.givePlaceBack()
            meeting.endIfEmpty()
            await settle()
            throw APIError(error)
        }
        let mediaID = directory.addParticipant(in: self)
        places[request.id] = Place(
            uid: request.uid, media: mediaID, resumeToken: RandomID.make(), authTokenID: joining.authTokenID,
            subscribes: request.grants.subscribe, sources: joining.sources, layout: joining.layout,
            owner: joining.socket)
        participants[mediaID] = request.id
        do throws(APIError) {
            guard try await joining.isStillRight() else {
                await abandon(request.id)
                return .changed
            }
        } catch {
            await abandon(request.id)
            throw error
        }
        if state(of: request.id) == .waiting {
            try await wait(request.id, reply)
        } else {
            // Whoever was admitted before it heard that it has to wait comes in at once.
            try? meeting.beginEntry(request.id, MeetingSession.Entry(), now: clock.now())
            try await enter(request.id, mediaID, offer: joining.offer, reply)
        }
        return .done
    }

    /// Somebody who waits asks again: once it is admitted it comes in, and is answered with the whole state.
    func comeIn(_ participant: ParticipantID, _ coming: ComingIn, _ reply: Reply) async throws(APIError) {
        meeting.recheckWait(participant, now: clock.now())
        guard let place = places[participant], let known = meeting.participant(participant) else {
            throw APIError(MeetingError.notInSession)
        }
        if known.state == .waiting { return try await wait(participant, reply) }
        // Its place in the session is kept for a while: it may try again.
        guard directory.takePlace() else { throw .serverFull(retryAfterSeconds: 5) }
        do throws(MeetingError) {
            try meeting.beginEntry(participant, coming.entry, now: clock.now())
        } catch {
            directory.givePlaceBack()
            throw APIError(error)
        }
        places[participant]?.holdsPlace = true
        places[participant]?.sources = coming.sources
        places[participant]?.layout = coming.layout ?? place.layout
        try await enter(participant, place.media, offer: coming.offer, reply)
    }

    /// A further offer: an ICE restart, new tracks, more or fewer seats.
    func negotiate(_ participant: ParticipantID, offer: String, _ reply: Reply) async throws(APIError) {
        try checkIsIn(participant)
        guard let place = places[participant] else { throw APIError(MeetingError.notInSession) }
        let answer: MediaAnswer
        do throws(MediaError) {
            answer = try await media.negotiate(place.media, offer: offer, sources: place.sources.sources)
        } catch {
            throw APIError(error)
        }
        places[participant]?.sources.accepted(answer.published.keys, asked: place.sources.sources)
        // Who sits in the seats, new ones too, is for the workers to say: the answer knows only which there are.
        await settle(before: { _ in reply.succeed(AnswerResult(answer: answer.sdp)) })
    }

    /// Says what m-lines carry from now on; takes effect with the next offer that has them.
    func setSources(
        _ sources: [String: MediaSource], of participant: ParticipantID, field: String
    ) throws(APIError) {
        try checkIsIn(participant)
        guard var named = places[participant]?.sources else { throw APIError(MeetingError.notInSession) }
        try named.name(sources, field: field)
        places[participant]?.sources = named
    }

    // MARK: - Parts

    /// Answers that somebody waits. From here on it is told what becomes of that.
    private func wait(_ participant: ParticipantID, _ reply: Reply) async throws(APIError) {
        guard let place = places[participant], let known = meeting.participant(participant) else {
            throw APIError(MeetingError.notInSession)
        }
        if place.holdsPlace {
            places[participant]?.holdsPlace = false
            directory.givePlaceBack()
        }
        let result = WaitResult(session: session(), participant: ParticipantObject(known))
        meeting.remindOfDraining(participant, now: clock.now())
        await settle(before: { session in
            session.places[participant]?.outlet = place.owner
            reply.succeed(result)
        })
    }

    /// Sets the media up and completes the join; otherwise its place is given back.
    private func enter(
        _ participant: ParticipantID, _ mediaID: MediaParticipantID, offer: String?, _ reply: Reply
    ) async throws(APIError) {
        do throws(MediaError) {
            let answer = try await setUpMedia(for: participant, offer: offer)
            try await complete(participant, answer, reply)
        } catch {
            // It may have been announced to the workers after it was put out.
            if places[participant] == nil { await media.leave(mediaID) }
            await abandon(participant)
            throw APIError(error)
        }
        releaseHeldSeats()
    }

    private func complete(
        _ participant: ParticipantID, _ answer: MediaAnswer?, _ reply: Reply
    ) async throws(MediaError) {
        guard let place = places[participant] else { throw .participantGone }
        await registry.keep(place.resumeToken, session: self, participant: participant)
        // A mute of all that came meanwhile holds before it is answered.
        while meeting.recheckEntry(participant, now: clock.now()) { await settle() }
        // From here to the queue nobody gets in between: what the join brings about stays behind the answer.
        let snapshot: Snapshot
        do throws(MeetingError) {
            snapshot = try meeting.completeJoin(
                participant, seats: answer?.seats.map(seat) ?? [], now: clock.now())
        } catch {
            await registry.forget(place.resumeToken)
            throw .participantGone
        }
        await settle(before: { session in
            session.places[participant]?.outlet = place.owner
            session.noteJoined(participant)
            let whole = SnapshotObject(snapshot)
            reply.succeed(JoinResult(whole, answer: answer?.sdp, resumeToken: place.resumeToken))
        })
    }

    private func abandon(_ newcomer: ParticipantID) async {
        meeting.cancelJoin(newcomer, now: clock.now())
        await settle()
        releaseHeldSeats()
    }
}

extension APIError {
    init(_ error: MediaError) {
        switch error {
        case .invalidOffer(let line, let reason):
            self.init(.invalidOffer, reason, details: line.map { [("line", .integer(Int64($0)))] } ?? [])
        case .codecUnsupported(let mid):
            self.init(
                .codecUnsupported, "no codec of m-line \(mid) is known", details: [("mid", .string(mid))])
        case .serverFull: self = .serverFull(retryAfterSeconds: 5)
        case .participantGone: self.init(MeetingError.notInSession)
        case .unknownSeat(let mid):
            self.init(
                .badRequest, "each mid must be that of another video seat",
                details: [("field", "seats"), ("mid", .string(mid))])
        case .tooManyPins(let limit):
            self.init(
                .badRequest, "\(limit) are pinned already: unpin somebody first",
                details: [("field", "participantId")])
        }
    }
}
