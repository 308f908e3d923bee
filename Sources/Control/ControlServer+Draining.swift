import Observability
import Synchronization

/// When a server that drains stops.
struct Deadline: Sendable {
    /// Milliseconds since 1970, as clients are told.
    let at: Int64
    /// The same in monotonic milliseconds, which is what counts.
    let monotonic: Int64

    init(inSeconds seconds: Int) {
        at = Clock.now() + Int64(seconds) * 1_000
        monotonic = Clock.monotonic() + Int64(seconds) * 1_000
    }

    /// How long it is until then, in milliseconds.
    var remaining: Int64 { max(0, monotonic - Clock.monotonic()) }
}

extension ControlServer {
    /// Lets nobody join any more, and tells everybody until when they may stay; `drained` says when they are gone.
    /// Called again, the earlier deadline counts.
    public func drain(withinSeconds seconds: Int) async {
        await core.drain(withinSeconds: seconds)
    }

    /// Returns when the server drains, because of `drain` or the API, and nobody is in a session any more or the
    /// deadline has passed. Then it is time for `stop`.
    public func drained() async {
        while !Task.isCancelled {
            let remaining = core.deadline.withLock { $0?.remaining }
            if let remaining, remaining == 0 || core.directory.places == 0 { return }
            let wait = min(core.settings.tickMs, remaining ?? core.settings.tickMs)
            try? await Task.sleep(for: .milliseconds(wait))
        }
    }
}

extension ControlCore {
    /// Begins to drain, or brings the deadline forward. Returns the deadline when everybody has been told.
    @discardableResult
    func drain(withinSeconds seconds: Int) async -> Int64 {
        // First: who asks from here on is refused.
        phase = .draining
        let wanted = Deadline(inSeconds: seconds)
        let (deadline, isNew) = self.deadline.withLock { current in
            if let current, current.monotonic <= wanted.monotonic { return (current, false) }
            current = wanted
            return (wanted, true)
        }
        guard isNew else { return deadline.at }
        log.info("draining", ["seconds": LogValue(seconds), "participants": LogValue(directory.places)])
        if let text = AppEvent.text("serverDraining", DrainingNews(deadlineAt: deadline.at)) {
            presence.announce(text)
        }
        await withDiscardingTaskGroup { group in
            for session in await registry.all {
                group.addTask { await session.announceDraining(deadlineAt: deadline.at) }
            }
        }
        return deadline.at
    }

    /// Ends what still goes on.
    func endSessions() async {
        await withDiscardingTaskGroup { group in
            for session in await registry.all { group.addTask { await session.end() } }
        }
    }
}
