import MediaWorker
import Meeting
import Observability

/// What has to happen because of a command, one thing after the other.
extension SessionActor {
    func perform(_ output: Output) async {
        switch output {
        case .event(let event, let at, let recipients): tell(event, at: at, recipients)
        case .setSource(let source, let participant, let live):
            guard let place = places[participant], place.holdsPlace else { return }
            await media.setSource(MediaSource(source), of: place.media, to: live ? .live : .off)
        case .setPermissions(let participant, let publish):
            guard let place = places[participant], place.holdsPlace else { return }
            await media.setPermissions(of: place.media, to: Self.permissions(publish, place))
        case .setLimits(let settings): await setLimits(settings)
        case .admit:
            // It comes in by itself, now that it was told: see `comeIn`.
            break
        case .drop(let participant, let reason):
            await drop(participant, reason)
        case .keep(let message): await keep(message)
        case .meetingStarted:
            tellBegan()
            await tellGroup(output)
        case .meetingEnded:
            tellEnded()
            await tellGroup(output)
        case .over:
            await retire()
            guard let session = await opening?.value else { return }
            directory.remove(session)
            await media.closeSession(session)
        }
    }

    /// The next who joins under this id finds another meeting.
    func retire() async {
        await registry.ended(
            self, bans: meeting.bansRunningOn(at: clock.now()), isForGood: meeting.wasEnded)
    }

    private func tell(_ event: SessionEvent, at: Int64, _ recipients: [Output.Recipient]) {
        let outlets = recipients.compactMap { recipient in
            places[recipient.participant]?.outlet.map { (socket: $0, seq: recipient.seq) }
        }
        guard !outlets.isEmpty else { return }
        guard let text = EncodedEvent(event, sessionID: id, at: at) else {
            return log.error("an event can't be written", ["event": .string(event.name)])
        }
        for outlet in outlets { outlet.socket.send(text.text(seq: outlet.seq)) }
    }

    private func drop(_ participant: ParticipantID, _ reason: LeaveReason) async {
        guard let place = places.removeValue(forKey: participant) else { return }
        switch reason {
        case .replaced: place.owner.close(.replaced, reason: "replaced by the same device")
        case .removed: place.owner.close(.removed, reason: "removed")
        // Whoever ended the meeting is to hear that it is done.
        case .ended: leaving.append(place.owner)
        case .left, .timeout: break
        }
        if place.holdsPlace { await media.leave(place.media) }
        participants[place.media] = nil
        heldSeats[place.media] = nil
        directory.remove(place.media)
        if place.holdsPlace { directory.givePlaceBack() }
        await registry.forget(place.resumeToken)
        if let former = place.formerToken { await registry.forget(former) }
        noteLeft(participant, place, reason)
    }

    // MARK: - The log

    /// Called in the queue, so that it stands before whatever is said about its leaving.
    func noteJoined(_ participant: ParticipantID) {
        guard let place = places[participant] else { return }
        places[participant]?.joinedAt = Clock.monotonic()
        tellJoined(participant)
        log.info(
            "participant joined",
            [
                "session": .string(id), "uid": .string(place.uid),
                "participant": .string(participant.rawValue),
            ], key: id)
    }

    private func noteLeft(_ participant: ParticipantID, _ place: Place, _ reason: LeaveReason) {
        // Whoever was refused while joining was never in.
        guard let joinedAt = place.joinedAt else { return }
        tellLeft(participant)
        log.info(
            "participant left",
            [
                "session": .string(id), "uid": .string(place.uid),
                "participant": .string(participant.rawValue), "reason": .string(reason.rawValue),
                "seconds": LogValue((Clock.monotonic() - joinedAt) / 1_000),
            ], key: id)
    }
}
