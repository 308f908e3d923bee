import Configuration
import Control
import EventLoop
import MediaWorker
import Observability
import Storage
import Wire

/// `rostrum serve`: everything in one process, until a signal comes.
enum Serve {
    static func run(_ arguments: [String], until signals: Signals) async throws(CommandError) {
        let settings = try SettingsLoader.load(arguments)
        try StartFailure.check(settings)
        // Who can't start says why, in one line; what it has found by then matters to nobody.
        let held = HeldSink(DescriptorSink(format: settings.log.format == .json ? .json : .text))
        let log = Log(level: LogLevel(rawValue: settings.log.level.rawValue) ?? .info, sink: held)
        if settings.usesDevelopmentKey {
            log.warning("the development key is in use: everybody knows it")
        }
        raiseDescriptorLimit(log)
        let store = try await openStore(settings.storage, log: log)
        let media: MediaPool
        do throws(CommandError) {
            media = try await startMedia(settings, log: log)
        } catch {
            await store.close()
            throw error
        }
        var control = ControlSettings(settings)
        control.version = Rostrum.version
        let server = ControlServer(
            settings: control, store: store, media: media, metrics: MetricRegistry(), log: log)
        let port: UInt16
        do throws(ServerError) {
            port = try server.start()
        } catch {
            await media.stop()
            await store.close()
            throw StartFailure.of(error)
        }
        held.release()
        announce(settings, port: port, log: log)
        await wait(for: server, signals, drainSeconds: control.drainSeconds)
        log.info("stopping")
        await server.stop()
        await media.stop()
        log.info("stopped")
    }

    /// Returns when it is time to stop: at once on SIGINT and on the second SIGTERM, and when the server has drained, as
    /// the first SIGTERM or the API asks it to.
    private static func wait(for server: ControlServer, _ signals: Signals, drainSeconds: Int) async {
        let draining = Task {
            await server.drained()
            signals.send(.drained)
        }
        defer { draining.cancel() }
        var isTerminating = false
        for await signal in signals.arrived {
            switch signal {
            case .hangUp: server.reloadCertificate()
            case .terminate where !isTerminating:
                isTerminating = true
                Task { await server.drain(withinSeconds: drainSeconds) }
            case .terminate, .interrupt, .drained: return
            }
        }
    }

    /// Opens the database before anybody can be let in.
    private static func openStore(
        _ settings: Settings.Storage, log: Log
    ) async throws(CommandError) -> SQLiteStore {
        if settings.path == SQLiteStore.inMemory {
            log.warning("the database is in memory: it is gone when the server stops")
        }
        do throws(StoreError) {
            return try await SQLiteStore.open(settings.path)
        } catch {
            throw CommandError("storage.path: \(error)")
        }
    }

    /// A socket a participant: the default of many systems is a few hundred.
    private static func raiseDescriptorLimit(_ log: Log) {
        do throws(SocketError) {
            let limit = try FileDescriptorLimit.raise()
            log.info("files and sockets that may be open", ["limit": LogValue(limit.soft)])
            guard limit.soft < 4_096 else { return }
            log.warning(
                "few files may be open: no more participants than that", ["limit": LogValue(limit.soft)])
        } catch {
            log.warning("\(error)")
        }
    }

    /// Starts the media workers, and says what is different from what one might expect.
    private static func startMedia(_ settings: Settings, log: Log) async throws(CommandError) -> MediaPool {
        var media = try MediaSettings(settings)
        media.faults = try TestFaults.read()
        if media.faults != nil { log.warning("this server does wrong on purpose: it is for tests only") }
        do throws(MediaStartError) {
            let pool = try await MediaPool.start(media, clockOffset: Machine.clockOffset) { log.warning($0) }
            for notice in pool.notices { log.info(notice) }
            log.info("media", ["workers": LogValue(media.workers), "port": LogValue(pool.localAddress.port)])
            return pool
        } catch {
            throw StartFailure.of(error, port: media.host.port)
        }
    }

    private static func announce(_ settings: Settings, port: UInt16, log: Log) {
        log.info("serving", ["version": "\(Rostrum.version)", "http": LogValue(port)])
        let address = Link.base(settings, port: Int(port))
        Output.line(settings.web.guestKey.isEmpty ? address : "Open \(address)?session=demo")
    }
}

/// Addresses for people to open.
enum Link {
    /// Where the page is, as seen from this machine.
    static func base(_ settings: Settings, port: Int) -> String {
        let host = settings.http.host
        let isAny = host.isEmpty || host == "0.0.0.0" || host == "::"
        let shown = isAny ? "127.0.0.1" : host.contains(":") ? "[\(host)]" : host
        return "\(settings.http.usesTLS ? "https" : "http")://\(shown):\(port)/"
    }
}
