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

    /// Numbers an event and keeps it. Full lists are kept without the list, which can be made again.
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

    /// The events after `seq`, or nil if some of them are no longer there.
    ///
    /// - Parameter roster: everybody who isn't hidden, now. A missed list has those of them who were in by then, as they
    ///   are now, and after them those who have left since: what follows it brings it up to date.
    func events(after seq: Int, roster: [Participant]) -> [NumberedEvent]? {
        let missed = lastSeq - seq
        guard missed >= 0, missed <= entries.count - start else { return nil }
        var events = Array(entries.suffix(missed))
        var roster = roster
        for index in events.indices.reversed() {
            switch events[index].event {
            case .participantListChanged: events[index].event = .participantListChanged(roster)
            case .participantJoined(let one): roster.removeAll { $0.id == one.id }
            case .participantLeft(let one, _): roster.append(one)
            default: break
            }
        }
        return events
    }
}
