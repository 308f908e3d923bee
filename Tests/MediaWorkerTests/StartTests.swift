import EventLoop
import Testing
import Transport
import TransportTestSupport
import Wire

@testable import MediaWorker

extension MediaWorkerTests {
    @Suite struct StartTests {
        @Test func `without segmentation offload media flows, and the start says so`() async throws {
            try await withMeeting {
                $0.usesSegmentationOffload = false
            } _: { meeting in
                #expect(meeting.pool.notices.contains("segmentation offload is off: a message a packet"))
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                try await meeting.expectMedia(from: alice, to: bob)
                let statistics = await meeting.pool.statistics().counters
                #expect(statistics["send_messages_total"] == statistics["send_segments_total"])
            }
        }

        @Test func `with OpenSSL as the sealer media flows, and the start says so`() async throws {
            try await withMeeting {
                $0.sealer = .openSSL
            } _: { meeting in
                #expect(meeting.pool.notices.contains { $0.contains("sealed by openSSL") })
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                try await meeting.expectMedia(from: alice, to: bob)
            }
        }

        @Test func `without IPv6 media flows over IPv4, and the start says so`() async throws {
            let change: (inout MediaSettings) -> Void = { settings in
                settings.host = SocketAddress(high: 0, low: 0, port: 0)
                settings.usesIPv6 = false
            }
            try await withMeeting(workers: 2, change) { meeting in
                #expect(meeting.pool.localAddress.isIPv4)
                #expect(meeting.pool.notices.contains("IPv6 is off: media over IPv4 only"))
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                let candidates = alice.answer?.sdp.split(separator: "\r\n").filter {
                    $0.contains("candidate:")
                }
                #expect(candidates?.isEmpty == false)
                #expect(candidates?.contains { $0.contains(" ::1 ") } == false)
                try await meeting.expectMedia(from: alice, to: bob)
            }
        }

        @Test func `on both families IPv4 peers are served`() async throws {
            let change: (inout MediaSettings) -> Void = { settings in
                settings.host = SocketAddress(high: 0, low: 0, port: 0)
            }
            try await withMeeting(change) { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                try await meeting.expectMedia(from: alice, to: bob)
            }
        }

        @Test(arguments: [1, 2])
        func `a port that is taken is named in one line, and nothing is left running`(
            workers: Int
        ) async throws {
            let threads = try threadNames().count { $0.hasPrefix("media-") }
            let address: SocketAddress
            do {
                let taken = try UDPSocket.open(SocketAddress(ipv4: 0x7f00_0001, port: 0))
                address = taken.localAddress
                var settings = MediaSettings(host: address)
                settings.workers = workers
                let error = await #expect(throws: MediaStartError.self) {
                    try await MediaPool.start(settings, clockOffset: .zero, log: { _ in })
                }
                let line = try #require(error).description
                #expect(line == "UDP port \(address.port) on 127.0.0.1 is taken")
            }
            #expect(try threadNames().count { $0.hasPrefix("media-") } == threads)
            // The port is free again: nobody holds it.
            let again = try UDPSocket.open(address)
            #expect(again.localAddress == address)
        }

        @Test func `a TCP port that is taken is named, and its UDP port is free again`() async throws {
            let taken = try TCPListener.open(SocketAddress(ipv4: 0x7f00_0001, port: 0))
            let address = taken.localAddress
            var settings = MediaSettings(host: address)
            settings.workers = 2
            let error = await #expect(throws: MediaStartError.self) {
                try await MediaPool.start(settings, clockOffset: .zero, log: { _ in })
            }
            #expect(try #require(error).description == "TCP port \(address.port) on 127.0.0.1 is taken")
            let again = try UDPSocket.open(address)
            #expect(again.localAddress == address)
        }

        @Test func `with nothing to advertise the start fails, and nothing is left running`() async throws {
            let threads = try threadNames().count { $0.hasPrefix("media-") }
            var (text, port) = ("is taken", UInt16(0))
            // Another program may get the port between its being found free and the start.
            while text.contains("is taken") {
                let probe = try UDPSocket.open(SocketAddress(ipv4: 0, port: 0))
                port = probe.localAddress.port
                _ = consume probe
                var settings = MediaSettings(host: SocketAddress(ipv4: 0, port: port))
                settings.workers = 2
                let shared = try WorkerShared(
                    settings: settings, certificate: .generate(),
                    events: AsyncStream<MediaEvent>.makeStream().1, clockOffset: .zero, log: { _ in })
                // As on a machine with nothing but loopback.
                let error = await #expect(throws: MediaStartError.self) {
                    _ = try await WorkerStart.run(shared) { [] }
                }
                text = try #require(error).description
            }
            #expect(text.contains("media.advertise"))
            #expect(try threadNames().count { $0.hasPrefix("media-") } == threads)
            _ = try UDPSocket.open(SocketAddress(ipv4: 0, port: port))
        }

        @Test func `calls after the end return`() async throws {
            let meeting = try await TestMeeting(workers: 2)
            let alice = try await meeting.join()
            await meeting.pool.stop()
            await meeting.pool.stop()
            await meeting.pool.setSource(.camera, of: alice.id, to: .off)
            await #expect(throws: MediaError.self) { try await alice.negotiate() }
            await meeting.pool.leave(alice.id)
            await meeting.pool.closeSession(meeting.session)
            #expect(await meeting.pool.statistics().counters.isEmpty)
            let isTold = try await eventually([alice]) { alice.dtls.isClosed }
            #expect(isTold)
        }
    }
}
