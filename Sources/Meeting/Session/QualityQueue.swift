/// Scores of connections that wait to be told, one a participant, first come first told.
///
/// Each goes to everybody, so that in a meeting of n they are spaced by a time that grows with n: all of them together cost
/// no more than in one of a hundred, whose scores are told at once.
struct QualityQueue: Sendable {
    private var waiting: [(id: ParticipantID, score: Int)] = []
    private var nextAt = Int64.min

    /// When one is to be told; nil: none waits.
    var dueAt: Int64? { waiting.isEmpty ? nil : nextAt }

    mutating func put(_ score: Int, of id: ParticipantID) {
        if let index = waiting.firstIndex(where: { $0.id == id }) {
            waiting[index].score = score
        } else {
            waiting.append((id, score))
        }
    }

    /// The next one, if its time has come.
    mutating func take(at now: Int64) -> (id: ParticipantID, score: Int)? {
        guard !waiting.isEmpty, now >= nextAt else { return nil }
        return waiting.removeFirst()
    }

    /// One was told to so many. Above `prompt` of them, half a millisecond for each passes until the next.
    mutating func told(to count: Int, prompt: Int, at now: Int64) {
        if count > prompt { nextAt = now + Int64(count) / 2 }
    }
}
