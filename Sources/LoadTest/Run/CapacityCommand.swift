/// `rostrum-load capacity`: raises the number of participants from run to run until an expectation breaks, then halves the
/// gap, and says which was the most that held.
public struct CapacityCommand {
    public struct Step: Sendable {
        public var participants: Int
        /// Empty: everything was as expected.
        public var failures: [String]
        public var report: Report
    }

    private let flags: LoadFlags
    private let progress: (String) -> Void

    /// What a run must meet if the scenario doesn't say.
    public static let expectation = "joinFailures=0,loss<0.1%,p99Delay<50ms"

    public init(_ flags: LoadFlags, progress: @escaping (String) -> Void) {
        self.flags = flags
        self.progress = progress
    }

    /// Runs until the answer is known to within a tenth; calls `done` after each step.
    ///
    /// - Returns: the most participants a session that held; nil if not even the first did.
    public func run(_ done: (Step) -> Void) throws(LoadError) -> Step? {
        var search = CapacitySearch(first: flags.scenario.participants ?? 50)
        var best: Step?
        var isFirst = true
        while let count = search.next {
            // A server that is gone later on didn't hold.
            let step = try measure(count, asksFirst: isFirst)
            isFirst = false
            done(step)
            if step.failures.isEmpty { best = step }
            search.note(holds: step.failures.isEmpty)
        }
        return best
    }

    private func measure(_ count: Int, asksFirst: Bool) throws(LoadError) -> Step {
        var flags = flags
        flags.scenario.participants = count
        // Everybody is in after ten seconds or so, however many come.
        if flags.scenario.ramp == nil { flags.scenario.ramp = max(20, Double(count) / 10) }
        let wanted = flags.scenario.expect ?? Self.expectation
        // The scenario's own number of participants no longer holds.
        let others = wanted.split(separator: ",").filter { !$0.hasPrefix("participants") }
        flags.scenario.expect = (others + ["participants>=\(count)"]).joined(separator: ",")
        flags.sessionName = flags.sessionName.map { "\($0)-\(count)" }
        let outcome = try RunCommand(flags, progress: progress).run(asksFirst: asksFirst)
        return Step(participants: count, failures: outcome.failures, report: outcome.report)
    }
}

/// Doubles until something breaks, then halves the gap down to a tenth.
struct CapacitySearch {
    private(set) var next: Int?
    private var held = 0
    private var broken: Int?
    private let smallest: Int

    init(first: Int) {
        next = first
        smallest = max(1, first / 16)
    }

    mutating func note(holds: Bool) {
        guard let count = next else { return }
        if holds { held = count } else { broken = count }
        guard let broken else {
            next = count < 50_000 ? count * 2 : nil
            return
        }
        let middle = (held + broken) / 2
        next = broken - held > max(held / 10, smallest) && middle > held ? middle : nil
    }
}
