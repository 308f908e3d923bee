import EventLoop
import FixedCollections
import JSON
import Transport
import Wire

/// A synthetic participant: joins, connects, sends, watches, reports, leaves.
///
/// Belongs to its worker's thread, which gives it datagrams, signalling and the time, and calls `handleTimeout` when
/// `nextTimeout` has come.
final class Participant {
    enum State {
        case waiting, joining, connecting, connected, gone
    }

    let plan: ParticipantPlan
    private(set) var state = State.waiting
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
    var transportSequence = SequenceNumber(0)

    // What it receives.
    var seats: [SeatReceiver] = []
    var lastSeat = 0
    var feedback: TransportFeedbackBuilder?
    let transportCCID: UInt8

    /// Nil if the network is as good as it gets.
    let network: ImpairedNetwork?

    // When something is due.
    var nextReport = Instant.distantFuture
    var nextTick = Instant.distantFuture
    private(set) var nextTimeout: Instant

    // When something happened.
    private var beganAt = Instant.zero
    private var askedAt: Instant?
    private var answeredAt = Instant.zero
    private var checkedAt: Instant?
    private var isAdmitted = false
    private var hasHeard = false
    private var hasSeen = false

    init(_ plan: ParticipantPlan, seed: UInt64) {
        self.plan = plan
        random = SeededRandom(seed: seed &+ UInt64(plan.number) &* 0x9e37_79b9)
        nextTimeout = plan.joinAt
        network =
            plan.network.isPerfect
            ? nil : ImpairedNetwork(plan.network, seed: seed &+ UInt64(plan.number) &* 2_654_435_761)
        transportCCID = plan.media.usesTransportCC ? 3 : 0
    }

    // MARK: - Coming and going

    /// Opens a socket of its own and asks to be let in.
    private func begin(_ shared: LoadShared, now: Instant) {
        state = .joining
        beganAt = now
        shared.totals.joinsStarted += 1
        let credentials = RemoteICECredentials(
            ufrag: ICEText.random(8, using: &random), password: ICEText.random(24, using: &random))
        var offer = ClientOffer(
            credentials: credentials, fingerprint: shared.context.fingerprint,
            origin: random.next() >> 2, plan: plan)
        if plan.sendsAudio { offer.audio = .init(ssrc: SSRC(freshSSRC(0)), rtxSSRC: nil) }
        if plan.sendsVideo {
            offer.video = (0..<plan.media.encodings).map { encoding in
                .init(
                    ssrc: SSRC(freshSSRC(1 + 2 * encoding)),
                    rtxSSRC: plan.media.usesRTX ? SSRC(freshSSRC(2 + 2 * encoding)) : nil)
            }
        }
        self.offer = offer
        let request = JoinRequest(
            session: plan.session, uid: plan.uid, scope: plan.scope, offer: offer.description.write(),
            startsWithVideo: plan.sendsVideo, sends: plan.sendsAudio || plan.sendsVideo,
            audioSeats: plan.audioSeats, videoSeats: plan.videoSeats)
        shared.signalling.join(plan.number, request)
    }

    private func freshSSRC(_ index: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: random.next() & ~15) | UInt32(index)
    }

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
            if let places = plan.places {
                let request = LoadRequest("setCapacity", ["maxParticipants": .integer(Int64(places))])
                shared.signalling.request(plan.number, request)
            }
            return connect(answer, shared, now: now)
        case .offered(let text):
            shared.totals.join.answer.record(at - (askedAt ?? beganAt))
            if let answer = offer?.answer(to: text) { shared.signalling.answer(plan.number, sdp: answer) }
            return connect(text, shared, now: now)
        case .refused(let code):
            shared.totals.errors[code, default: 0] += 1
            if state == .joining {
                if code == "ERR_CALL_FULL" { shared.admission.refuse(plan.session) }
                leave(shared, now: now)
            }
        case .answered(_, let took): shared.totals.answers.record(took)
        case .event(let event): take(event, shared, at: at)
        case .closed(let code):
            guard state != .gone else { return false }
            shared.totals.errors["closed \(code)", default: 0] += 1
            leave(shared, now: now)
        }
        return false
    }

    private func take(_ event: SessionEvent, _ shared: LoadShared, at: Instant) {
        shared.totals.events += 1
        shared.totals.missedEvents += UInt64(event.missed)
        switch event.name {
        case "participantHandRaised", "participantHandLowered":
            if let asked = shared.control.lastRequest { shared.totals.fanOut.record(at - asked) }
        case "seatsChanged":
            shared.totals.seatChanges += 1
            for seat in event.seats { announce(seat) }
        case "dominantSpeakerChanged":
            shared.totals.speakerChanges += 1
            if let speaker = event.participant, let since = shared.conversation.spokeUp(speaker, at) {
                shared.totals.speakerNamed.record(at - since)
            }
        default: break
        }
    }

    private func announce(_ news: SeatNews) {
        guard let index = seats.firstIndex(where: { $0.mid == news.mid }) else { return }
        seats[index].occupancy.announced = news.occupant
    }

    private func connect(_ text: String, _ shared: LoadShared, now: Instant) -> Bool {
        guard state == .joining, let offer else { return false }
        do {
            let answer = try ClientAnswer(text)
            guard let address = answer.address else {
                throw ClientAnswer.Failure.unusable("no address that can be used")
            }
            let any =
                address.isIPv4 ? SocketAddress(ipv4: 0, port: 0) : SocketAddress(high: 0, low: 0, port: 0)
            socket = try UDPSocket.open(
                any,
                options: UDPSocket.Options(
                    receiveBuffer: 2 << 20, sendBuffer: 1 << 20, coalescesReceived: true))
            var configuration = ClientTransportConfiguration(
                server: address, local: offer.credentials, remote: answer.remote,
                fingerprints: answer.fingerprints, context: shared.context)
            configuration.receiverLimits.maximumStreams = max(8, 2 * answer.seats.count + 8)
            transport = try ClientTransport(configuration: configuration, now: now)
            server = address
            seats = answer.seats.map {
                SeatReceiver(
                    mid: $0.mid, isVideo: $0.isVideo, ssrc: $0.ssrc, rtxSSRC: $0.rtxSSRC,
                    clockRate: $0.isVideo ? 90_000 : 48_000)
            }
        } catch {
            shared.totals.errors["answer: \(error)", default: 0] += 1
            leave(shared, now: now)
            return false
        }
        state = .connecting
        answeredAt = now
        handleTimeout(shared, now: now)
        return socket != nil
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
        case .joining, .connecting: shared.totals.failedJoins += 1
        case .waiting, .gone: break
        }
        if isAdmitted { shared.admission.exit(plan.session) }
        isAdmitted = false
        state = .gone
        nextTimeout = .distantFuture
        shared.signalling.leave(plan.number)
        transport?.close(now: now, into: &shared.output)
        flushOutput(shared, now: now)
        transport = nil
        socket = nil
        feedback = nil
        seats = []
    }

    /// Requests of which all are told by the events that fan-out is measured by.
    private static let areTold: Set = ["raiseHand", "lowerHand"]

    /// Asks something of the server; how long the answer takes is noted.
    func request(_ request: LoadRequest, _ shared: LoadShared, now: Instant) {
        guard state == .connected else { return }
        if Self.areTold.contains(request.method) { shared.control.note(now) }
        shared.signalling.request(plan.number, request)
    }

    // MARK: - Time

    func handleTimeout(_ shared: LoadShared, now: Instant) {
        if let leaveAt = plan.leaveAt, now >= leaveAt { return leave(shared, now: now) }
        switch state {
        case .waiting:
            if now >= plan.joinAt { begin(shared, now: now) }
        case .connecting, .connected:
            drainNetwork(shared, now: now)
            transport?.handleTimeout(now: now, into: &shared.output)
            flushOutput(shared, now: now)
            noteProgress(shared, now: now)
            if state == .connected {
                sendMedia(shared, now: now)
                if now >= nextTick { tick(shared, now: now) }
            }
        case .joining, .gone: break
        }
        schedule()
    }

    private func schedule() {
        var next = plan.leaveAt ?? .distantFuture
        switch state {
        case .waiting: next = min(next, plan.joinAt)
        case .connecting, .connected: next = min(next, transport?.nextTimeout ?? .distantFuture)
        case .joining: break
        case .gone: next = .distantFuture
        }
        if let network { next = min(next, network.nextArrival) }
        if state == .connected {
            next = min(next, nextTick)
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

    // MARK: - Transport

    func flushOutput(_ shared: LoadShared, now: Instant) {
        for index in 0..<shared.output.count {
            send(shared.output.bytes(at: index), shared, now: now)
        }
        shared.output.removeAll()
    }

    /// Sends one datagram at once.
    func send(_ bytes: Span<UInt8>, _ shared: LoadShared, now: Instant) {
        var room = shared.sender.room()
        for index in 0..<bytes.count { room[index] = bytes[index] }
        commit(bytes.count, shared, now: now)
        flush(shared)
    }

    /// Sends what was committed to the sender.
    func flush(_ shared: LoadShared) {
        // Borrowing through an optional needs a switch.
        switch socket {
        case .some(let socket): shared.sender.flush(socket)
        case .none: break
        }
    }

    /// Takes a datagram of the server's.
    func receive(_ bytes: inout MutableSpan<UInt8>, _ shared: LoadShared, now: Instant) {
        guard bytes.count > 0 else { return }
        switch bytes[0] {
        case 0...3:
            transport?.receiveSTUN(bytes.span, now: now, into: &shared.output)
        case 20...63:
            transport?.receiveDTLS(bytes.span, now: now, engine: shared.engine, into: &shared.output)
        case 128...191:
            guard state == .connected, bytes.count >= 12 else { return }
            if RTPHeader.isRTCP(bytes.span) {
                receiveControl(&bytes, shared, now: now)
            } else {
                receiveMedia(&bytes, shared, now: now)
            }
            return
        default: return
        }
        flushOutput(shared, now: now)
        noteProgress(shared, now: now)
        schedule()
    }

    private func noteProgress(_ shared: LoadShared, now: Instant) {
        let reached =
            switch transport {
            case .some(let transport): transport.state;
            case .none: ClientTransport.State.closed
            }
        if checkedAt == nil, reached == .handshaking || reached == .connected {
            checkedAt = now
            shared.totals.join.ice.record(now - answeredAt)
        }
        switch reached {
        case .connected where state == .connecting:
            state = .connected
            shared.totals.joined += 1
            shared.totals.join.dtls.record(now - (checkedAt ?? answeredAt))
            shared.totals.join.total.record(now - beganAt)
            startMedia(shared, now: now)
        case .failed, .closed:
            guard state != .gone else { return }
            shared.totals.errors[reached == .failed ? "transport failed" : "transport closed", default: 0] +=
                1
            leave(shared, now: now)
        default: break
        }
    }

    /// Notes the first packets of each kind.
    func note(_ effect: SeatReceiver.Effect, isVideo: Bool, _ shared: LoadShared, now: Instant) {
        if effect.isFirst, !isVideo, !hasHeard {
            hasHeard = true
            shared.totals.join.firstAudio.record(now - beganAt)
        }
        if effect.isFirstFrame, !hasSeen {
            hasSeen = true
            shared.totals.join.firstFrame.record(now - beganAt)
        }
        if let speaker = effect.shownAnew, let since = shared.conversation.spokeUp(speaker, now) {
            shared.totals.speakerShown.record(now - since)
        }
    }
}

extension ClientAnswer {
    /// The first candidate that is an address.
    var address: SocketAddress? {
        candidates.lazy.compactMap { SocketAddress(host: $0.address, port: $0.port) }.first
    }
}

/// Strings of `ice-char` (RFC 8839 section 5.4).
enum ICEText {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func random(_ count: Int, using random: inout SeededRandom) -> String {
        String(decoding: (0..<count).map { _ in alphabet[Int(random.next() & 63)] }, as: UTF8.self)
    }
}
