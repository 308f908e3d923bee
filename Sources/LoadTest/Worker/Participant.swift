import EventLoop
import FixedCollections
import Transport
import Wire

/// A synthetic participant: joins, connects, sends, watches, reports, leaves.
///
/// Belongs to its worker's thread, which gives it datagrams, signalling and the time, and calls `handleTimeout` when
/// `nextTimeout` has come.
final class Participant {
    enum State {
        case waiting
        /// On the way to the server, and waiting for calls: no session yet.
        case attached
        case joining, connecting, connected
        case gone
    }

    let plan: ParticipantPlan
    var state = State.waiting
    var socket: UDPSocket?
    var server: SocketAddress?
    var transport: ClientTransport?
    var offer: ClientOffer?
    var random: SeededRandom

    // What it sends.
    var audio: AudioSource?
    var audioStream: OutgoingStream?
    var video: [VideoSource] = []
    var videoStreams: [OutgoingStream] = []
    var sealers: [SSRC: SealerStream] = [:]
    /// When the server last asked for a key frame.
    var keyFrameAskedAt: [SSRC: Instant] = [:]
    var transportSequence = SequenceNumber(0)

    // What it receives.
    var seats: [SeatReceiver] = []
    var lastSeat = 0
    /// Who was told to speak, and when: until a picture of them is shown.
    var awaited: (speaker: Int, since: Instant)?
    var feedback: TransportFeedbackBuilder?
    let transportCCID: UInt8

    /// Nil if the network is as good as it gets.
    let network: ImpairedNetwork?

    // When something is due.
    var nextReport = Instant.distantFuture
    var nextTick = Instant.distantFuture
    var nextTimeout: Instant

    // When something happened.
    var joinAt: Instant
    /// What it joined last: its plan's session, or a call's.
    var session = ""
    var beganAt = Instant.zero
    var askedAt: Instant?
    var answeredAt = Instant.zero
    var checkedAt: Instant?
    var isAdmitted = false
    var hasHeard = false
    var hasSeen = false

    // What it does besides.
    /// Somebody muted it: when it unmutes itself.
    var unmuteAt: Instant?
    var call = CallState()
    /// What was done to it, and when: until media comes again.
    var disturbance: (kind: Disturbance, at: Instant)?

    init(_ plan: ParticipantPlan, seed: UInt64) {
        self.plan = plan
        random = SeededRandom(seed: seed &+ UInt64(plan.number) &* 0x9e37_79b9)
        joinAt = plan.joinAt
        nextTimeout = plan.joinAt
        network =
            plan.network.isPerfect
            ? nil : ImpairedNetwork(plan.network, seed: seed &+ UInt64(plan.number) &* 2_654_435_761)
        transportCCID = plan.media.usesTransportCC ? 3 : 0
    }

    func handleTimeout(_ shared: LoadShared, now: Instant) {
        if let leaveAt = plan.leaveAt, now >= leaveAt { return leave(shared, now: now) }
        switch state {
        case .waiting:
            guard now >= joinAt else { break }
            if plan.awaitsPlaces, !shared.admission.isOpen(plan.session) {
                joinAt = now + .milliseconds(10)
            } else {
                begin(shared, now: now)
            }
        case .connecting, .connected:
            drainNetwork(shared, now: now)
            transport?.handleTimeout(now: now, into: &shared.output)
            flushOutput(shared, now: now)
            noteProgress(shared, now: now)
            if state == .connected {
                sendMedia(shared, now: now)
                if now >= nextTick { tick(shared, now: now) }
                doWhatIsDue(shared, now: now)
            }
        case .attached: doWhatIsDue(shared, now: now)
        case .joining, .gone: break
        }
        schedule()
    }

    func schedule() {
        var next = plan.leaveAt ?? .distantFuture
        switch state {
        case .waiting: next = min(next, joinAt)
        case .attached: next = min(next, nextDeed)
        case .connecting, .connected: next = min(next, transport?.nextTimeout ?? .distantFuture)
        case .joining: break
        case .gone: next = .distantFuture
        }
        if let network { next = min(next, network.nextArrival) }
        if state == .connected {
            next = min(next, min(nextTick, nextDeed))
            if let audio { next = min(next, audio.nextPacket) }
            for source in video { next = min(next, source.nextFrame) }
        }
        nextTimeout = next
    }

    /// Looks again sooner.
    func hasten(to time: Instant) {
        nextTimeout = min(nextTimeout, time)
    }

    /// Looks for gaps to ask for sooner.
    func hastenTick(to time: Instant) {
        nextTick = min(nextTick, time)
        hasten(to: time)
    }
}
