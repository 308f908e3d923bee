import EventLoop
import FixedCollections
import Testing
import TransportTestSupport
import Wire

@testable import MediaWorker
@testable import Transport

extension MediaWorkerTests {
    /// One worker of two, on the test's thread, so that nobody empties the ring to the other one.
    @Suite struct HandoverTests {
        private struct Stage: ~Copyable {
            var worker: MediaWorker
            let ring: HandoverRing
            let address: SocketAddress

            init() throws {
                var settings = MediaSettings(host: SocketAddress(ipv4: 0x7f00_0001, port: 0))
                settings.workers = 2
                settings.usesTCP = false
                settings.maxTransports = 16
                let shared = try WorkerShared(
                    settings: settings, certificate: .generate(),
                    events: AsyncStream<MediaEvent>.makeStream().1, clockOffset: .zero, log: { _ in })
                let sockets = try WorkerSockets.open(
                    lane: 0, waker: shared.wakers[0], host: settings.host, settings: settings)
                let context = try DTLSContext(certificate: shared.certificate)
                address = sockets.socket.localAddress
                ring = shared.rings[0][1]
                worker = MediaWorker(lane: 0, shared: shared, context: context, sockets: sockets)
            }

            /// Runs turns until so many datagrams have been offered to the ring.
            mutating func turn(until handedOver: UInt64) throws {
                let deadline = MonotonicClock.now() + patience
                while worker.counters.handedOver < handedOver, MonotonicClock.now() < deadline {
                    try worker.loop.wait(until: MonotonicClock.now() + .milliseconds(10))
                    worker.turn()
                }
                let offered = worker.counters.handedOver
                try #require(offered == handedOver)
            }
        }

        @Test func `made-up ufrags of another worker crowd out nothing of its known peers`() throws {
            var stage = try Stage()
            let (peer, stranger) = (
                try ClientSocket(to: stage.address), try ClientSocket(to: stage.address)
            )
            let check = try TestCheck(credentials: .random(lane: 1)).bytes()
            peer.send(check)
            try stage.turn(until: 1)
            let ring = stage.ring
            let source = ring.frontSource
            ring.removeFront()
            // As the other worker says when the check was a good one.
            stage.worker.foreign.set(source, to: 1)

            let (strangers, half) = (600, ring.capacity / 2)
            for number in 0..<strangers {
                stranger.send(try TestCheck(credentials: .random(lane: 1)).bytes())
                // The kernel's buffer must not be what limits it.
                if number % 100 == 99 { try stage.turn(until: UInt64(number + 2)) }
            }
            #expect(ring.refused == UInt64(strangers - half))

            let media: [UInt8] = [0x80, 111] + [UInt8](repeating: 7, count: 60)
            for _ in 0..<(half / 2) {
                peer.send(media)
                peer.send(check)
            }
            try stage.turn(until: UInt64(1 + strangers + half))
            #expect(ring.dropped == 0)
            var counts = (strangers: 0, media: 0, checks: 0)
            while !ring.isEmpty {
                let isMedia = ring.frontBytes().count == media.count
                if ring.frontSource != source {
                    counts.strangers += 1
                } else if isMedia {
                    counts.media += 1
                } else {
                    counts.checks += 1
                }
                ring.removeFront()
            }
            #expect(counts == (half, half / 2, half / 2))
        }
    }
}
