import Wire

/// What participants send and are sent, and how much at the most.
extension MediaPool {
    public func viewerStatistics(of participant: MediaParticipantID) async -> ViewerStatistics? {
        guard let member = members[participant] else { return nil }
        return await ask(member.worker) { .viewerStatistics(participant, $0) }
    }

    public func setSendLimit(of participant: MediaParticipantID, to bitsPerSecond: Int?) async {
        guard let member = members[participant] else { return }
        let limit = bitsPerSecond.map { Bitrate(bitsPerSecond: $0) }
        members[participant]?.sendLimit = limit
        await ask(member.worker) { .setSendLimit(limit, participant, $0) }
    }

    public func setReceiveLimit(of participant: MediaParticipantID, to bitsPerSecond: Int?) async {
        guard let member = members[participant] else { return }
        let limit = bitsPerSecond.map { Bitrate(bitsPerSecond: $0) }
        members[participant]?.receiveLimit = limit
        await ask(member.worker) { .setReceiveLimit(limit, participant, $0) }
    }
}
