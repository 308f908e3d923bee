import FixedCollections
import Synchronization

/// Who sends since when in each session: who waits for a first sound or picture waits from when there was one to come.
/// Shared by all workers.
final class SenderBoard: Sendable {
    private struct Sender {
        var hasAudio: Bool
        var hasVideo: Bool
        var at: Instant
    }

    private let senders = Mutex<[String: [Int: Sender]]>([:])

    func begin(_ participant: Int, in session: String, audio: Bool, video: Bool, at time: Instant) {
        guard audio || video else { return }
        senders.withLock {
            $0[session, default: [:]][participant] = Sender(hasAudio: audio, hasVideo: video, at: time)
        }
    }

    func end(_ participant: Int, in session: String) {
        senders.withLock { _ = $0[session]?.removeValue(forKey: participant) }
    }

    /// When, from `time` on, somebody else first sent a picture; nil if nobody is there who does.
    func firstPicture(for participant: Int, in session: String, from time: Instant) -> Instant? {
        first(participant, session) { $1.hasVideo ? max(time, $1.at) : nil }
    }

    /// When, from `time` on, somebody else first talked, or at least sent sound, as it may come before anybody talks. O(people
    /// who send in the session).
    func firstWord(
        for participant: Int, in session: String, from time: Instant, to now: Instant,
        _ conversation: Conversation
    ) -> Instant? {
        let word = first(participant, session) { number, sender in
            sender.hasAudio ? conversation.nextWord(of: number, from: max(time, sender.at)) : nil
        }
        if let word, word <= now { return word }
        return first(participant, session) { $1.hasAudio ? max(time, $1.at) : nil }
    }

    private func first(
        _ participant: Int, _ session: String, _ moment: (Int, Sender) -> Instant?
    ) -> Instant? {
        senders.withLock { senders in
            var earliest: Instant?
            for (number, sender) in senders[session] ?? [:] where number != participant {
                guard let at = moment(number, sender) else { continue }
                earliest = min(earliest ?? at, at)
            }
            return earliest
        }
    }
}
