import EventLoop
import FixedCollections
import Glibc
import JSON

/// `rostrum-load run`: joins, waits, measures, reports.
public struct RunCommand {
    public let flags: LoadFlags
    private let expectations: [Expectation]
    /// Lines for a person while it goes on; the text replaces the one before.
    private let progress: (String) -> Void

    public init(_ flags: LoadFlags, progress: @escaping (String) -> Void) throws(LoadError) {
        guard flags.key != nil else {
            throw .invalid(
                "--key ID:SECRET is missing (or ROSTRUM_LOAD_KEY): whose tokens shall participants have?")
        }
        self.flags = flags
        expectations = try Expectation.parse(flags.scenario.expect ?? "")
        self.progress = progress
    }

    /// The report, and the expectations that it breaks, as sentences.
    public func run() throws(LoadError) -> (report: Report, failures: [String]) {
        _ = try? FileDescriptorLimit.raise()
        let scenario = flags.scenario
        let start = MonotonicClock.now() + .milliseconds(100)
        let name = flags.sessionName ?? "load-\(getpid())-\(time(nil))"
        let plans = scenario.plans(name: name, start: start)
        let conversation = makeConversation(plans, from: start)
        let fleet = try makeFleet(plans, conversation)
        defer { fleet.stop() }
        let people = (scenario.participants ?? 2) * (scenario.sessions ?? 1)
        try awaitJoins(of: people, fleet, until: scenario.rampEnd(start: start) + .seconds(30))
        wait(until: MonotonicClock.now() + scenario.settling, fleet, "settling")
        let probe = flags.serverProcess.map(ServerProbe.init)
        let (first, used) = (fleet.snapshot(), probe?.read())
        wait(until: first.at + scenario.duration, fleet, "measuring")
        let (last, usedThen) = (fleet.snapshot(), probe?.read())
        progress("")
        var window = last.totals
        window.subtract(first.totals)
        var server: ServerUse?
        if let used, let usedThen {
            server = ServerUse(
                cpuSeconds: usedThen.cpuSeconds - used.cpuSeconds, residentBytes: usedThen.residentBytes)
        }
        let seconds = Double((last.at - first.at).wholeNanoseconds) / 1e9
        let report = Report(
            window: window, whole: last.totals, seconds: seconds, joinedNow: last.connected,
            clientLoad: zip(last.used, first.used).map { ($0 - $1) / (last.at - first.at) }.max() ?? 0,
            server: server)
        return (report, expectations.compactMap { $0.failure(in: report) })
    }

    private func makeFleet(
        _ plans: [ParticipantPlan], _ conversation: Conversation
    ) throws(LoadError) -> Fleet {
        var settings = flags.fleet
        settings.suites = try flags.scenario.suites()
        guard let key = flags.key else { throw .invalid("--key is missing") }
        let server = flags.server
        return try Fleet(
            settings, plans: plans, isSpeaking: { conversation.isSpeaking($0, $1) },
            signalling: { (sink) throws(LoadError) in
                do throws(RostrumSignalling.Failure) {
                    return try RostrumSignalling(
                        server: server, key: key, now: { Int64(time(nil)) }, sink: sink)
                } catch {
                    switch error {
                    case .invalidServer(let text):
                        throw .invalid("--server \(text): it must be http://HOST:PORT")
                    case .noThread(let text): throw .cannotStart(text)
                    }
                }
            })
    }

    private func makeConversation(_ plans: [ParticipantPlan], from start: Instant) -> Conversation {
        guard let speakers = flags.scenario.speakers else { return Conversation() }
        var groups: [String: [Int]] = [:]
        for plan in plans where plan.sendsAudio { groups[plan.session, default: []].append(plan.number) }
        let end = flags.scenario.rampEnd(start: start) + flags.scenario.settling + flags.scenario.duration
        return Conversation(
            groups: groups.sorted { $0.key < $1.key }.map(\.value), atOnce: speakers, from: start,
            to: end + .seconds(60), seed: flags.fleet.seed)
    }

    /// Returns when everybody is connected or has failed, or at the deadline.
    private func awaitJoins(of count: Int, _ fleet: Fleet, until deadline: Instant) throws(LoadError) {
        while true {
            let now = fleet.latest
            if now.hasFailed { throw .cannotStart("a worker ended: are there file descriptors enough?") }
            let settled = UInt64(now.connected) + now.totals.errors.values.reduce(0, +)
            if settled >= UInt64(count) { return }
            if MonotonicClock.now() >= deadline { return }
            show(now, nil, "joining")
            Pause.milliseconds(200)
        }
    }

    private func wait(until end: Instant, _ fleet: Fleet, _ phase: String) {
        var last = fleet.latest
        var shownAt = MonotonicClock.now()
        while true {
            let now = MonotonicClock.now()
            guard now < end else { return }
            Pause.milliseconds(Int(max(1, min(100, (end - now).wholeMilliseconds))))
            guard MonotonicClock.now() - shownAt >= .seconds(1) else { continue }
            shownAt = MonotonicClock.now()
            let current = fleet.latest
            show(current, last, phase)
            last = current
        }
    }

    /// One line: how many are in, how much flows, how much is lost, how late it is.
    private func show(_ now: Fleet.Snapshot, _ before: Fleet.Snapshot?, _ phase: String) {
        guard !flags.isQuiet else { return }
        var text = "\(phase): \(now.connected) in"
        if let before {
            var window = now.totals
            window.subtract(before.totals)
            let seconds = Double((now.at - before.at).wholeNanoseconds) / 1e9
            if seconds > 0 {
                let loss = Double(window.lost) * 100 / Double(max(1, window.expected))
                let delay = window.delay.percentile(0.99)
                text += ", \(Decimals.text(Double(window.received) / seconds, 0)) packets/s received"
                text += ", \(Decimals.text(loss, 2)) % lost"
                if let delay {
                    text += ", p99 \(Decimals.text(Double(delay.wholeNanoseconds) / 1e6, 1)) ms"
                }
                text += ", client \(Decimals.text(now.load * 100, 0)) %"
            }
        }
        let failures = now.totals.errors.values.reduce(0, +)
        if failures > 0 { text += ", \(failures) failures" }
        progress(text)
    }
}
