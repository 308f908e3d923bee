/// What moderators do to what others send and show. All of it is enforced by the server.
extension MeetingSession {
    /// Switches off what others send. They may switch it on again, unless `lock` holds their microphone: then nothing is heard
    /// of them, the sound of a screen neither.
    ///
    /// - Returns: How many participants it changed.
    @discardableResult
    public mutating func muteParticipant(
        _ target: Target, kinds: Set<MediaKind> = [.audio], lock: Bool = false, by principal: Principal,
        now time: Int64
    ) throws(MeetingError) -> Int {
        // Who may only do what everybody may can't lock, for it couldn't unlock either, nor stop a share.
        let isOpen = !lock && !kinds.contains(.screen)
        let (acting, ids) = try moderator(principal, of: target, openly: isOpen)
        try check(kinds, lock: lock)
        clock(time)
        return switchOff(kinds, of: ids, lock: lock, by: acting.author)
    }

    @discardableResult
    public mutating func pauseParticipantVideo(
        _ target: Target, by principal: Principal, now time: Int64
    ) throws(MeetingError) -> Int {
        try muteParticipant(target, kinds: [.video], by: principal, now: time)
    }

    @discardableResult
    public mutating func stopParticipantScreenShare(
        _ target: Target, by principal: Principal, now time: Int64
    ) throws(MeetingError) -> Int {
        try muteParticipant(target, kinds: [.screen], by: principal, now: time)
    }

    /// Lets somebody unmute itself again; it stays muted until then, and so does the sound of its screen. A lock holds for
    /// all devices of a user, also for those with which it comes later.
    public mutating func unlockParticipant(
        _ target: Target, by principal: Principal, now time: Int64
    ) throws(MeetingError) {
        let (_, ids) = try moderator(principal, of: target)
        clock(time)
        for id in ids { lockedOutside.remove(members[id]?.participant.uid ?? "") }
        for id in ids where members[id]?.participant.audioLocked == true {
            change(id, { $0.audioLocked = false }) { .participantUpdated($0, changed: ["audioLocked"]) }
        }
    }

    /// Asks somebody to unmute; nobody can do it for them.
    public mutating func askToUnmute(
        _ target: Target, by principal: Principal, now time: Int64
    ) throws(MeetingError) {
        let (acting, ids) = try moderator(principal, of: target)
        clock(time)
        tell(.unmuteRequested(by: acting.author), to: ids)
    }

    /// Switches off what everybody sends who is below the moderator.
    ///
    /// - Parameters:
    ///   - except: who is spared; those who aren't in (any more) don't matter.
    ///   - onEntry: whether those who join later come in muted, and locked if `lock` says so; nil: as before.
    /// - Returns: How many participants it changed.
    @discardableResult
    public mutating func muteAll(
        kinds: Set<MediaKind> = [.audio], except: [ParticipantID] = [], lock: Bool = false,
        onEntry: Bool? = nil, by principal: Principal, now time: Int64
    ) throws(MeetingError) -> Int {
        let acting = try moderator(principal)
        try check(kinds, lock: lock)
        clock(time)
        let ids = those(below: acting, except: except)
        let affected = switchOff(kinds, of: ids, lock: lock, by: acting.author)
        if let onEntry {
            locksOnEntry = onEntry && lock
            changeSettings { $0.muteOnEntry = onEntry }
        }
        return affected
    }

    public mutating func lowerParticipantHand(
        _ target: Target, by principal: Principal, now time: Int64
    ) throws(MeetingError) -> [Hand] {
        let (acting, ids) = try moderator(principal, of: target)
        clock(time)
        for id in ids { lower(id, by: acting.author) }
        return hands
    }

    /// Lowers the hands of everybody who is below the moderator, and its own.
    ///
    /// - Returns: How many were up.
    @discardableResult
    public mutating func lowerAllHands(
        by principal: Principal, now time: Int64
    ) throws(MeetingError) -> Int {
        let acting = try moderator(principal)
        clock(time)
        let below = Set(those(below: acting))
        let up = hands.map(\.participant).filter { $0 == acting.author.participantID || below.contains($0) }
        for id in up { lower(id, by: acting.author) }
        return up.count
    }

    // MARK: - Parts

    private func check(_ kinds: Set<MediaKind>, lock: Bool) throws(MeetingError) {
        guard !kinds.isEmpty else { throw .invalid(field: "kinds", reason: "must not be empty") }
        guard !lock || kinds.contains(.audio) else {
            throw .invalid(field: "lock", reason: "holds a microphone: kinds must contain audio")
        }
    }

    /// All media stops before anybody is told, so that the last one isn't heard while the others hear of the first.
    private mutating func switchOff(
        _ kinds: Set<MediaKind>, of ids: [ParticipantID], lock: Bool, by author: Author
    ) -> Int {
        if ids.count > 1, kinds.contains(.audio) {
            for id in ids {
                guard let participant = members[id]?.participant else { continue }
                if !participant.audioMuted { put(.setSource(.microphone, of: id, live: false)) }
                if lock, !participant.audioLocked { put(.setSource(.screenAudio, of: id, live: false)) }
            }
        }
        return ids.count { id in
            var isChanged = false
            for kind in MediaKind.allCases where kinds.contains(kind) {
                if switchOff(kind, of: id, by: author, lock: lock) { isChanged = true }
            }
            return isChanged
        }
    }
}
