import EventLoop
import FixedCollections
import Synchronization
import Testing
import TransportTestSupport
import Wire

@testable import MediaWorker

/// Nothing on loopback takes this long, on however busy a machine; a test that waits so long has failed.
let patience = Duration.seconds(30)

/// A pool on a free port of 127.0.0.1 with one session, and what it has said.
final class TestMeeting {
    let pool: MediaPool
    let session = MediaSessionID(rawValue: 1)
    let events = EventLog()
    private var nextID: UInt64 = 1

    init(workers: Int = 1, _ change: (inout MediaSettings) -> Void = { _ in }) async throws {
        var settings = MediaSettings(host: SocketAddress(ipv4: 0x7f00_0001, port: 0))
        settings.workers = workers
        // One worker has the session, however busy the machine is, unless a test is about more.
        settings.spreadAbove = 1
        settings.advertisesLoopback = true
        settings.socketBufferBytes = 16 << 20
        settings.maxTransports = 512
        change(&settings)
        pool = try await MediaPool.start(settings, clockOffset: .zero, log: { _ in })
        events.follow(pool.events)
        await pool.openSession(session)
    }

    /// Joins with a microphone and a camera, and so many seats of each kind; connects unless told otherwise.
    func join(
        sends: Bool = true, seats: Int = 2, profiles: String = DTLSTestClient.allProfiles,
        overTCP: Bool = false, connects: Bool = true, permissions: MediaPermissions = MediaPermissions()
    ) async throws -> TestClient {
        let id = MediaParticipantID(rawValue: nextID)
        nextID += 1
        let client = try TestClient(
            id: id, server: pool.localAddress, pool: pool, profiles: profiles, overTCP: overTCP)
        if sends {
            client.offer.add(.source(.microphone, ssrc: UInt32(id.rawValue) << 8 | 1))
            client.offer.add(.source(.camera, ssrc: UInt32(id.rawValue) << 8 | 3))
        }
        for _ in 0..<seats { client.offer.add(.seat(.audio)) }
        for _ in 0..<seats { client.offer.add(.seat(.video)) }
        await pool.join(id, session: session, permissions: permissions)
        try await client.negotiate()
        if connects { try await connect(client) }
        return client
    }

    func connect(_ client: TestClient) async throws {
        let isUp = try await eventually([client]) { client.isConnected }
        try #require(isUp, "the client is connected")
    }

    /// Packets that a viewer gets though they were sent after the source was off, or that come behind something which
    /// the server sent later still.
    func latePackets(
        after sent: Int, _ seat: String, at viewer: TestClient, _ flood: Flood
    ) async throws -> Int {
        // The answer to a check comes on the path of the media, behind everything that was sent before.
        let checks = viewer.answeredChecks
        try viewer.sendCheck()
        _ = try await eventually([viewer]) { viewer.answeredChecks > checks }
        let before = viewer.packets(seat).count
        let overtaken = viewer.numbers(seat).suffix(50).count { $0 >= sent }
        let isFurther = try await eventually([viewer]) { flood.sent > sent + 20 }
        try #require(isFurther, "packets go on coming in")
        return overtaken + viewer.packets(seat).count - before
    }

    /// A gauge or counter by name.
    func statistic(_ name: String) async -> Int {
        let statistics = await pool.statistics()
        return statistics.counters[name].map { Int($0) } ?? statistics.gauges[name].map { Int($0) } ?? -1
    }
}

/// Runs a test with a meeting, and ends the workers afterwards in any case.
func withMeeting(
    workers: Int = 1, _ change: (inout MediaSettings) -> Void = { _ in },
    _ body: (TestMeeting) async throws -> Void
) async throws {
    let meeting = try await TestMeeting(workers: workers, change)
    do {
        try await body(meeting)
    } catch {
        await meeting.pool.stop()
        throw error
    }
    await meeting.pool.stop()
}

/// Lets the clients take what comes until the condition holds; false if it never does.
func eventually(_ clients: [TestClient], _ condition: () async throws -> Bool) async throws -> Bool {
    let deadline = MonotonicClock.now() + patience
    while MonotonicClock.now() < deadline {
        for client in clients { try client.pump() }
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(1))
    }
    return false
}

/// What a pool has told, in order.
final class EventLog: Sendable {
    private let events = Mutex<[MediaEvent]>([])

    func follow(_ stream: AsyncStream<MediaEvent>) {
        Task { [weak self] in
            for await event in stream { self?.events.withLock { $0.append(event) } }
        }
    }

    var all: [MediaEvent] { events.withLock { $0 } }

    func removeAll() {
        events.withLock { $0.removeAll() }
    }

    func connections(of participant: MediaParticipantID) -> Int {
        all.count { if case .connected(participant) = $0 { true } else { false } }
    }

    func disconnections(of participant: MediaParticipantID) -> Int {
        all.count { if case .disconnected(participant) = $0 { true } else { false } }
    }

    /// The seats as they were told last.
    func seats(of viewer: MediaParticipantID) -> [SeatState] {
        for event in all.reversed() {
            if case .seatsChanged(viewer, let seats) = event { return seats }
        }
        return []
    }

    /// The mid of the seat on which a viewer has somebody's source.
    func seat(
        of viewer: MediaParticipantID, with occupant: MediaParticipantID, _ source: MediaSource
    )
        -> String?
    {
        seats(of: viewer).first { $0.occupant == occupant && $0.source == source }?.mid
    }
}
