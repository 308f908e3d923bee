import JSON
import MediaWorker
import Meeting

/// Somebody who wants to join, and what its offer says.
struct Joining: Sendable {
    var request: JoinRequest
    var offer: String?
    /// What the offer's sending m-lines carry.
    var sources: NamedSources
    var socket: Socket
    /// Whether what the group said about who joins still holds. Asked when the place is taken: whoever changes the
    /// group afterwards finds the newcomer. Errors: banned, or no member any more.
    var isStillRight: @Sendable () async throws(APIError) -> Bool
}

/// The answer to `joinSession`.
private struct JoinResult: Encodable, Sendable {
    struct ICEServer: Encodable, Sendable {
        let urls: [String]
    }

    let state = "joined"
    let session: SessionObject
    let participant: ParticipantObject
    let participants: [ParticipantObject]
    let hands: [HandObject]
    let dominantSpeaker: String?
    let seats: [SeatObject]
    let answer: String?
    let iceServers: [ICEServer] = []
    let resumeToken: String
    let seq: Int

    init(_ whole: SnapshotObject, answer: String?, resumeToken: String) {
        session = whole.session
        participant = whole.participant
        participants = whole.participants
        hands = whole.hands
        dominantSpeaker = whole.dominantSpeaker
        seats = whole.seats
        self.answer = answer
        self.resumeToken = resumeToken
        seq = whole.seq
    }

    private enum CodingKeys: String, CodingKey {
        case state, session, participant, participants, hands, dominantSpeaker, seats, answer, iceServers
        case resumeToken, seq
    }
}

private struct ResumeResult: Encodable {
    let events: [EventObject]?
    let snapshot: SnapshotObject?
    let resumeToken: String
}

private struct AnswerResult: Encodable, Sendable {
    let answer: String
}

extension SessionActor {
    /// Whether a join succeeded. If it came too late for this meeting, or the group has changed meanwhile, it is to be
    /// tried again.
    enum JoinOutcome: Sendable {
        case joined
        case over
        case changed
    }

    /// Takes a place, sets the media up, and answers with the whole state. The caller took a place on the server,
    /// which is given back here when the participant is dropped, or by the caller if this throws before or is `over`.
    func join(_ joining: Joining, _ reply: Reply) async throws(APIError) -> JoinOutcome {
        let request = joining.request
        let participant: Participant
        do throws(MeetingError) {
            participant = try meeting.beginJoin(request, now: clock.now())
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
            uid: request.uid, media: mediaID, resumeToken: RandomID.make(), sources: joining.sources,
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
        do throws(MediaError) {
            let answer = try await setUpMedia(for: participant, as: mediaID, joining)
            try await complete(request.id, answer, reply)
        } catch {
            await abandon(request.id)
            throw APIError(error)
        }
        await releaseHeldSeats()
        return .joined
    }

    private func abandon(_ newcomer: ParticipantID) async {
        meeting.cancelJoin(newcomer, now: clock.now())
        await settle()
        await releaseHeldSeats()
    }

    /// A further offer: an ICE restart, new tracks, more or fewer seats.
    func negotiate(_ participant: ParticipantID, offer: String, _ reply: Reply) async throws(APIError) {
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
        guard var named = places[participant]?.sources else { throw APIError(MeetingError.notInSession) }
        try named.name(sources, field: field)
        places[participant]?.sources = named
    }

    /// Comes back on another socket: what was missed is answered, what follows goes there.
    func resume(
        _ participant: ParticipantID, lastSeq: Int, socket: Socket, _ reply: Reply
    ) async throws(APIError) {
        guard let place = places[participant] else { throw APIError(MeetingError.notInSession) }
        let resumption: Resumption
        do throws(MeetingError) {
            resumption = try meeting.resume(participant, lastSeq: lastSeq, now: clock.now())
        } catch {
            throw APIError(error)
        }
        let old = place.owner
        places[participant]?.owner = socket
        if old !== socket { old.close(.replaced, reason: "resumed on another socket") }
        await settle(before: { session in
            session.places[participant]?.outlet = socket
            switch resumption {
            case .events(let missed):
                let events = missed.map { EventObject($0, sessionID: session.id) }
                reply.succeed(ResumeResult(events: events, snapshot: nil, resumeToken: place.resumeToken))
            case .snapshot(let snapshot):
                let whole = SnapshotObject(snapshot)
                reply.succeed(ResumeResult(events: nil, snapshot: whole, resumeToken: place.resumeToken))
            }
        })
    }

    func session() -> SessionObject {
        SessionObject(meeting.session)
    }

    func roster() -> [ParticipantObject] {
        meeting.roster.map(ParticipantObject.init)
    }

    /// The uid of somebody who is in.
    func uid(of participant: ParticipantID) -> String? {
        meeting.participant(participant)?.uid
    }

    // MARK: - Parts

    private func setUpMedia(
        for participant: Participant, as mediaID: MediaParticipantID, _ joining: Joining
    ) async throws(MediaError) -> MediaAnswer? {
        let grants = joining.request.grants
        let publish = grants.publishable(as: joining.request.scope)
        let session = await openedMedia()
        await media.join(
            mediaID, session: session,
            permissions: MediaPermissions(
                publish: Set(publish.map(MediaSource.init)), subscribe: grants.subscribe))
        if participant.audioMuted { await media.setSource(.microphone, of: mediaID, to: .off) }
        if participant.videoPaused { await media.setSource(.camera, of: mediaID, to: .off) }
        await media.setSource(.screen, of: mediaID, to: .off)
        await media.setSource(.screenAudio, of: mediaID, to: .off)
        guard let offer = joining.offer else { return nil }
        let named = joining.sources.sources
        let answer = try await media.negotiate(mediaID, offer: offer, sources: named)
        places[participant.id]?.sources.accepted(answer.published.keys, asked: named)
        return answer
    }

    private func complete(
        _ participant: ParticipantID, _ answer: MediaAnswer?, _ reply: Reply
    ) async throws(MediaError) {
        guard let place = places[participant] else { throw .participantGone }
        await registry.keep(place.resumeToken, session: self, participant: participant)
        // From here to the queue nobody gets in between: what the join brings about stays behind the answer.
        let snapshot: Snapshot
        do throws(MeetingError) {
            snapshot = try meeting.completeJoin(
                participant, seats: answer?.seats.map(seat) ?? [], now: clock.now())
        } catch {
            throw .participantGone
        }
        await settle(before: { session in
            session.places[participant]?.outlet = place.owner
            session.noteJoined(participant)
            let whole = SnapshotObject(snapshot)
            reply.succeed(JoinResult(whole, answer: answer?.sdp, resumeToken: place.resumeToken))
        })
    }

    /// Seats that waited for somebody to be announced.
    private func releaseHeldSeats() async {
        let held = heldSeats
        heldSeats = [:]
        for (viewer, seats) in held { await handle(.seatsChanged(viewer, seats)) }
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
        }
    }
}
