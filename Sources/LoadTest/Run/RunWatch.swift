import EventLoop
import FixedCollections

/// Waits while a fleet is at work, and meanwhile shows how it goes, keeps a row a second, and makes requests.
final class RunWatch {
    private let fleet: Fleet
    private let flags: LoadFlags
    private let progress: (String) -> Void
    let probe: ServerProbe?
    var series: TimeSeries
    private var shown: Fleet.Snapshot
    private var shownAt: Instant
    private var happenings: Happenings

    init(_ fleet: Fleet, _ flags: LoadFlags, start: Instant, progress: @escaping (String) -> Void) {
        self.fleet = fleet
        self.flags = flags
        self.progress = progress
        probe = flags.serverProcess.map(ServerProbe.init)
        series = TimeSeries(start: start)
        shown = fleet.latest
        shownAt = start
        happenings = Happenings(flags.scenario, seed: flags.fleet.seed, start: start)
    }

    /// Returns when everybody is connected or has failed, or at the deadline.
    func awaitJoins(of count: Int, until deadline: Instant) throws(LoadError) {
        while MonotonicClock.now() < deadline {
            let now = fleet.latest
            if now.hasFailed { throw .cannotStart("a worker ended: may too few files be open at once?") }
            let settled = UInt64(now.connected + now.attached) + now.totals.errors.values.reduce(0, +)
            if settled >= UInt64(count) { return }
            Pause.milliseconds(100)
            look("joining")
        }
    }

    func wait(until end: Instant, _ phase: String) {
        while true {
            let left = end - MonotonicClock.now()
            guard left > .zero else { return }
            act()
            let step = happenings.isNothing ? 100 : 10
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

    private func act() {
        guard !happenings.isNothing else { return }
        for action in happenings.due(MonotonicClock.now()) {
            switch action {
            case .request(let participant, let request): fleet.request(participant, request)
            case .disturb(let participant, let kind): fleet.disturb(participant, kind)
            case .ring(let participant): fleet.ring(participant)
            }
        }
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
