import Configuration

extension Expectation {
    /// Refuses a figure that a run with these flags can't have.
    func check(_ flags: LoadFlags) throws(LoadError) {
        let known = Report.names(.everything)
        guard known.contains(figure) else {
            throw .invalid(
                "expectation \(text): there is no figure \(figure)\(Self.suggestion(for: figure, known))")
        }
        for (measures, need) in Report.needs where !measures.isSubset(of: Report.Measures(of: flags)) {
            guard !Report.names(.everything.subtracting(measures)).contains(figure) else { continue }
            throw .invalid("expectation \(text): \(figure) is measured only with \(need)")
        }
    }

    /// What was probably meant: the nearest name, or those of which this is a part.
    private static func suggestion(for name: String, _ known: [String]) -> String {
        let parts = known.filter { $0.lowercased().contains(name.lowercased()) }.prefix(5)
        if parts.count > 1 { return ", but \(parts.joined(separator: ", "))" }
        let meant = parts.first ?? NearestName.nearest(to: name, among: known)
        return meant.map { ", did you mean \($0)?" } ?? ", --json - lists them all"
    }
}

extension Report {
    /// What isn't measured in every run.
    struct Measures: OptionSet {
        var rawValue: Int
        static let process = Measures(rawValue: 1)
        static let places = Measures(rawValue: 2)
        static let calls = Measures(rawValue: 4)
        static let chaos = Measures(rawValue: 8)
        static let everything: Measures = [.process, .places, .calls, .chaos]

        init(rawValue: Int) {
            self.rawValue = rawValue
        }

        init(of flags: LoadFlags) {
            self = []
            if flags.serverProcess != nil { insert(.process) }
            if flags.scenario.places != nil { insert(.places) }
            if flags.scenario.ringing != nil { insert(.calls) }
            if flags.scenario.chaos != nil { insert(.chaos) }
        }
    }

    /// The flag for each.
    static let needs: [(Measures, String)] = [
        (.process, "--server-pid"), (.places, "--places"), (.calls, "--calls"), (.chaos, "--chaos"),
    ]

    /// Threads of a server's that may be named.
    private static let mostWorkers = 256

    /// The names of all figures that there can be, in the order of a report: those of one in which everything happened.
    static func names(_ measures: Measures) -> [String] {
        var totals = Totals.everything
        if !measures.contains(.calls) { totals.calls = CallTotals() }
        if !measures.contains(.chaos) { totals.disturbances = [0, 0, 0] }
        let server = ServerFigures(
            use: measures.contains(.process) ? ServerUse(cpuSeconds: 1, residentBytes: 1) : nil,
            metrics: Dictionary(
                uniqueKeysWithValues: Report.serverMetrics.map { ("rostrum_\($0)_total", 1) }),
            workers: Array(repeating: MetricsPage.Worker(), count: mostWorkers), kernelDrops: 1)
        return Report(
            window: totals, whole: totals, seconds: 1, joinedNow: 1, clientLoad: 1, server: server,
            admission: measures.contains(.places) ? AdmissionFigures(refused: 1, errors: 1) : nil
        ).figures.map(\.name)
    }
}
