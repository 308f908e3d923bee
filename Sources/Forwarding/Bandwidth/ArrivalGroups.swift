import FixedCollections

/// How much longer the way of one group of packets took than that of the group before.
struct GroupDelta: BitwiseCopyable {
    /// Between the last packets of both groups, in milliseconds.
    var sent: Double
    var arrived: Double
    /// When the later group had arrived, in milliseconds on the receiver's clock.
    var arrival: Double

    /// Change of the one-way delay, in milliseconds.
    var delay: Double { arrived - sent }
}

/// Joins packets that left within 5 ms to groups, and compares each group with the one before
/// (draft-ietf-rmcat-gcc-02 section 5.2).
///
/// Packets that arrive in one burst after having been held up on the way count as one group as well: what they say about
/// the link is when the burst came.
struct ArrivalGroups: BitwiseCopyable {
    private struct Group: BitwiseCopyable {
        var firstSent: Int64
        var lastSent: Int64
        var firstArrival: Int64
        var lastArrival: Int64
    }

    private static var length: Int64 { 5_000_000 }
    private static var longestBurst: Int64 { 100_000_000 }
    private static var longestPause: Int64 { 3_000_000_000 }

    private var current: Group?
    private var previous: Group?

    /// Takes in a packet that arrived, in order of sending.
    ///
    /// - Returns: the comparison of the last two complete groups, when the packet begins a new one.
    mutating func add(sent: Instant, arrival: Instant) -> GroupDelta? {
        let sent = sent.nanoseconds
        let arrival = arrival.nanoseconds
        guard var group = current else {
            current = Group(firstSent: sent, lastSent: sent, firstArrival: arrival, lastArrival: arrival)
            return nil
        }
        // Reordered: its group is closed.
        guard sent >= group.firstSent else { return nil }
        if sent - group.firstSent <= Self.length || isBurst(group, sent, arrival) {
            group.lastSent = max(group.lastSent, sent)
            group.lastArrival = max(group.lastArrival, arrival)
            current = group
            return nil
        }
        let delta = previous.flatMap { compare(group, with: $0) }
        previous = group
        current = Group(firstSent: sent, lastSent: sent, firstArrival: arrival, lastArrival: arrival)
        return delta
    }

    private func isBurst(_ group: Group, _ sent: Int64, _ arrival: Int64) -> Bool {
        let gap = arrival - group.lastArrival
        return gap <= Self.length && gap > -Self.longestBurst && gap < sent - group.lastSent
            && arrival - group.firstArrival < Self.longestBurst
    }

    private func compare(_ group: Group, with earlier: Group) -> GroupDelta? {
        let sent = group.lastSent - earlier.lastSent
        let arrived = group.lastArrival - earlier.lastArrival
        // The receiver's clock was set, or there was a long pause: neither says anything about the link.
        guard arrived >= 0, abs(arrived - sent) < Self.longestPause else { return nil }
        return GroupDelta(
            sent: Double(sent) / 1e6, arrived: Double(arrived) / 1e6, arrival: Double(group.lastArrival) / 1e6
        )
    }
}
