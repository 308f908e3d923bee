import Meeting

/// A generator whose numbers are the same in every run (SplitMix64).
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// What a client knows: its snapshot and the events since.
struct ClientModel {
    var participants: [Participant]
    var hands: [Hand]
    var dominantSpeaker: ParticipantID?
    var seats: [Seat]
    var waiting: [Participant]
    let me: ParticipantID
    var session: Session
    var seq: Int
    /// Who is in by the joined and left events alone; each must change it.
    var present: Set<ParticipantID>
    var faults: [String] = []

    init(_ snapshot: Snapshot) {
        participants = snapshot.participants
        hands = snapshot.hands
        dominantSpeaker = snapshot.dominantSpeaker
        seats = snapshot.seats
        waiting = snapshot.waiting
        me = snapshot.participant.id
        session = snapshot.session
        seq = snapshot.seq
        present = Set(snapshot.participants.map(\.id))
    }

    mutating func apply(_ event: SessionEvent, seq new: Int) {
        if new != seq + 1 { faults.append("seq \(new) after \(seq)") }
        seq = new
        switch event {
        case .sessionJoined(let session, _), .sessionUpdated(let session): self.session = session
        case .sessionLeft, .sessionTimedOut, .sessionEnded, .unmuteRequested, .removed, .idleWarning,
            .serverDraining:
            break
        case .participantJoined(let one):
            if !present.insert(one.id).inserted { faults.append("\(one.id) joined twice") }
            put(one)
        case .participantLeft(let one, _):
            if present.remove(one.id) == nil { faults.append("\(one.id) left without having joined") }
            participants.removeAll { $0.id == one.id }
        case .participantListChanged(let all): participants = all
        case .waitingParticipant(let one): waiting.append(one)
        case .admitted(let one, _), .denied(let one, _):
            // The one who waited is told as well, before its snapshot.
            if one.id != me { waiting.removeAll { $0.id == one.id } }
        case .participantHandRaised(let one, let hands), .participantHandLowered(let one, let hands, _):
            self.hands = hands
            update(one)
        case .dominantSpeakerChanged(let one): dominantSpeaker = one?.id
        case .seatsChanged(let seats): self.seats = seats
        case .message: break
        case .participantUpdated(let one, _), .participantConnectionLost(let one),
            .participantConnectionRestored(let one), .participantAudioMuted(let one, _),
            .participantAudioUnmuted(let one), .participantVideoPaused(let one, _),
            .participantVideoResumed(let one), .participantStartedScreenShare(let one),
            .participantStoppedScreenShare(let one, _), .connectionQuality(let one):
            update(one)
            if one.id == me, one.scope < .moderator { waiting = [] }
        }
    }

    private mutating func put(_ one: Participant) {
        if participants.contains(where: { $0.id == one.id }) { update(one) } else { participants.append(one) }
    }

    private mutating func update(_ one: Participant) {
        guard let index = participants.firstIndex(where: { $0.id == one.id }) else { return }
        participants[index] = one
    }
}

/// A meeting with its clients; outputs reach those whose socket is there.
struct Room {
    var meeting: MeetingSession
    var now: Int64 = 1_000_000
    var clients: [ParticipantID: ClientModel] = [:]
    var offline: Set<ParticipantID> = []
    var outputs: [Output] = []
    var faults: [String] = []
    private var count = 0

    init(
        limits: MeetingLimits = MeetingLimits(maxParticipants: 100), settings: SessionSettings? = nil,
        guid: String? = nil
    ) {
        meeting = MeetingSession(
            sessionID: "room", meetingID: "meeting", guid: guid, settings: settings, limits: limits, now: now)
    }

    mutating func request(
        uid: String, device: String? = nil, scope: Scope = .participant, grants: Grants = Grants()
    ) -> JoinRequest {
        count += 1
        return JoinRequest(
            id: ParticipantID(rawValue: "p\(count)"), uid: uid, name: uid, deviceID: device, scope: scope,
            grants: grants)
    }

    @discardableResult
    mutating func join(
        _ uid: String, device: String? = nil, scope: Scope = .participant, grants: Grants = Grants()
    ) throws(MeetingError) -> ParticipantID {
        let request = request(uid: uid, device: device, scope: scope, grants: grants)
        _ = try meeting.beginJoin(request, now: now)
        clients[request.id] = ClientModel(try meeting.completeJoin(request.id, seats: [], now: now))
        deliver()
        return request.id
    }

    /// Asks to join, and waits.
    @discardableResult
    mutating func wait(_ uid: String, device: String? = nil) throws(MeetingError) -> ParticipantID {
        let request = request(uid: uid, device: device)
        _ = try meeting.beginJoin(request, now: now)
        deliver()
        return request.id
    }

    /// Completes the join of somebody who was admitted.
    mutating func enter(_ id: ParticipantID) throws(MeetingError) {
        clients[id] = ClientModel(try meeting.completeJoin(id, seats: [], now: now))
        deliver()
    }

    mutating func pass(_ milliseconds: Int64) {
        now += milliseconds
        meeting.advance(to: now)
        deliver()
    }

    mutating func drop(_ id: ParticipantID) {
        meeting.connectionLost(id, now: now)
        offline.insert(id)
        deliver()
    }

    mutating func resume(_ id: ParticipantID) throws(MeetingError) {
        guard var model = clients[id] else { return }
        switch try meeting.resume(id, lastSeq: model.seq, now: now) {
        case .events(let missed): for entry in missed { model.apply(entry.event, seq: entry.seq) }
        case .snapshot(let snapshot):
            faults += model.faults
            model = ClientModel(snapshot)
        }
        clients[id] = model
        offline.remove(id)
        deliver()
    }

    /// Takes the outputs, and keeps them for the test to look at.
    mutating func deliver() {
        for output in meeting.takeOutputs() {
            outputs.append(output)
            switch output {
            case .event(let event, _, let recipients):
                for recipient in recipients where !offline.contains(recipient.participant) {
                    clients[recipient.participant]?.apply(event, seq: recipient.seq)
                }
            case .drop(let id, _):
                faults += clients.removeValue(forKey: id)?.faults ?? []
                offline.remove(id)
            case .setSource, .over, .setPermissions, .admit, .keep, .meetingStarted, .meetingEnded: break
            }
        }
    }

    /// The names of the events that one participant got since the last call.
    mutating func events(of id: ParticipantID) -> [String] {
        defer { outputs = [] }
        return outputs.compactMap { output in
            guard case .event(let event, _, let to) = output, to.contains(where: { $0.participant == id })
            else {
                return nil
            }
            return event.name
        }
    }
}

extension Output {
    /// The event that it tells, if it does.
    var event: SessionEvent? {
        guard case .event(let event, _, _) = self else { return nil }
        return event
    }

    /// Those who are told.
    var recipients: [ParticipantID] {
        guard case .event(_, _, let to) = self else { return [] }
        return to.map(\.participant)
    }
}
