extension Report {
    /// What was done in the course of the run, and what came of it; nothing where nothing of the kind was done.
    mutating func addHappenings(_ totals: Totals) {
        add("heardMuted", "packets of muted voices", totals.heardMuted)
        add("removed", "removed by a moderator", totals.removed)
        let calls = totals.calls
        if calls.made > 0 {
            add("callsMade", "calls made", calls.made)
            add("callsAnswered", "calls answered", calls.answered)
            add("callsRejected", "calls rejected", calls.rejected)
            add("callsCancelled", "calls cancelled", calls.cancelled)
            add("callsEnded", "calls ended, both sides", calls.ended)
            add("Ring", "call to ringing", calls.rang)
            add("CallAnswer", "acceptance to caller told", calls.told)
        }
        let disturbances = totals.disturbances
        guard disturbances.contains(where: { $0 > 0 }) else { return }
        add("socketsCut", "sockets cut", disturbances[Disturbance.socket.rawValue])
        add("transportsKilled", "media connections cut", disturbances[Disturbance.transport.rawValue])
        add("addressesChanged", "addresses changed", disturbances[Disturbance.address.rawValue])
        add("Resume", "session resumed", totals.resume)
        add("Reconnect", "media by a new connection", totals.reconnected)
        add("Readdress", "media at a new address", totals.readdressed)
    }
}
