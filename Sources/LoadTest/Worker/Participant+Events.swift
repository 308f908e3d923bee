import EventLoop
import FixedCollections
import JSON

/// What signalling says, and what is asked through it.
extension Participant {
    /// Takes what signalling said at a time, which is before now. Returns whether a socket was opened, which is then to be
    /// watched.
    func take(_ event: SignallingEvent, _ shared: LoadShared, at: Instant, now: Instant) -> Bool {
        switch event {
        case .opened:
            shared.totals.join.socket.record(at - beganAt)
            askedAt = at
        case .joined(let answer):
            shared.totals.join.answer.record(at - (askedAt ?? beganAt))
            shared.admission.enter(plan.session)
            isAdmitted = true
            setPlaces(shared)
            defer { arrange(shared) }
            return connect(answer, shared, now: now)
        case .offered(let text):
            shared.totals.join.answer.record(at - (askedAt ?? beganAt))
            if let answer = offer?.answer(to: text) { shared.signalling.answer(plan.number, sdp: answer) }
            return connect(text, shared, now: now)
        case .renegotiated(let answer): return connect(answer, shared, now: now)
        case .refused(let code): refused(code, shared, now: now)
        case .answered(let request, let session, let took):
            shared.totals.answers.record(took)
            if request.method == "setCapacity" { shared.admission.open(plan.session) }
            if request.method == "initiateCall", let session { called(session, shared, now: now) }
            if request.method == "muteParticipant", let target = request.target {
                shared.mutes.set(target, at: now, askedAt: at - took)
            }
        case .resumed(let took): shared.totals.resume.record(took)
        case .event(let event): take(event, shared, at: at, now: now)
        case .closed(let code): closed(code, shared, now: now)
        }
        return false
    }

    private func setPlaces(_ shared: LoadShared) {
        guard let places = plan.places else { return }
        let request = LoadRequest("setCapacity", ["maxParticipants": .integer(Int64(places))])
        shared.signalling.request(plan.number, request)
    }

    /// Says how large pictures are shown.
    private func arrange(_ shared: LoadShared) {
        guard let height = plan.maxHeight else { return }
        let wishes = seats.filter(\.isVideo).map { seat -> JSONValue in
            ["mid": .string(seat.mid), "maxHeight": .integer(Int64(height))]
        }
        let params: JSONValue = ["layout": .string(plan.layout ?? "tile"), "seats": .array(wishes)]
        shared.signalling.request(plan.number, LoadRequest("setLayout", params))
    }

    private func refused(_ code: String, _ shared: LoadShared, now: Instant) {
        call.refused()
        // Who was removed may ask for something before it knows.
        if code == "ERR_NOT_IN_SESSION", plan.mayBeRemoved { return }
        shared.totals.errors[code, default: 0] += 1
        guard state == .joining else { return }
        if code == "ERR_CALL_FULL" { shared.admission.refuse(plan.session) }
        leave(shared, now: now)
    }

    private func closed(_ code: Int, _ shared: LoadShared, now: Instant) {
        guard state != .gone, state != .waiting else { return }
        switch code {
        case 4_003 where plan.mayBeRemoved:
            shared.totals.removed += 1
            shared.mutes.clear(plan.number, at: now)
            comeBack(after: .seconds(1), shared, now: now)
        case 4_004 where plan.partner != nil:
            shared.totals.calls.ended += 1
            comeBack(after: .milliseconds(100), shared, now: now)
        default:
            shared.totals.errors["closed \(code)", default: 0] += 1
            leave(shared, now: now)
        }
    }

    private func take(_ event: SessionEvent, _ shared: LoadShared, at: Instant, now: Instant) {
        shared.totals.events += 1
        shared.totals.missedEvents += UInt64(event.missed)
        switch event.name {
        case "participantHandRaised", "participantHandLowered":
            if let asked = shared.control.lastRequest { shared.totals.fanOut.record(at - asked) }
        case "message":
            if let causedAt = event.causedAt { shared.totals.fanOut.record(at - causedAt) }
        case "participantAudioMuted" where event.participant == plan.number && plan.mayBeRemoved:
            unmuteAt = now + .seconds(1)
            schedule()
        case "seatsChanged":
            shared.totals.seatChanges += 1
            for seat in event.seats { announce(seat) }
        case "dominantSpeakerChanged":
            shared.totals.speakerChanges += 1
            if let speaker = event.participant, let since = shared.conversation.spokeUp(speaker, at) {
                shared.totals.speakerNamed.record(at - since)
            }
            awaitPicture(of: event.participant, shared, at: at)
        default: takeCall(event, shared, at: at, now: now)
        }
    }

    /// Notes whose picture is to come now, if it isn't shown anyway.
    private func awaitPicture(of speaker: Int?, _ shared: LoadShared, at: Instant) {
        if let awaited { shared.totals.speakerSeen.record(at - awaited.since) }
        awaited = nil
        guard let speaker, speaker != plan.number, shared.conversation.isSeen(speaker) else { return }
        guard seats.contains(where: \.isVideo) else { return }
        if seats.contains(where: { $0.shown == speaker }) {
            shared.totals.speakerSeen.record(.zero)
        } else {
            awaited = (speaker, at)
        }
    }

    private func announce(_ news: SeatNews) {
        guard let index = seats.firstIndex(where: { $0.mid == news.mid }) else { return }
        seats[index].occupancy.announced = news.occupant
    }

    /// Requests of which all are told by the events that fan-out is measured by.
    private static let areTold: Set = ["raiseHand", "lowerHand"]

    /// Asks something of the server; how long the answer takes is noted.
    func request(_ request: LoadRequest, _ shared: LoadShared, now: Instant) {
        guard state == .connected else { return }
        if Self.areTold.contains(request.method) { shared.control.note(now) }
        var request = request
        if request.method == "sendMessage" {
            request.params = [
                "type": "text", "text": "load", "data": ["sentAt": .integer(now.nanoseconds)],
            ]
        }
        shared.signalling.request(plan.number, request)
    }

    // MARK: - What is done of its own accord

    /// When `doWhatIsDue` has something to do.
    var nextDeed: Instant { min(unmuteAt ?? .distantFuture, call.nextDeed) }

    func doWhatIsDue(_ shared: LoadShared, now: Instant) {
        if let unmuteAt, now >= unmuteAt {
            self.unmuteAt = nil
            shared.mutes.clear(plan.number, at: now)
            shared.signalling.request(plan.number, LoadRequest("unmuteAudio"))
        }
        if now >= call.nextDeed { goOnWithCall(shared, now: now) }
    }
}
