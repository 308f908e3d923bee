import FixedCollections
import Transport

/// Coming and going.
extension Participant {
    /// Asks to be let in, or, if it is one who calls or is called, to be told of calls.
    func begin(_ shared: LoadShared, now: Instant) {
        beganAt = now
        guard plan.partner == nil else {
            (state, askedAt) = (.attached, nil)
            return shared.signalling.attach(plan.number, uid: plan.uid)
        }
        join(plan.session, shared, now: now)
    }

    /// Whether it can be called.
    var isAttached: Bool { state == .attached && askedAt != nil }

    func join(_ session: String, _ shared: LoadShared, now: Instant) {
        state = .joining
        beganAt = now
        self.session = session
        (askedAt, checkedAt, hasHeard, hasSeen) = (nil, nil, false, false)
        shared.totals.joinsStarted += 1
        let request = JoinRequest(
            session: session, uid: plan.uid, scope: plan.scope, offer: makeOffer(shared),
            startsWithVideo: plan.sendsVideo, layout: plan.layout,
            sends: plan.sendsAudio || plan.sendsVideo, audioSeats: plan.audioSeats,
            videoSeats: plan.videoSeats)
        shared.signalling.join(plan.number, request)
    }

    /// Says goodbye and ends.
    func leave(_ shared: LoadShared, now: Instant) {
        guard state != .gone, state != .waiting else {
            state = .gone
            nextTimeout = .distantFuture
            return
        }
        switch state {
        case .connected: shared.totals.left += 1
        case .joining: shared.totals.failedJoins += 1
        case .connecting: if disturbance == nil { shared.totals.failedJoins += 1 }
        default: break
        }
        if isAdmitted { shared.admission.exit(plan.session) }
        isAdmitted = false
        state = .gone
        nextTimeout = .distantFuture
        shared.senders.end(plan.number, in: session)
        shared.signalling.leave(plan.number)
        transport?.close(now: now, into: &shared.output)
        flushOutput(shared, now: now)
        forgetMedia()
        (call, disturbance, unmuteAt) = (CallState(), nil, nil)
    }

    /// Leaves, and comes again after a while.
    func comeBack(after pause: Duration, _ shared: LoadShared, now: Instant) {
        leave(shared, now: now)
        state = .waiting
        joinAt = now + pause
        nextTimeout = joinAt
    }

    func noteProgress(_ shared: LoadShared, now: Instant) {
        let reached: ClientTransport.State
        switch transport {
        case .some(let transport): reached = transport.state
        // A new one is being negotiated.
        case .none: return
        }
        if checkedAt == nil, reached == .handshaking || reached == .connected {
            checkedAt = now
            if disturbance == nil { shared.totals.join.ice.record(now - answeredAt) }
        }
        switch reached {
        case .connected where state == .connecting:
            state = .connected
            if disturbance == nil {
                shared.totals.joined += 1
                shared.totals.join.dtls.record(now - (checkedAt ?? answeredAt))
                shared.totals.join.total.record(now - beganAt)
            }
            startMedia(shared, now: now)
            shared.senders.begin(
                plan.number, in: session, audio: plan.sendsAudio, video: plan.sendsVideo, at: now)
            arrived(shared, now: now)
        case .failed, .closed:
            guard state != .gone else { return }
            // Whoever is put out or hung up loses the connection first, and then is told.
            if reached == .closed, plan.mayBeRemoved || plan.partner != nil { return forgetMedia() }
            shared.totals.errors[reached == .failed ? "transport failed" : "transport closed", default: 0] +=
                1
            leave(shared, now: now)
        default: break
        }
    }

    /// Notes the first packets of each kind: how long they took from the join's beginning, or from when there was somebody to
    /// be heard and seen.
    func note(_ effect: SeatReceiver.Effect, isVideo: Bool, _ shared: LoadShared, now: Instant) {
        if effect.isFirst, !isVideo, !hasHeard {
            hasHeard = true
            let word = shared.senders.firstWord(
                for: plan.number, in: session, from: beganAt, to: now, shared.conversation)
            shared.totals.join.firstAudio.record(now - (word ?? beganAt))
        }
        if effect.isFirstFrame, !hasSeen {
            hasSeen = true
            let picture = shared.senders.firstPicture(for: plan.number, in: session, from: beganAt)
            shared.totals.join.firstFrame.record(now - (picture ?? beganAt))
        }
        if let speaker = effect.shownAnew, let since = shared.conversation.spokeUp(speaker, now) {
            shared.totals.speakerShown.record(now - since)
        }
    }
}
