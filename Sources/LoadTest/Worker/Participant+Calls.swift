import FixedCollections
import JSON
import Synchronization

/// Where one who calls or is called stands.
struct CallState {
    enum Phase {
        case free, ringing, answered, hungUp
    }

    var phase = Phase.free
    var session: String?
    /// When the next step is due: to accept, to cancel, to hang up.
    var nextDeed = Instant.distantFuture

    /// Something wasn't to be: free for the next call.
    mutating func refused() {
        if phase == .ringing { self = CallState() }
    }
}

/// When who was called, so that the other side can tell how long it took; shared by all workers.
final class Bells: Sendable {
    /// What becomes of a call that rings.
    enum Outcome: Sendable {
        case accepted, rejected, cancelled
    }

    private struct Ring {
        var at: Instant
        var outcome: Outcome
    }

    private let rings = Mutex<[Int: Ring]>([:])
    private let acceptances = Mutex<[Int: Instant]>([:])

    func ring(_ called: Int, at time: Instant, _ outcome: Outcome) {
        rings.withLock { $0[called] = Ring(at: time, outcome: outcome) }
    }

    func rung(_ called: Int) -> (at: Instant, outcome: Outcome)? {
        rings.withLock { $0[called].map { ($0.at, $0.outcome) } }
    }

    func accept(_ caller: Int, at time: Instant) {
        acceptances.withLock { $0[caller] = time }
    }

    func accepted(_ caller: Int) -> Instant? {
        acceptances.withLock { $0[caller] }
    }
}

/// Ringing: some calls are accepted, some rejected, some cancelled.
extension Participant {
    /// How long it rings until somebody does something, and then until the caller gives up if nobody has.
    private static let (thinking, patience) = (Duration.milliseconds(300), Duration.milliseconds(150))

    /// Calls the partner, if neither of the two is busy.
    func ring(_ shared: LoadShared, now: Instant) {
        guard state == .attached, call.phase == .free, askedAt != nil, let partner = plan.partner else {
            return
        }
        let luck = random.unit()
        let outcome: Bells.Outcome = luck < 0.8 ? .accepted : luck < 0.9 ? .rejected : .cancelled
        call.phase = .ringing
        shared.bells.ring(partner, at: now, outcome)
        shared.totals.calls.made += 1
        shared.signalling.request(
            plan.number,
            LoadRequest(
                "initiateCall",
                [
                    "receiverId": .string(ParticipantPlan.uid(partner)), "receiverType": "user",
                    "timeoutSeconds": 20,
                ]))
        schedule()
    }

    func takeCall(_ event: SessionEvent, _ shared: LoadShared, at: Instant, now: Instant) {
        guard plan.partner != nil, let session = event.call else { return }
        switch event.name {
        case "incomingCallReceived":
            guard state == .attached, call.phase == .free, let rung = shared.bells.rung(plan.number) else {
                return
            }
            shared.totals.calls.rang.record(at - rung.at)
            (call.phase, call.session) = (.ringing, session)
            // One that is to be cancelled isn't answered.
            call.nextDeed = rung.outcome == .cancelled ? .distantFuture : now + Self.thinking
        case "outgoingCallAccepted":
            if let accepted = shared.bells.accepted(plan.number) {
                shared.totals.calls.told.record(at - accepted)
            }
            shared.totals.calls.answered += 1
            (call.phase, call.session) = (.answered, session)
            join(session, shared, now: now)
        case "outgoingCallRejected":
            shared.totals.calls.rejected += 1
            call = CallState()
        case "incomingCallCancelled":
            shared.totals.calls.cancelled += 1
            call = CallState()
        default: return
        }
        schedule()
    }

    /// The server has answered `initiateCall`: one that is to be cancelled is, after a while.
    func called(_ session: String, _ shared: LoadShared, now: Instant) {
        guard call.phase == .ringing, let partner = plan.partner else { return }
        call.session = session
        if shared.bells.rung(partner)?.outcome == .cancelled { call.nextDeed = now + Self.patience }
        schedule()
    }

    /// Media can flow: a call ends after a while.
    func arrived(_ shared: LoadShared, now: Instant) {
        if disturbance != nil, seats.isEmpty { noteRecovery(shared, now: now) }
        guard plan.callsOthers, call.phase == .answered else { return }
        call.nextDeed = now + plan.talk
    }

    func goOnWithCall(_ shared: LoadShared, now: Instant) {
        call.nextDeed = .distantFuture
        guard let session = call.session, let partner = plan.partner else { return }
        let params: JSONValue = ["sessionId": .string(session)]
        switch call.phase {
        case .ringing where plan.callsOthers:
            shared.signalling.request(plan.number, LoadRequest("cancelCall", params))
            call = CallState()
        case .ringing where shared.bells.rung(plan.number)?.outcome == .rejected:
            shared.signalling.request(plan.number, LoadRequest("rejectCall", params))
            call = CallState()
        case .ringing:
            call.phase = .answered
            shared.bells.accept(partner, at: now)
            shared.signalling.request(plan.number, LoadRequest("acceptCall", params))
            join(session, shared, now: now)
        case .answered:
            call.phase = .hungUp
            shared.signalling.request(plan.number, LoadRequest("endCall", params))
        case .free, .hungUp: break
        }
    }
}
