import EventLoop
import Transport
import Wire

/// What the pool learns from its workers' start.
struct WorkerStart: Sendable {
    var localAddress: SocketAddress
    var notices: [String]
    var candidates: [ICECandidate]

    /// Starts all workers, one after the other: the first one finds the port.
    ///
    /// - Parameter advertisable: the machine's addresses that peers may be told, asked for when the settings name none.
    static func run(
        _ shared: WorkerShared, advertisable: () throws(SocketError) -> [SocketAddress]
    ) async throws(MediaStartError) -> (WorkerStart, [WorkerThread]) {
        var host = shared.settings.host
        var threads: [WorkerThread] = []
        var notices: [String] = []
        for lane in 0..<shared.settings.workers {
            do throws(MediaStartError) {
                let (thread, opened) = try await startWorker(lane, shared, host)
                threads.append(thread)
                host = opened.localAddress
                if lane == 0 { notices = opened.notices }
            } catch {
                await stop(threads, shared)
                throw error
            }
        }
        do throws(MediaStartError) {
            let candidates = try candidates(for: shared.settings, at: host, advertisable)
            return (WorkerStart(localAddress: host, notices: notices, candidates: candidates), threads)
        } catch {
            await stop(threads, shared)
            throw error
        }
    }

    private static func stop(_ threads: [WorkerThread], _ shared: WorkerShared) async {
        for lane in threads.indices {
            await withCheckedContinuation { continuation in
                if !shared.mailboxes[lane].post(.stop(Reply(continuation))) { continuation.resume() }
            }
            threads[lane].join()
        }
    }

    private struct Opened: Sendable {
        var localAddress: SocketAddress
        var notices: [String]
    }

    private static func startWorker(
        _ lane: Int, _ shared: WorkerShared, _ host: SocketAddress
    ) async throws(MediaStartError) -> (WorkerThread, Opened) {
        let (results, continuation) = AsyncStream<Result<Opened, MediaStartError>>.makeStream()
        let thread: WorkerThread
        do throws(SocketError) {
            thread = try WorkerThread(name: "media-\(lane)") { runWorker(lane, shared, host, continuation) }
        } catch {
            throw MediaStartError(error.description)
        }
        for await result in results {
            do throws(MediaStartError) {
                return (thread, try result.get())
            } catch {
                thread.join()
                throw error
            }
        }
        throw MediaStartError("media worker \(lane) ended at its start")
    }

    /// The thread's body.
    private static func runWorker(
        _ lane: Int, _ shared: WorkerShared, _ host: SocketAddress,
        _ result: AsyncStream<Result<Opened, MediaStartError>>.Continuation
    ) {
        do {
            let sockets = try WorkerSockets.open(
                lane: lane, waker: shared.wakers[lane], host: host, settings: shared.settings)
            let context = try DTLSContext(certificate: shared.certificate)
            var notices = Self.notices(sockets, shared.settings)
            let address = sockets.socket.localAddress
            var worker = MediaWorker(lane: lane, shared: shared, context: context, sockets: sockets)
            notices.append(
                "outgoing packets are sealed by \(worker.outlet.engine.implementation) (\(worker.outlet.engine.reason))"
            )
            result.yield(.success(Opened(localAddress: address, notices: notices)))
            result.finish()
            worker.run()
            shared.end(lane)
        } catch {
            let text =
                (error as? SocketError)?.description ?? "DTLS can't be set up: OpenSSL refused a cipher"
            result.yield(.failure(MediaStartError(text)))
            result.finish()
        }
    }

    private static func notices(_ sockets: borrowing WorkerSockets, _ settings: MediaSettings) -> [String] {
        var notices: [String] = []
        if sockets.socket.fellBackToIPv4 {
            let reason = settings.usesIPv6 ? "this machine has no IPv6" : "IPv6 is off"
            notices.append("\(reason): media over IPv4 only")
        }
        // The kernel doubles what it is asked for, to cover its own overhead.
        let wanted = settings.socketBufferBytes
        let granted = sockets.socket.receiveBufferSize / 2
        if granted < wanted {
            notices.append(
                "the kernel grants a receive buffer of \(granted) bytes instead of \(wanted): bursts may be lost; "
                    + "raise net.core.rmem_max")
        }
        if settings.usesSegmentationOffload, !sockets.socket.supportsSegmentation {
            notices.append("this kernel has no UDP segmentation offload: a message a packet")
        }
        if !settings.usesSegmentationOffload {
            notices.append("segmentation offload is off: a message a packet")
        }
        return notices
    }

    // MARK: Candidates

    private static func candidates(
        for settings: MediaSettings, at local: SocketAddress,
        _ advertisable: () throws(SocketError) -> [SocketAddress]
    ) throws(MediaStartError) -> [ICECandidate] {
        var addresses = settings.advertise
        if addresses.isEmpty {
            do throws(SocketError) {
                addresses = try advertisable()
            } catch {
                throw MediaStartError(error.description)
            }
        }
        if !settings.host.isUnspecified {
            addresses = settings.advertise.isEmpty ? [settings.host] : settings.advertise
        } else if local.isIPv4, settings.advertise.isEmpty {
            addresses.removeAll { !$0.isIPv4 }
        }
        guard !addresses.isEmpty else {
            throw MediaStartError("no address to advertise: set media.advertise, or media.advertiseLoopback")
        }
        var candidates: [ICECandidate] = []
        for (rank, address) in addresses.prefix(32).enumerated() {
            candidates.append(candidate(address, port: local.port, rank: rank, transport: .udp))
            if settings.usesTCP {
                candidates.append(candidate(address, port: local.port, rank: rank, transport: .tcp))
            }
        }
        return candidates
    }

    /// RFC 8445 section 5.1.2.1; TCP passive below UDP (RFC 6544 section 4.2).
    private static func candidate(
        _ address: SocketAddress, port: UInt16, rank: Int, transport: ICECandidate.Transport
    ) -> ICECandidate {
        let preference = transport == .udp ? 65_535 - rank : (2 << 13) | (8_191 - rank)
        return ICECandidate(
            foundation: "\(rank * 2 + (transport == .udp ? 1 : 2))", component: 1, transport: transport,
            priority: UInt32(126 << 24 | preference << 8 | 255), address: address.hostText, port: port,
            type: "host",
            tcpType: transport == .tcp ? .passive : nil)
    }
}
