import JSON
import MediaWorker
import Meeting
import Observability
import Storage
import Synchronization

private struct Health: Encodable {
    let status: String
}

private struct DrainBody: Decodable {
    static let allowed = 0...86_400
    var deadlineSeconds: Int?
}

private struct DrainResult: Encodable {
    let deadlineAt: Int64
    let participants: Int
}

/// What operators and their tools ask for.
extension Route {
    static let operations: [Route] = [
        Route(.get, "/healthz", .none) { _, _, _ throws(APIError) in try .json(Health(status: "ok")) },
        Route(.get, "/readyz", .none) { core, _, _ throws(APIError) in
            let status = await core.readiness()
            return try .json(Health(status: status), status: status == "ready" ? 200 : 503)
        },
        Route(.get, "/metrics", .none) { core, request, _ throws(APIError) in
            if core.settings.metricsNeedKey { _ = try await core.caller(of: request, for: .apiKey) }
            let page = await core.metrics.page()
            return HTTPResponse(contentType: MetricRegistry.contentType, body: Array(page.utf8))
        },
        Route(.get, "/v1/server", .apiKey) { core, _, _ throws(APIError) in
            try .json(
                ServerObject(
                    core, phase: await core.readiness(), media: await core.media.statistics(),
                    sessions: await core.registry.sessionCount))
        },
        Route(.post, "/v1/server/drain", .apiKey) { core, request, _ throws(APIError) in
            let seconds = try request.decode(DrainBody.self).deadlineSeconds ?? core.settings.drainSeconds
            guard DrainBody.allowed.contains(seconds) else {
                throw APIError(
                    .badRequest, "deadlineSeconds must be from 0 to \(DrainBody.allowed.upperBound)",
                    details: [("field", "deadlineSeconds")])
            }
            let deadlineAt = await core.drain(withinSeconds: seconds)
            return try .json(
                DrainResult(deadlineAt: deadlineAt, participants: core.directory.places), status: 202)
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
        if directory.isFull || FileLimit.isReached { return "full" }
        return await registry.sessionCount >= settings.maxSessions ? "full" : "ready"
    }

    /// Whether the store answers a question, and can keep something.
    private func isStoreUsable() async -> Bool {
        do throws(StoreError) {
            _ = try await store.user("")
            try await store.checkWritable()
            return true
        } catch {
            return false
        }
    }

    /// Offers what is only known when somebody asks.
    func registerCollector() {
        metrics.collect { [self] in
            var samples = [
                MetricSample.gauge(
                    "rostrum_sockets", help: "Open sockets.",
                    Double(socketCount.load(ordering: .relaxed))),
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
