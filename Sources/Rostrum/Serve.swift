import Configuration
import Control
import MediaWorker
import Observability

/// `rostrum serve`: everything in one process, until a signal comes.
enum Serve {
    static func run(_ arguments: [String], until signals: Signals) async throws(CommandError) {
        let settings = try SettingsLoader.load(arguments)
        // Who can't start says why, in one line; what it has found by then matters to nobody.
        let held = HeldSink(DescriptorSink(format: settings.log.format == .json ? .json : .text))
        let log = Log(level: LogLevel(rawValue: settings.log.level.rawValue) ?? .info, sink: held)
        if settings.usesDevelopmentKey {
            log.warning("the development key is in use: everybody knows it")
        }
        let parts = try await Assembly.start(settings, log: log)
        held.release()
        announce(settings, port: parts.port, log: log)
        await wait(for: parts.server, signals, drainSeconds: parts.drainSeconds)
        log.info("stopping")
        await parts.stop()
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
