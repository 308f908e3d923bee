import FixedCollections
import TestSupport
import TransportTestSupport
import Wire

@testable import Transport

/// A client and a transport, on a virtual clock, with a seeded network between them that loses, delays, reorders and
/// repeats datagrams.
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
    private(set) var now = Instant.at(0)
    private(set) var outcomes: [DTLSOutcome] = []
    private(set) var largestToClient = 0
    private let conditions: Conditions
    private var generator: SeededGenerator
    private var flights: [Flight] = []

    init(
        _ client: DTLSTestClient, conditions: Conditions = Conditions(), seed: UInt64 = 1,
        remote: RemoteICECredentials? = TestAnswer.credentials
    ) throws {
        self.client = client
        self.conditions = conditions
        generator = SeededGenerator(seed: seed)
        peer = try TestPeer(fingerprints: [client.certificate.fingerprint], remote: remote)
        try peer.check()
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
        let outcome = peer.dtls(bytes, at: now)
        outcomes.append(outcome)
        sendToClient()
        return outcome
    }

    /// Lets time pass until both sides are up; false if they aren't within 20 s, before consent expires.
    func runUntilUp() -> Bool {
        while !isUp {
            let due = min(flights.map(\.due).min() ?? .distantFuture, nextTimeout)
            guard due <= .at(20) else { return false }
            now = max(now, due)
            deliverDue()
            handleTimeouts()
        }
        return true
    }

    private var nextTimeout: Instant {
        client.isConnected || client.hasFailed
            ? peer.transport.nextTimeout : min(peer.transport.nextTimeout, client.deadline(at: now))
    }

    private func deliverDue() {
        let due = flights.filter { $0.due <= now }.sorted { $0.due < $1.due }
        flights.removeAll { $0.due <= now }
        for flight in due {
            if flight.toServer {
                deliverToServer(flight.bytes)
            } else {
                sendToServer(client.receive(flight.bytes, at: now))
            }
        }
    }

    private func handleTimeouts() {
        if now >= peer.transport.nextTimeout {
            peer.timeout(at: now)
            sendToClient()
        }
        if !client.isConnected, !client.hasFailed { sendToServer(client.handleTimeout(at: now)) }
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
            flights.append(Flight(due: now + .nanoseconds(delay), toServer: toServer, bytes: bytes))
        }
    }
}
