import Configuration
import Control
import EventLoop
import MediaWorker
import Observability
import Storage
import Wire

/// A server that has started: database, media workers and API, all of them or none.
struct Assembly {
    let media: MediaPool
    let server: ControlServer
    /// Of HTTP, with the one that was given if 0 was asked for.
    let port: UInt16
    /// How long meetings may go on after a signal.
    let drainSeconds: Int
    /// Files and sockets that may be open; `nil` if the system doesn't say.
    let openFiles: Int?

    /// - Throws: one line about what is wrong; nothing is left running then.
    static func start(_ settings: Settings, log: Log) async throws(CommandError) -> Assembly {
        try StartFailure.check(settings)
        try ProcessLimits.check(workers: MediaSettings(settings).workers)
        let openFiles = raiseDescriptorLimit(log)
        if let openFiles {
            try ProcessLimits.check(files: openFiles, workers: MediaSettings(settings).workers)
        }
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
        do throws(ServerError) {
            let port = try server.start()
            return Assembly(
                media: media, server: server, port: port, drainSeconds: control.drainSeconds,
                openFiles: openFiles)
        } catch {
            await media.stop()
            await store.close()
            throw StartFailure.of(error)
        }
    }

    func stop() async {
        await server.stop()
        await media.stop()
    }

    // MARK: Parts

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
    private static func raiseDescriptorLimit(_ log: Log) -> Int? {
        do throws(SocketError) {
            let limit = try FileDescriptorLimit.raise()
            log.info("files and sockets that may be open", ["limit": LogValue(limit.soft)])
            if limit.soft < 4_096 {
                log.warning(
                    "few files may be open: no more participants than that", ["limit": LogValue(limit.soft)])
            }
            return Int(clamping: limit.soft)
        } catch {
            log.warning("\(error)")
            return nil
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
}
