import Forwarding

/// Sessions on several workers. Each worker that hosts a session hears of everything that concerns it, and in the same
/// order: commands are posted to all of them at once, the owner of the participant first, so that what another worker then
/// asks of it finds it prepared.
extension MediaPool {
    /// Where a newcomer is placed; nil when the session is gone.
    func place(in session: MediaSessionID) -> Int? {
        guard let session = sessions[session] else { return nil }
        let loads = shared.loads.prefix(shared.settings.hosts).map(\.value)
        return placement.worker(
            home: session.home, hosts: session.hosts, loads: loads, number: session.joins)
    }

    /// The worker that has the participant, and then the others that host the session.
    func hosts(of member: MediaMember) -> [Int] {
        [member.worker] + (sessions[member.session]?.hosts ?? []).filter { $0 != member.worker }
    }

    /// Opens the session on the newcomer's worker, if it isn't hosted there yet, with everybody who publishes elsewhere.
    /// Without room there, the newcomer is placed at home.
    func host(_ session: MediaSessionID, for participant: MediaParticipantID) async {
        guard let known = sessions[session], let worker = members[participant]?.worker,
            !known.hosts.contains(worker)
        else { return }
        sessions[session]?.hosts.append(worker)
        let originals = known.participants.compactMap { original(of: $0) }
        let isOpen = await ask([worker]) {
            .openSession(session, known.limits, isHome: false, originals, $1)
        }
        guard isOpen != [true] else { return }
        members[participant]?.worker = known.home
        await unhost(session, on: worker)
    }

    /// Closes the session on a worker that has nobody of it any more, unless it is the session's home.
    func unhost(_ session: MediaSessionID, on worker: Int) async {
        guard let known = sessions[session], worker != known.home, known.hosts.contains(worker),
            !known.participants.contains(where: { members[$0]?.worker == worker })
        else { return }
        sessions[session]?.hosts.removeAll { $0 == worker }
        await ask([worker]) { .closeSession(session, [], $1) }
    }

    private func original(of participant: MediaParticipantID) -> MirroredConnection? {
        guard let member = members[participant], var original = member.original else { return nil }
        original.off = member.silent
        return original
    }

    /// Tells the participant's worker what was negotiated, and the others that host the session what it publishes.
    ///
    /// - Returns: the seats; nil when the connection isn't there, or one of them has no room.
    func tell(
        _ participant: MediaParticipantID, _ sections: MediaSections, number: UInt64,
        _ command: (Reply<[SeatState]?>) -> WorkerCommand
    ) async -> [SeatState]? {
        guard let member = members[participant] else { return nil }
        var published = sections
        published.seats = []
        let original = MirroredConnection(
            participant: participant, session: member.session, connection: number, owner: member.worker,
            sections: published, off: member.silent)
        members[participant]?.original = original
        let answers: [[SeatState]?] = await ask(hosts(of: member)) { worker, reply in
            worker == member.worker ? command(reply) : .mirror(original, reply)
        }
        return answers.contains(nil) ? nil : answers[0]
    }

    /// Drops what is left of a connection that couldn't be made, or isn't there, on all workers.
    func disconnect(_ participant: MediaParticipantID) async {
        guard let member = members[participant] else { return }
        members[participant]?.original = nil
        await ask(hosts(of: member)) { worker, reply in
            worker == member.worker ? .disconnect(participant, reply) : .endMirror(participant, reply)
        }
    }
}
