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
    var beganAt = Instant.zero
    var askedAt: Instant?
    private var answeredAt = Instant.zero
    private var checkedAt: Instant?
    var isAdmitted = false
    private var hasHeard = false
    private var hasSeen = false

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

    // MARK: - Coming and going

    /// Asks to be let in, or, if it is one who calls or is called, to be told of calls.
    private func begin(_ shared: LoadShared, now: Instant) {
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
        (askedAt, checkedAt, hasHeard, hasSeen) = (nil, nil, false, false)
        shared.totals.joinsStarted += 1
        let request = JoinRequest(
            session: session, uid: plan.uid, scope: plan.scope, offer: makeOffer(shared),
            startsWithVideo: plan.sendsVideo, layout: plan.layout,
            sends: plan.sendsAudio || plan.sendsVideo, audioSeats: plan.audioSeats,
            videoSeats: plan.videoSeats)
        shared.signalling.join(plan.number, request)
    }

    /// Describes a connection that isn't there yet: with new secrets and SSRCs.
    func makeOffer(_ shared: LoadShared) -> String {
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
        return offer.description.write()
    }

    private func freshSSRC(_ index: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: random.next() & ~15) | UInt32(index)
    }

    /// Connects as an answer says. Returns whether a socket was opened, which is then to be watched.
    func connect(_ text: String, _ shared: LoadShared, now: Instant) -> Bool {
        guard state == .joining || (state == .connecting && disturbance != nil), let offer else {
            return false
        }
        do {
            let answer = try ClientAnswer(text)
            guard let address = answer.address else {
                throw ClientAnswer.Failure.unusable("no address that can be used")
            }
            socket = try Self.openSocket(towards: address)
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
        (answeredAt, checkedAt) = (now, nil)
        handleTimeout(shared, now: now)
        return socket != nil
    }

    static func openSocket(towards server: SocketAddress) throws -> UDPSocket {
        let any = server.isIPv4 ? SocketAddress(ipv4: 0, port: 0) : SocketAddress(high: 0, low: 0, port: 0)
        return try UDPSocket.open(
            any,
            options: UDPSocket.Options(
                receiveBuffer: 2 << 20, sendBuffer: 1 << 20, coalescesReceived: true))
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

    /// Drops everything that belongs to the connection; the server isn't told.
    func forgetMedia() {
        transport = nil
        socket = nil
        feedback = nil
        seats = []
        (audio, audioStream, video, videoStreams, sealers) = (nil, nil, [], [], [:])
    }

    // MARK: - Time

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
