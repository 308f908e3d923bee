import FixedCollections
import Wire

@testable import Transport

/// A client and a transport with a seeded network between them that loses, delays, reorders and repeats datagrams.
///
/// It runs by the real clock, because OpenSSL's retransmission timers do.
final class TestLink {
    struct Conditions {
        /// Share of datagrams that vanish, each way.
        var loss = 0.0
        /// Share of datagrams that arrive twice.
        var duplication = 0.0
        /// Up to how long a datagram takes: what was sent later may arrive earlier.
        var delay = Duration.zero
    }

    private struct Flight {
        var due: Instant
        var toServer: Bool
        var bytes: [UInt8]
    }

    let peer: TestPeer
    let client: DTLSTestClient
    private(set) var outcomes: [DTLSOutcome] = []
    private(set) var largestToClient = 0
    private let conditions: Conditions
    private var generator: SeededGenerator
    private var flights: [Flight] = []
    private static let clock = ContinuousClock()
    private static let start = clock.now

    init(_ client: DTLSTestClient, conditions: Conditions = Conditions(), seed: UInt64 = 1) throws {
        self.client = client
        self.conditions = conditions
        generator = SeededGenerator(seed: seed)
        peer = try TestPeer(fingerprints: [client.certificate.fingerprint], now: Self.now)
        try peer.check(at: Self.now)
    }

    static var now: Instant {
        .at(0) + (clock.now - start)
    }

    /// Both sides have keys.
    var isUp: Bool { client.isConnected && peer.transport.state == .connected }

    /// Puts datagrams of the client's on the network.
    func sendToServer(_ datagrams: [[UInt8]]) {
        for bytes in datagrams { put(bytes, toServer: true) }
    }

    /// Gives the transport a datagram at once, past the network.
    @discardableResult
    func deliverToServer(_ bytes: [UInt8]) -> DTLSOutcome {
        let outcome = peer.dtls(bytes, at: Self.now)
        outcomes.append(outcome)
        sendToClient()
        return outcome
    }

    /// Lets time pass until `condition` holds; false if it doesn't within `limit`.
    func run(_ limit: Duration = .seconds(30), until condition: () -> Bool) async throws -> Bool {
        let end = Self.now + limit
        while !condition() {
            guard Self.now < end else { return false }
            if !step() { try await Task.sleep(for: .milliseconds(1)) }
        }
        return true
    }

    /// Does what is due; false if nothing is.
    func step() -> Bool {
        let now = Self.now
        let due = flights.filter { $0.due <= now }.sorted { $0.due < $1.due }
        flights.removeAll { $0.due <= now }
        for flight in due {
            if flight.toServer {
                deliverToServer(flight.bytes)
            } else {
                sendToServer(client.receive(flight.bytes))
            }
        }
        if now >= peer.transport.nextTimeout {
            peer.timeout(at: now)
            sendToClient()
        }
        if !client.isConnected, !client.hasFailed { sendToServer(client.handleTimeout()) }
        return !due.isEmpty
    }

    private func sendToClient() {
        for (bytes, _) in peer.sent {
            largestToClient = max(largestToClient, bytes.count)
            put(bytes, toServer: false)
        }
    }

    private func put(_ bytes: [UInt8], toServer: Bool) {
        guard Double.random(in: 0..<1, using: &generator) >= conditions.loss else { return }
        let isTwice = Double.random(in: 0..<1, using: &generator) < conditions.duplication
        for _ in 0..<(isTwice ? 2 : 1) {
            let delay = Int64.random(in: 0...conditions.delay.wholeNanoseconds, using: &generator)
            flights.append(Flight(due: Self.now + .nanoseconds(delay), toServer: toServer, bytes: bytes))
        }
    }
}
