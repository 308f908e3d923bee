/// The session as a whole.
extension MeetingSession {
    /// Names the session; an empty title takes the name away.
    public mutating func setTitle(
        _ title: String, by principal: Principal, now time: Int64
    ) throws(MeetingError) {
        _ = try moderator(principal)
        try Limit.checkLength(title, field: "title", limit: Limit.name)
        clock(time)
        session.title = title.isEmpty ? nil : title
        tellAll(.sessionUpdated(session))
    }

    public mutating func setTitle(_ title: String, by id: ParticipantID, now time: Int64) throws(MeetingError)
    {
        try setTitle(title, by: .participant(id), now: time)
    }

    /// Lets nobody below moderator join any more. Those who reconnect are in.
    public mutating func lockSession(by principal: Principal, now time: Int64) throws(MeetingError) {
        _ = try moderator(principal)
        clock(time)
        changeSettings { $0.locked = true }
    }

    public mutating func unlockSession(by principal: Principal, now time: Int64) throws(MeetingError) {
        _ = try moderator(principal)
        clock(time)
        changeSettings { $0.locked = false }
    }

    /// Changes the number of places. Nobody has to leave: with fewer than are taken, nobody comes in until enough left.
    public mutating func setCapacity(
        _ maxParticipants: Int, by principal: Principal, now time: Int64
    ) throws(MeetingError) {
        var settings = session.settings
        settings.maxParticipants = maxParticipants
        try setSettings(settings, by: principal, now: time)
    }

    /// Changes all settings. Those who are in stay in; those who wait come in when there is no waiting room any more, as
    /// far as places go.
    public mutating func setSettings(
        _ settings: SessionSettings, by principal: Principal, now time: Int64
    ) throws(MeetingError) {
        let acting = try moderator(principal)
        try settings.check()
        clock(time)
        if !settings.muteOnEntry { locksOnEntry = false }
        changeSettings { $0 = settings }
        if !settings.waitingRoom { for id in waitingOrder { settleWait(of: id, by: acting.author) } }
    }

    /// Ends the meeting for all.
    public mutating func endSession(
        reason: String = "ended", by principal: Principal, now time: Int64
    ) throws(MeetingError) {
        _ = try moderator(principal)
        try Limit.checkLength(reason, field: "reason", limit: Limit.name)
        clock(time)
        wasEnded = true
        finish(reason: reason)
    }

    /// The server is about to stop; `deadlineAt` is in milliseconds since 1970. Of several deadlines the earliest counts.
    /// Those who are on their way in are told once they are in.
    public mutating func announceDraining(deadlineAt: Int64, now time: Int64) {
        clock(time)
        guard drainingDeadlineAt.map({ deadlineAt < $0 }) ?? true else { return }
        drainingDeadlineAt = deadlineAt
        tell(.serverDraining(deadlineAt: deadlineAt), to: order + waitingOrder)
    }

    /// Tells somebody who waits that the server is about to stop, if it is: it came when the others had been told.
    public mutating func remindOfDraining(_ id: ParticipantID, now time: Int64) {
        clock(time)
        if let drainingDeadlineAt { tell(.serverDraining(deadlineAt: drainingDeadlineAt), to: [id]) }
    }

    // MARK: - Parts

    mutating func changeSettings(_ edit: (inout SessionSettings) -> Void) {
        var settings = session.settings
        edit(&settings)
        guard settings != session.settings else { return }
        if !settings.limitsMedia(like: session.settings) { put(.setLimits(settings)) }
        session.settings = settings
        tellAll(.sessionUpdated(session))
    }

    /// Says that the meeting has started, when there is somebody whom others may see.
    mutating func announce() {
        guard !isAnnounced, session.participantCount > 0 else { return }
        isAnnounced = true
        put(.meetingStarted(session))
    }

    /// Sends away whoever is left, and ends the meeting.
    mutating func finish(reason: String) {
        let inside = order
        let newcomers = members.keys.filter { !inside.contains($0) && members[$0]?.isWaiting == false }
        tell(.sessionEnded(reason: reason), to: inside + waitingOrder)
        tellAll(.sessionLeft(.ended))
        for id in inside + waitingOrder + newcomers.sorted(by: { $0.rawValue < $1.rawValue }) {
            put(.drop(id, .ended))
        }
        for id in inside { endStay(of: id) }
        members = [:]
        order = []
        waitingOrder = []
        hands = []
        session.dominantSpeaker = nil
        aloneSince = nil
        session.participantCount = 0
        isOver = true
        if isAnnounced { put(.meetingEnded(session)) }
        put(.over)
    }
}
