#if !DEBUG
    import CMallocCount
    import EventLoop
    import FixedCollections
    import Forwarding
    import Testing
    import TransportTestSupport
    import Wire

    @testable import MediaWorker
    @testable import Transport

    /// What runs a packet, in release: from the forwarder to the socket, without the opening of packets, where libsrtp2
    /// allocates.
    @Suite(.serialized) struct HotPathForwarding {
        @Test(arguments: [MediaSettings.Sealer.auto, .openSSL])
        func `a forwarded packet costs no allocation`(sealer: MediaSettings.Sealer) throws {
            try #require(malloc_count_works())
            var bench = try Bench(viewers: 5, sealer: sealer)
            try bench.warmUp()
            let sent = bench.worker.outlet.packets
            let allocations = try bench.forward(2_000)
            let forwarded = bench.worker.outlet.packets - sent
            #expect(forwarded == 10_000)
            #expect(allocations == 0)
            #expect(try bench.isReadable(by: 0))
        }
    }

    /// A worker that runs on the test's thread, a publisher and some viewers.
    private struct Bench: ~Copyable {
        var worker: MediaWorker
        let publisher: TestClient
        let viewers: [TestClient]
        private let server: SocketAddress

        init(viewers count: Int, sealer: MediaSettings.Sealer) throws {
            var settings = MediaSettings(host: SocketAddress(ipv4: 0x7f00_0001, port: 0))
            settings.sealer = sealer
            settings.usesTCP = false
            settings.maxTransports = 64
            let (_, continuation) = AsyncStream<MediaEvent>.makeStream()
            let shared = try WorkerShared(
                settings: settings, certificate: .generate(), events: continuation, clockOffset: .zero,
                log: { _ in })
            let sockets = try WorkerSockets.open(
                lane: 0, waker: shared.wakers[0], host: settings.host, settings: settings)
            let context = try DTLSContext(certificate: shared.certificate)
            let server = sockets.socket.localAddress
            var worker = MediaWorker(lane: 0, shared: shared, context: context, sockets: sockets)
            _ = worker.openSession(MediaSessionID(rawValue: 1))
            let publisher = try TestClient(id: MediaParticipantID(rawValue: 1), server: server)
            publisher.offer.add(.source(.microphone, ssrc: 0x101))
            publisher.offer.add(.source(.camera, ssrc: 0x103))
            try Self.connect(publisher, to: &worker)
            var viewers: [TestClient] = []
            for number in 0..<count {
                let id = MediaParticipantID(rawValue: UInt64(number + 2))
                let viewer = try TestClient(id: id, server: server)
                viewer.offer.add(.seat(.audio))
                viewer.offer.add(.seat(.video))
                try Self.connect(viewer, to: &worker)
                viewers.append(viewer)
            }
            self.worker = worker
            self.publisher = publisher
            self.viewers = viewers
            self.server = server
        }

        /// Forwards until the caches are full, since the store of packets grows that far, and every viewer has got its
        /// first report.
        mutating func warmUp() throws {
            let deadline = MonotonicClock.now() + patience
            var held = -1
            while worker.forwarder.packetCount != held
                || !viewers.allSatisfy({ $0.media.controlPackets > 0 }),
                MonotonicClock.now() < deadline
            {
                held = worker.forwarder.packetCount
                _ = try forward(400)
                for viewer in viewers { try viewer.pump() }
            }
        }

        /// Lets packets of the camera and the microphone be forwarded, eight a turn; how often the heap was asked.
        mutating func forward(_ count: Int) throws -> UInt64 {
            var allocations: UInt64 = 0
            for turn in 0..<(count / 8) {
                let packets = try (0..<8).map { number in
                    number % 4 == 3
                        ? try publisher.plainPacket(.microphone, TestPayload.audio(turn))
                        : try publisher.plainPacket(
                            .camera, TestPayload.video(turn, length: 1_000 + number))
                }
                worker.now = MonotonicClock.now()
                let before = malloc_count()
                for packet in packets { take(packet.span) }
                worker.finishTurn()
                allocations += malloc_count() - before
            }
            return allocations
        }

        private mutating func take(_ packet: Span<UInt8>) {
            guard let slot = worker.forwarder.takeBlock() else { return }
            fill(slot, packet)
            worker.forwarder.receive(slot, length: packet.count, from: PeerID(0), at: worker.now)
        }

        private mutating func fill(_ slot: PacketSlot, _ packet: Span<UInt8>) {
            var block = worker.forwarder.mutableBytes(of: slot)
            block.store(packet, at: 0)
        }

        /// Whether what a viewer got can be opened and is what was sent.
        func isReadable(by viewer: Int) throws -> Bool {
            let viewer = viewers[viewer]
            try viewer.pump()
            return viewer.media.unreadable == 0 && viewer.packets("1").count > 100
                && !viewer.numbers("0").contains(-1) && !viewer.numbers("1").contains(-1)
        }

        private static func connect(_ client: TestClient, to worker: inout MediaWorker) throws {
            let (request, negotiated) = try ConnectRequest.test(client, shared: worker.shared)
            let seats = worker.connect(request)
            try #require(seats != nil)
            try client.take(MediaAnswer(sdp: negotiated.answer.write(), seats: [], published: [:]))
            let deadline = MonotonicClock.now() + patience
            while !client.isConnected, MonotonicClock.now() < deadline {
                try client.pump()
                try worker.loop.wait(until: MonotonicClock.now() + .milliseconds(1))
                worker.turn()
            }
            try #require(client.isConnected)
        }
    }
#endif
