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

/// A meeting with its clients; outputs reach those whose socket is there.
struct Room {
    var meeting: MeetingSession
    var now: Int64 = 1_000_000
    var clients: [ParticipantID: ClientModel] = [:]
    var offline: Set<ParticipantID> = []
    var outputs: [Output] = []
    var faults: [String] = []
    /// Whether `outputs` grows; long walks don't look at it.
    var keepsOutputs = true
    /// Whether those who are admitted come in at once.
    var entersAdmitted = false
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

    /// Comes back, and says whether with the missed events rather than a snapshot.
    @discardableResult
    mutating func resume(_ id: ParticipantID) throws(MeetingError) -> Bool {
        guard var model = clients[id] else { return false }
        var isReplay = false
        switch try meeting.resume(id, lastSeq: model.seq, now: now) {
        case .events(let missed):
            for entry in missed { model.apply(entry.event, seq: entry.seq, isReplay: true) }
            isReplay = true
        case .snapshot(let snapshot):
            faults += model.faults
            model = ClientModel(snapshot)
        }
        clients[id] = model
        offline.remove(id)
        deliver()
        return isReplay
    }

    /// Takes the outputs, and keeps them for the test to look at.
    mutating func deliver() {
        var admitted: [ParticipantID] = []
        for output in meeting.takeOutputs() {
            if keepsOutputs { outputs.append(output) }
            switch output {
            case .event(let event, _, let recipients):
                for recipient in recipients where !offline.contains(recipient.participant) {
                    clients[recipient.participant]?.apply(event, seq: recipient.seq)
                }
            case .drop(let id, _):
                faults += clients.removeValue(forKey: id)?.faults ?? []
                offline.remove(id)
            case .admit(let id): admitted.append(id)
            case .setSource, .setLimits, .over, .setPermissions, .keep, .meetingStarted, .meetingEnded: break
            }
        }
        guard entersAdmitted else { return }
        for id in admitted {
            do { try enter(id) } catch { meeting.cancelJoin(id, now: now) }
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
