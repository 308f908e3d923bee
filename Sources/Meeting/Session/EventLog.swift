/// The latest events of one participant's stream, so that it can resume. Bounded in number and in bytes.
struct EventLog: Sendable {
    private var entries: [NumberedEvent] = []
    /// Entries before this index are gone, only their places are left; these are cut off when they are half.
    private var start = 0
    private var bytes = 0
    private let maxEntries: Int
    private let maxBytes: Int
    /// The number of the last event; 0 before the first.
    private(set) var lastSeq = 0

    init(maxEntries: Int, maxBytes: Int) {
        self.maxEntries = maxEntries
        self.maxBytes = maxBytes
    }

    /// Numbers an event and keeps it. Full lists are kept without the list: whoever resumes gets today's.
    mutating func append(_ event: SessionEvent, at: Int64) -> Int {
        lastSeq += 1
        var kept = event
        if case .participantListChanged = event { kept = .participantListChanged([]) }
        entries.append(NumberedEvent(seq: lastSeq, at: at, event: kept))
        bytes += kept.weight
        while entries.count - start > maxEntries || (bytes > maxBytes && start < entries.count) {
            bytes -= entries[start].event.weight
            entries[start].event = .participantListChanged([])
            start += 1
        }
        if start > maxEntries {
            entries.removeFirst(start)
            start = 0
        }
        return lastSeq
    }

    /// The events after `seq`, or nil if some of them are no longer there. `roster` stands in for the lists.
    func events(after seq: Int, roster: [Participant]) -> [NumberedEvent]? {
        let missed = lastSeq - seq
        guard missed >= 0, missed <= entries.count - start else { return nil }
        return entries.suffix(missed).map { entry in
            guard case .participantListChanged = entry.event else { return entry }
            return NumberedEvent(seq: entry.seq, at: entry.at, event: .participantListChanged(roster))
        }
    }
}
