import MediaWorker
import Observability
import Storage

private struct Health: Encodable {
    let status: String
}

/// What operators and their tools ask for.
extension Route {
    static let operations: [Route] = [
        Route(.get, "/healthz", .none) { _, _, _ throws(APIError) in try .json(Health(status: "ok")) },
        Route(.get, "/readyz", .none) { core, _, _ throws(APIError) in
            let status = await core.readiness()
            return try .json(Health(status: status), status: status == "ready" ? 200 : 503)
        },
        Route(.get, "/metrics", .none) { core, _, _ throws(APIError) in
            HTTPResponse(contentType: MetricRegistry.contentType, body: Array(await core.metrics.page().utf8))
        },
    ]
}

extension ControlCore {
    /// Whether another participant would be let in: `ready`, or why not.
    func readiness() async -> String {
        switch phase {
        case .starting: return "starting"
        case .draining: return "draining"
        case .ready: break
        }
        // A worker that doesn't answer forwards nothing either: then this doesn't answer, and whoever asks gives up.
        _ = await media.statistics()
        guard await isStoreUsable() else { return "storage" }
        if directory.isFull { return "full" }
        return await registry.sessionCount >= settings.maxSessions ? "full" : "ready"
    }

    /// Whether the store answers a question.
    private func isStoreUsable() async -> Bool {
        do throws(StoreError) {
            _ = try await store.isTokenRevoked("")
            return true
        } catch {
            return false
        }
    }

    /// Offers what is only known when somebody asks.
    func registerCollector(socketCount: @escaping @Sendable () -> Int) {
        metrics.collect { [self] in
            var samples = [
                MetricSample.gauge("rostrum_sockets", help: "Open sockets.", Double(socketCount())),
                .gauge("rostrum_sessions", help: "Sessions going on.", Double(await registry.sessionCount)),
                .gauge(
                    "rostrum_participants", help: "Participants of all sessions, those joining included.",
                    Double(directory.places)),
            ]
            samples += StoreMetrics.samples(store.statistics)
            samples += MediaMetrics.samples(await media.statistics())
            return samples
        }
    }
}
