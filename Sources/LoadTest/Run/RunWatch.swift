import EventLoop
import FixedCollections

/// Waits while a fleet is at work, and meanwhile shows how it goes, keeps a row a second, and makes requests.
final class RunWatch {
    private let fleet: Fleet
    private let flags: LoadFlags
    private let progress: (String) -> Void
    let probe: ServerProbe?
    private(set) var series: TimeSeries
    private var shown: Fleet.Snapshot
    private var shownAt: Instant
    private var nextRequest: Instant
    private var requests = 0

    init(_ fleet: Fleet, _ flags: LoadFlags, start: Instant, progress: @escaping (String) -> Void) {
        self.fleet = fleet
        self.flags = flags
        self.progress = progress
        probe = flags.serverProcess.map(ServerProbe.init)
        series = TimeSeries(start: start)
        shown = fleet.latest
        shownAt = start
        nextRequest = start
    }

    /// Returns when everybody is connected or has failed, or at the deadline.
    func awaitJoins(of count: Int, until deadline: Instant) throws(LoadError) {
        while MonotonicClock.now() < deadline {
            let now = fleet.latest
            if now.hasFailed { throw .cannotStart("a worker ended: may too few files be open at once?") }
            let settled = UInt64(now.connected) + now.totals.errors.values.reduce(0, +)
            if settled >= UInt64(count) { return }
            Pause.milliseconds(100)
            look("joining")
        }
    }

    func wait(until end: Instant, _ phase: String) {
        while true {
            let left = end - MonotonicClock.now()
            guard left > .zero else { return }
            makeRequest()
            let step = flags.scenario.requests ?? 0 > 0 ? 10 : 100
            Pause.milliseconds(max(1, min(step, Int(left.wholeMilliseconds))))
            look(phase)
        }
    }

    /// Once a second: a line, and a row.
    private func look(_ phase: String) {
        let now = MonotonicClock.now()
        guard now - shownAt >= .seconds(1) else { return }
        shownAt = now
        let current = fleet.latest
        series.add(current, server: probe?.read())
        if !flags.isQuiet { show(current, phase) }
        shown = current
    }

    /// Raises a hand, or lowers the one that was raised, in the name of one participant after the other.
    private func makeRequest() {
        let now = MonotonicClock.now()
        guard let rate = flags.scenario.requests, rate > 0, now >= nextRequest else { return }
        nextRequest = max(nextRequest, now - .seconds(1)) + .nanoseconds(Int64(1e9 / rate))
        let people = (flags.scenario.participants ?? 2) * (flags.scenario.sessions ?? 1)
        fleet.request(requests / 2 % people, LoadRequest(requests % 2 == 0 ? "raiseHand" : "lowerHand"))
        requests += 1
    }

    /// One line: how many are in, how much flows, how much is lost, how late it is.
    private func show(_ now: Fleet.Snapshot, _ phase: String) {
        var text = "\(phase): \(now.connected) in"
        var window = now.totals
        window.subtract(shown.totals)
        let seconds = Double((now.at - shown.at).wholeNanoseconds) / 1e9
        if seconds > 0 {
            let loss = Double(window.lost) * 100 / Double(max(1, window.expected))
            text += ", \(Decimals.text(Double(window.received) / seconds, 0)) packets/s received"
            text += ", \(Decimals.text(loss, 2)) % lost"
            if let delay = window.delay.percentile(0.99) {
                text += ", p99 \(Decimals.text(Double(delay.wholeNanoseconds) / 1e6, 1)) ms"
            }
            text += ", client \(Decimals.text(now.load * 100, 0)) %"
        }
        let failures = now.totals.errors.values.reduce(0, +)
        if failures > 0 { text += ", \(failures) failures" }
        progress(text)
    }
}
