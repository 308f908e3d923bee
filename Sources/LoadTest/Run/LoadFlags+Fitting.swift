extension LoadFlags {
    /// Lets what a scenario's file says follow the number of participants that flags have changed: fewer can't be more
    /// senders, and so many are expected as come.
    mutating func fit(_ file: Scenario, given names: Set<String>) {
        if names.contains("--participants"), !names.contains("--publishers") { fitPublishers() }
        if !names.contains("--expect") { fitExpectation(file) }
    }

    private mutating func fitPublishers() {
        guard let people = scenario.participants, var publishers = scenario.publishers else { return }
        var changes: [String] = []
        func fit(_ kind: String, _ count: inout Int?) {
            guard let senders = count, senders > people else { return }
            changes.append("\(people) send \(kind) instead of \(senders)")
            count = people
        }
        fit("audio", &publishers.audio)
        fit("video", &publishers.video)
        guard !changes.isEmpty else { return }
        scenario.publishers = publishers
        notes.append(
            "the scenario has more senders than \(people): \(changes.joined(separator: ", ")) (--publishers changes that)"
        )
    }

    /// `participants=30` of a scenario of thirty is of as many as come.
    private mutating func fitExpectation(_ file: Scenario) {
        let (planned, comes) = (file.everybody, scenario.everybody)
        guard planned != comes, let expect = scenario.expect else { return }
        let parts = expect.split(separator: ",").map {
            $0.filter { $0 != " " } == "participants=\(planned)" ? "participants=\(comes)" : String($0)
        }
        scenario.expect = parts.joined(separator: ",")
    }
}

extension Scenario {
    /// How many are in at once when all have come.
    fileprivate var everybody: Int {
        let people = participants ?? 2
        return min(people, places ?? people) * (sessions ?? 1)
    }
}
