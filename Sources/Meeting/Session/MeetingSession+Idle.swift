/// Nobody stays alone for ever.
extension MeetingSession {
    /// How long before the end somebody is warned.
    static let idleWarningMs: Int64 = 60_000

    /// When the one who is alone is to be warned or to leave.
    var idleDeadline: Int64? {
        guard let end = idleEnd, let aloneSince else { return nil }
        return isWarned ? end : max(aloneSince, end - Self.idleWarningMs)
    }

    private var idleEnd: Int64? {
        let seconds = session.settings.idleTimeoutSeconds
        guard seconds > 0, let aloneSince else { return nil }
        return aloneSince + Int64(seconds) * 1_000
    }

    /// Called when somebody came or went: those whom nobody sees are no company.
    mutating func noteCompany() {
        guard session.participantCount <= 1, !order.isEmpty else {
            aloneSince = nil
            return
        }
        guard aloneSince == nil else { return }
        aloneSince = now
        isWarned = false
    }

    mutating func endIfIdle() {
        guard let end = idleEnd, let due = idleDeadline, now >= due else { return }
        if now < end {
            isWarned = true
            return tellAll(.idleWarning(secondsLeft: Int((end - now + 999) / 1_000)))
        }
        tellAll(.sessionTimedOut)
        for id in order { remove(id, reason: .timeout) }
    }
}
