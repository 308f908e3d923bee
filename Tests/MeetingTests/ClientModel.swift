import Meeting

/// What a client knows: its snapshot and the events since.
struct ClientModel {
    private var roster: ModelRoster
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
    /// Whether it holds full lists against what it knows already; of many clients, one in a hundred does.
    private let comparesLists: Bool

    init(_ snapshot: Snapshot) {
        roster = ModelRoster(snapshot.participants)
        hands = snapshot.hands
        dominantSpeaker = snapshot.session.dominantSpeaker
        seats = snapshot.seats
        waiting = snapshot.waiting
        me = snapshot.participant.id
        session = snapshot.session
        seq = snapshot.seq
        present = Set(snapshot.participants.map(\.id))
        comparesLists = session.maxParticipants <= 100 || me.rawValue.hasSuffix("77")
    }

    mutating func apply(_ event: SessionEvent, seq new: Int, isReplay: Bool = false) {
        if new != seq + 1 { faults.append("seq \(new) after \(seq)") }
        seq = new
        switch event {
        case .sessionJoined(let session, _), .sessionUpdated(let session): self.session = session
        case .sessionLeft, .sessionTimedOut, .sessionEnded, .unmuteRequested, .removed, .idleWarning,
            .serverDraining:
            break
        case .participantJoined(let one):
            if !present.insert(one.id).inserted { faults.append("\(one.id) joined twice") }
            roster.add(one)
        case .participantLeft(let one, _):
            if present.remove(one.id) == nil { faults.append("\(one.id) left without having joined") }
            roster.remove(one.id)
        case .participantListChanged(let all):
            // It comes beside the single events, and tells what they have told. In a replay it is a later one.
            if comparesLists, !isReplay, roster.participants != all {
                faults.append("the list at \(new) is another")
            }
            roster = ModelRoster(all)
        case .waitingParticipant(let one):
            // Told again when its scope has changed.
            let place = waiting.firstIndex { $0.id == one.id }
            if let place { waiting[place] = one } else { waiting.append(one) }
        case .admitted(let one, _), .denied(let one, _):
            // The one who waited is told as well, before its snapshot.
            if one.id != me { waiting.removeAll { $0.id == one.id } }
        case .participantHandRaised(let one, let hands), .participantHandLowered(let one, let hands, _):
            self.hands = hands
            update(one)
        case .dominantSpeakerChanged(let one): dominantSpeaker = one?.id
        case .seatsChanged(let seats): self.seats = seats
        case .message, .activeSpeakersChanged, .publishHint: break
        case .participantUpdated(let one, _), .participantConnectionLost(let one),
            .participantConnectionRestored(let one), .participantAudioMuted(let one, _),
            .participantAudioUnmuted(let one), .participantVideoPaused(let one, _),
            .participantVideoResumed(let one), .participantStartedScreenShare(let one),
            .participantStoppedScreenShare(let one, _), .connectionQuality(let one):
            update(one)
            if one.id == me, one.scope < .moderator { waiting = [] }
        }
    }

    var participants: [Participant] { roster.participants }

    /// What differs from the server's state, by name.
    func differences(from truth: Snapshot) -> [String] {
        var found: [String] = faults
        if participants != truth.participants { found.append("participants") }
        if present != Set(truth.participants.map(\.id)) { found.append("present") }
        if hands != truth.hands { found.append("hands") }
        if dominantSpeaker != truth.session.dominantSpeaker { found.append("dominantSpeaker") }
        if seats != truth.seats { found.append("seats") }
        if waiting != truth.waiting { found.append("waiting") }
        if session.title != truth.session.title { found.append("title") }
        if session.settings != truth.session.settings { found.append("settings") }
        if seq != truth.seq { found.append("seq") }
        return found
    }

    private mutating func update(_ one: Participant) {
        roster.update(one)
    }
}

/// A list and what changed since it came, so that neither costs a pass over all.
private struct ModelRoster {
    private let list: [Participant]
    private var changed: [ParticipantID: Participant] = [:]
    private var added: [ParticipantID] = []
    private var removed: Set<ParticipantID> = []

    init(_ list: [Participant]) {
        self.list = list
    }

    mutating func add(_ one: Participant) {
        added.append(one.id)
        changed[one.id] = one
    }

    mutating func update(_ one: Participant) {
        changed[one.id] = one
    }

    mutating func remove(_ id: ParticipantID) {
        removed.insert(id)
    }

    var participants: [Participant] {
        let here = list.map { changed[$0.id] ?? $0 } + added.compactMap { changed[$0] }
        return here.filter { !removed.contains($0.id) }
    }
}
