import Meeting

/// The server is about to stop.
extension SessionActor {
    /// Tells everybody who is in, and who waits, until when they may stay. They have been told when this returns.
    func announceDraining(deadlineAt: Int64) async {
        meeting.announceDraining(deadlineAt: deadlineAt, now: clock.now())
        await settle()
    }
}
