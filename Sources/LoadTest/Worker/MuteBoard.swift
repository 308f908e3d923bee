import FixedCollections
import Synchronization

/// Who is muted by a moderator, and since when that is confirmed; shared by all workers.
final class MuteBoard: Sendable {
    private let isUsed = Atomic<Bool>(false)
    private struct Entry {
        var since: Instant?
        /// When it last wanted to be heard again.
        var cleared = Instant.zero
    }

    private let entries = Mutex<[Int: Entry]>([:])

    /// The server has confirmed a mute. Who has unmuted itself since it was asked for isn't muted any more.
    func set(_ participant: Int, at time: Instant, askedAt: Instant) {
        entries.withLock { entries in
            guard (entries[participant]?.cleared ?? .zero) < askedAt else { return }
            entries[participant, default: Entry()].since = time
        }
        isUsed.store(true, ordering: .releasing)
    }

    func clear(_ participant: Int, at time: Instant) {
        entries.withLock { $0[participant] = Entry(since: nil, cleared: time) }
    }

    /// Whether a packet that was made at this time was made after the mute was confirmed, and must not have come.
    func forbids(_ participant: Int, madeAt time: Instant) -> Bool {
        guard isUsed.load(ordering: .acquiring) else { return false }
        return entries.withLock { $0[participant]?.since.map { $0 < time } ?? false }
    }
}
