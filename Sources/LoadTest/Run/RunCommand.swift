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
        guard flags.key != nil || flags.forwarder != .rostrum else {
            throw .invalid(
                "--key ID:SECRET is missing (or ROSTRUM_LOAD_KEY): whose tokens shall participants have?")
        }
        self.flags = flags
        expectations = try Expectation.parse(flags.scenario.expect ?? "")
        for expectation in expectations { try expectation.check(flags) }
        self.progress = progress
    }

    /// What came of a run.
    public struct Outcome {
        public var report: Report
        public var series: TimeSeries
        /// The expectations that weren't met, as sentences.
        public var failures: [String]
    }

    /// - Parameter asksFirst: whether to look, before anybody comes, if the server is there and takes the key.
    public func run(asksFirst: Bool = true) throws(LoadError) -> Outcome {
        _ = try? FileDescriptorLimit.raise()
        if asksFirst { try flags.checkServer(now: Int64(time(nil))) }
        let scenario = flags.scenario
        let name = flags.sessionName ?? "load-\(getpid())-\(time(nil))"
        try makeUsers(scenario.plans(name: name, start: .zero))
        let start = MonotonicClock.now() + .milliseconds(100)
        let plans = scenario.plans(name: name, start: start)
        let conversation = makeConversation(plans, from: start)
        let fleet = try makeFleet(plans, conversation)
        defer { fleet.stop() }
        let watch = RunWatch(fleet, flags, start: start, progress: progress)
        let people = (scenario.participants ?? 2) * (scenario.sessions ?? 1)
        try watch.awaitJoins(of: people, until: scenario.rampEnd(start: start) + .seconds(30))
        watch.wait(until: MonotonicClock.now() + scenario.settling, "settling")
        let before = ServerFigures.read(flags, watch.probe)
        let first = fleet.snapshot()
        watch.wait(until: first.at + scenario.duration, "measuring")
        let last = fleet.snapshot()
        watch.series.measure(from: first.at, to: last.at)
        let after = ServerFigures.read(flags, watch.probe)
        progress("")
        let admission = scenario.places.map {
            AdmissionFigures(refused: fleet.admission.refused, errors: fleet.admission.errors(places: $0))
        }
        let report = makeReport(first, last, after.since(before), admission)
        return Outcome(
            report: report, series: watch.series, failures: expectations.compactMap { $0.failure(in: report) }
        )
    }

    private func makeReport(
        _ first: Fleet.Snapshot, _ last: Fleet.Snapshot, _ server: ServerFigures,
        _ admission: AdmissionFigures?
    ) -> Report {
        var window = last.totals
        window.subtract(first.totals)
        return Report(
            window: window, whole: last.totals,
            seconds: Double((last.at - first.at).wholeNanoseconds) / 1e9, joinedNow: last.connected,
            clientLoad: zip(last.used, first.used).map { ($0 - $1) / (last.at - first.at) }.max() ?? 0,
            server: server, admission: admission)
    }

    private func makeFleet(
        _ plans: [ParticipantPlan], _ conversation: Conversation
    ) throws(LoadError) -> Fleet {
        var settings = flags.fleet
        settings.suites = try flags.scenario.suites()
        let (server, forwarder) = (flags.server, flags.forwarder)
        let key = flags.key
        return try Fleet(
            settings, plans: plans, conversation: conversation,
            signalling: { (sink) throws(LoadError) in
                guard forwarder == .rostrum else { return try JanusSignalling(server: server, sink: sink) }
                guard let key else { throw .invalid("--key is missing") }
                return try RostrumSignalling(
                    server: server, key: key, now: { Int64(time(nil)) }, sink: sink)
            })
    }

    /// Those who are called must be known to the server.
    private func makeUsers(_ plans: [ParticipantPlan]) throws(LoadError) {
        let users = plans.filter { $0.partner != nil }
        guard !users.isEmpty else { return }
        guard flags.forwarder == .rostrum, let key = flags.key else { throw .invalid("only Rostrum rings") }
        let address = try ServerAddress(of: flags.server)
        for user in users {
            let text: JSONValue = ["name": .string(user.uid)]
            guard let body = try? text.text(),
                HTTPFetch.put("/v1/users/\(user.uid)", body, to: address, bearer: key.secret)
            else { throw .cannotStart("the server doesn't make the user \(user.uid)") }
        }
    }

    private func makeConversation(_ plans: [ParticipantPlan], from start: Instant) -> Conversation {
        guard let speakers = flags.scenario.speakers else { return Conversation() }
        var groups: [String: [Int]] = [:]
        for plan in plans where plan.sendsAudio { groups[plan.session, default: []].append(plan.number) }
        let end = flags.scenario.rampEnd(start: start) + flags.scenario.settling + flags.scenario.duration
        return Conversation(
            groups: groups.sorted { $0.key < $1.key }.map(\.value),
            cameras: Set(plans.filter(\.sendsVideo).map(\.number)), atOnce: speakers,
            turn: flags.scenario.turnSeconds.map { .milliseconds(Int64($0 * 1_000)) }, from: start,
            to: end + .seconds(60), seed: flags.fleet.seed)
    }
}
