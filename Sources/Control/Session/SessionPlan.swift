import Meeting

/// What a session begins with.
struct SessionPlan: Sendable {
    /// The group whose session it is.
    var guid: String?
    var settings: SessionSettings
    var title: String?
    /// Whether a back end made it before anybody joined.
    var isMadeAhead = false
}

/// Who was put out of meetings that are over, for the next ones under the same ids. Bounded.
struct KeptBans {
    /// Users of all sessions together.
    static let limit = 10_000

    private var bans: [String: [String: Int64]] = [:]
    private var count = 0

    /// Keeps what holds on; when there are too many, those of the sessions whose bans end first are given up.
    mutating func keep(_ new: [String: Int64], of session: String, now: Int64) {
        take(of: session)
        guard !new.isEmpty, new.count <= Self.limit else { return }
        bans[session] = new
        count += new.count
        guard count > Self.limit else { return }
        forgetOver(now: now)
        while count > Self.limit, let first = bans.min(by: { Self.end($0.value) < Self.end($1.value) })?.key {
            take(of: first)
        }
    }

    /// Gives them to the next meeting.
    @discardableResult
    mutating func take(of session: String) -> [String: Int64] {
        let taken = bans.removeValue(forKey: session) ?? [:]
        count -= taken.count
        return taken
    }

    /// Forgets sessions of which nobody is kept out any more.
    mutating func forgetOver(now: Int64) {
        for (session, kept) in bans where Self.end(kept) <= now { take(of: session) }
    }

    private static func end(_ bans: [String: Int64]) -> Int64 { bans.values.max() ?? 0 }
}
