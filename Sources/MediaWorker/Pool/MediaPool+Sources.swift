import Forwarding

/// What of a participant's media is forwarded: sources that are on, and that it may publish.
extension MediaPool {
    public func setSource(
        _ source: MediaSource, of participant: MediaParticipantID, to state: SourceState
    ) async {
        if state == .live {
            members[participant]?.off.remove(source.source)
        } else {
            members[participant]?.off.insert(source.source)
        }
        await tellWhetherLive(source.source, of: participant)
    }

    public func setPermissions(
        of participant: MediaParticipantID, to permissions: MediaPermissions
    ) async {
        guard let before = members[participant]?.permissions else { return }
        members[participant]?.permissions = permissions
        for source in MediaSource.allCases
        where before.publish.contains(source) != permissions.publish.contains(source) {
            await tellWhetherLive(source.source, of: participant)
        }
        if !permissions.publish.isSubset(of: before.publish) { await publishWhatWasRefused(participant) }
    }

    // MARK: Parts

    /// Posts what holds at this moment, so that the workers hear the last word last.
    private func tellWhetherLive(_ source: Source, of participant: MediaParticipantID) async {
        guard let member = members[participant] else { return }
        let isLive = !member.silent.contains(source)
        await ask(hosts(of: member)) { worker, reply in
            worker == member.worker
                ? .setSource(source, participant, isLive: isLive, reply)
                : .setMirrorSource(source, participant, isLive: isLive, reply)
        }
    }

    /// Tells the workers of m-lines that were offered when their source wasn't allowed.
    private func publishWhatWasRefused(_ participant: MediaParticipantID) async {
        await waitForTurn(of: participant)
        defer { endTurn(of: participant) }
        guard let member = members[participant], let negotiated = member.negotiated,
            let old = member.sections
        else { return }
        let sections = MediaSections(
            negotiated, sources: member.sources, permissions: member.permissions, previous: old,
            order: nextNumber(), using: &generator)
        guard sections.publications.count > old.publications.count else { return }
        let number = member.original?.connection ?? 0
        let seats = await tell(
            participant, sections, number: number, { .configure(participant, sections, $0) })
        // Otherwise the connection has ended, or another worker has no room: the next offer is a new one.
        if seats == nil { await disconnect(participant) } else { members[participant]?.sections = sections }
    }
}
