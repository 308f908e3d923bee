/// Chooses the worker on which a newcomer is placed.
///
/// A session stays on its home worker, where forwarding costs least, until that one is busy. Then newcomers go where there
/// is time to spare, and packets are relayed between the workers; those who are in stay where they are.
struct Placement: Sendable {
    /// How much less loaded another worker must be: relaying costs something too.
    static let margin = 0.2

    /// Share of time that the home worker is busy from which on newcomers go elsewhere. 0: always, in turn; 1: never.
    let spreadAbove: Double

    /// - Parameters:
    ///   - home: the session's first worker.
    ///   - hosts: workers that have somebody of the session.
    ///   - loads: share of time that each worker is busy, 0 to 1.
    ///   - number: newcomers that the session has had before.
    func worker(home: Int, hosts: [Int], loads: [Double], number: Int) -> Int {
        guard loads.count > 1, spreadAbove < 1, home < loads.count else { return home }
        if spreadAbove <= 0 { return (home + number) % loads.count }
        guard loads[home] > spreadAbove else { return home }
        let better = loads.indices.filter { loads[$0] < loads[home] - Self.margin }
        // One that hosts the session already gets its packets anyway.
        let known = better.filter { hosts.contains($0) && loads[$0] <= spreadAbove }
        return (known.isEmpty ? better : known).min { loads[$0] < loads[$1] } ?? home
    }
}
