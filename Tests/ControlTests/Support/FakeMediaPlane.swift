import MediaWorker
import Synchronization

/// A media plane without media: remembers what it was told, and reports what a test wants.
///
/// An offer is `v=0` and any lines; `seats N` gives N pairs of seats, `sends M` is a sending m-line, `bad` is a wrong
/// line. A viewer's seats are filled with the others of its session in join order.
final class FakeMediaPlane: MediaPlane {
    let events: AsyncStream<MediaEvent>
    private let continuation: AsyncStream<MediaEvent>.Continuation
    private let state = Mutex(State())

    struct State {
        var sessions: Set<MediaSessionID> = []
        var limits: [MediaSessionID: MediaLimits] = [:]
        var members: [MediaSessionID: [MediaParticipantID]] = [:]
        var home: [MediaParticipantID: MediaSessionID] = [:]
        var permissions: [MediaParticipantID: MediaPermissions] = [:]
        var seats: [MediaParticipantID: Int] = [:]
        var sources: [MediaParticipantID: [MediaSource: SourceState]] = [:]
        var viewing: [MediaParticipantID: [ViewingChange]] = [:]
        var negotiated: [[String: MediaSource]] = []
        var receiveLimits: [MediaParticipantID: Int] = [:]
        var sendLimits: [MediaParticipantID: Int] = [:]
        var viewers: [MediaParticipantID: ViewerStatistics] = [:]
        var left = 0
        var isHeld = false
        var held: [CheckedContinuation<Void, Never>] = []
    }

    init() {
        (events, continuation) = AsyncStream.makeStream(of: MediaEvent.self)
    }

    func read<Value: Sendable>(_ body: (State) -> sending Value) -> Value {
        state.withLock { body($0) }
    }

    /// Lets `setSource` wait until `release`.
    func hold() {
        state.withLock { $0.isHeld = true }
    }

    func release() {
        let held = state.withLock { state in
            defer { state.held = [] }
            state.isHeld = false
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    func emit(_ event: MediaEvent) {
        continuation.yield(event)
    }

    /// What every viewer's statistics are from now on.
    func setViewers(_ statistics: ViewerStatistics) {
        state.withLock { state in
            for participant in state.home.keys { state.viewers[participant] = statistics }
        }
    }

    // MARK: - MediaPlane

    func setSendLimit(of participant: MediaParticipantID, to bitsPerSecond: Int?) async {
        state.withLock { $0.sendLimits[participant] = bitsPerSecond }
    }

    func setReceiveLimit(of participant: MediaParticipantID, to bitsPerSecond: Int?) async {
        state.withLock { $0.receiveLimits[participant] = bitsPerSecond }
    }

    func viewerStatistics(of participant: MediaParticipantID) async -> ViewerStatistics? {
        state.withLock { $0.viewers[participant] }
    }

    func setLimits(of session: MediaSessionID, to limits: MediaLimits) async {
        state.withLock { $0.limits[session] = limits }
    }

    func openSession(_ session: MediaSessionID, limits: MediaLimits) async {
        state.withLock { state in
            state.limits[session] = limits
            state.sessions.insert(session)
            state.members[session] = []
        }
    }

    func closeSession(_ session: MediaSessionID) async {
        state.withLock { state in
            state.sessions.remove(session)
            state.members[session] = nil
        }
    }

    func join(
        _ participant: MediaParticipantID, session: MediaSessionID, permissions: MediaPermissions
    ) async {
        state.withLock { state in
            state.home[participant] = session
            state.permissions[participant] = permissions
            state.sources[participant] = [:]
        }
    }

    func negotiate(
        _ participant: MediaParticipantID, offer: String, sources: [String: MediaSource]
    ) async throws(MediaError) -> MediaAnswer {
        let lines = offer.split(separator: "\n")
        guard lines.first == "v=0" else { throw .invalidOffer(line: 1, reason: "no version") }
        if let bad = lines.firstIndex(of: "bad") {
            throw .invalidOffer(line: bad + 1, reason: "bad line")
        }
        let wanted = lines.compactMap { $0.hasPrefix("seats ") ? Int($0.dropFirst(6)) : nil }.first ?? 0
        let (own, changed) = state.withLock { state -> ([SeatState], [(MediaParticipantID, [SeatState])]) in
            state.negotiated.append(sources)
            state.seats[participant] = wanted
            guard let session = state.home[participant] else { return ([], []) }
            if state.members[session]?.contains(participant) == false {
                state.members[session]?.append(participant)
            }
            return (Self.seats(of: participant, state), Self.others(of: participant, in: session, state))
        }
        for (viewer, seats) in changed { continuation.yield(.seatsChanged(viewer, seats)) }
        let mids = lines.compactMap { $0.hasPrefix("sends ") ? String($0.dropFirst(6)) : nil }
        let published = mids.map { ($0, sources[$0] ?? .camera) }
        return MediaAnswer(
            sdp: "v=0\nanswer", seats: own, published: Dictionary(published) { first, _ in first })
    }

    func setSource(_ source: MediaSource, of participant: MediaParticipantID, to new: SourceState) async {
        if state.withLock({ $0.isHeld }) {
            await withCheckedContinuation { continuation in state.withLock { $0.held.append(continuation) } }
        }
        state.withLock { $0.sources[participant]?[source] = new }
    }

    func setPermissions(of participant: MediaParticipantID, to permissions: MediaPermissions) async {
        state.withLock { state in
            guard state.home[participant] != nil else { return }
            state.permissions[participant] = permissions
        }
    }

    func setViewing(
        of participant: MediaParticipantID, _ change: ViewingChange
    ) async throws(MediaError) {
        let unknown: String? = state.withLock { state in
            guard state.home[participant] != nil else { return nil }
            if case .layout(_, let wishes?) = change {
                let known = (0..<(state.seats[participant] ?? 0)).map { "v\($0)" }
                if let wish = wishes.first(where: { !known.contains($0.mid) }) { return wish.mid }
            }
            state.viewing[participant, default: []].append(change)
            return nil
        }
        if let unknown { throw .unknownSeat(mid: unknown) }
    }

    func leave(_ participant: MediaParticipantID) async {
        let changed = state.withLock { state -> [(MediaParticipantID, [SeatState])] in
            state.left += 1
            guard let session = state.home.removeValue(forKey: participant) else { return [] }
            state.members[session]?.removeAll { $0 == participant }
            state.permissions[participant] = nil
            state.seats[participant] = nil
            state.sources[participant] = nil
            return Self.others(of: participant, in: session, state)
        }
        for (viewer, seats) in changed { continuation.yield(.seatsChanged(viewer, seats)) }
    }

    func statistics() async -> MediaStatistics {
        MediaStatistics(
            counters: ["packets_received_total": 7, "packets_sent": 8], gauges: ["transports": 2])
    }

    private static func others(
        of participant: MediaParticipantID, in session: MediaSessionID, _ state: State
    ) -> [(MediaParticipantID, [SeatState])] {
        (state.members[session] ?? []).filter { $0 != participant && state.seats[$0] ?? 0 > 0 }
            .map { ($0, seats(of: $0, state)) }
    }

    private static func seats(of viewer: MediaParticipantID, _ state: State) -> [SeatState] {
        guard let session = state.home[viewer], let count = state.seats[viewer] else { return [] }
        let others = (state.members[session] ?? []).filter { $0 != viewer }
        return (0..<count).flatMap { index in
            let occupant = index < others.count ? others[index] : nil
            return [
                SeatState(
                    mid: "a\(index)", kind: .audio, occupant: occupant,
                    source: occupant == nil ? nil : .microphone, muted: false),
                SeatState(
                    mid: "v\(index)", kind: .video, occupant: occupant,
                    source: occupant == nil ? nil : .camera, muted: false),
            ]
        }
    }
}
