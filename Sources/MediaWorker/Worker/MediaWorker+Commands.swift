import EventLoop
import FixedCollections
import Forwarding
import Transport
import Wire

extension MediaWorker {
    mutating func takeCommands() {
        var taken: [WorkerCommand] = []
        swap(&taken, &commands)
        shared.mailboxes[lane].drain(into: &taken)
        // What was relayed before a command was given is judged by what held before: a source that is switched on again
        // must not let go what was recorded before it was switched off.
        takeRelayed()
        for command in taken {
            take(command)
            if forwarder.isTurnFull { finishTurn() }
        }
        taken.removeAll(keepingCapacity: true)
        swap(&taken, &commands)
    }

    private mutating func take(_ command: WorkerCommand) {
        switch command {
        case .openSession(let session, let limits, let isHome, let originals, let reply):
            reply(openSession(session, limits, isHome: isHome, originals))
        case .setLimits(let limits, let session, let reply):
            if let router = sessions[session] { forwarder.setLimits(limits, of: router, at: now) }
            // Whom they silence was queued before.
            finishTurn()
            reply(())
        case .closeSession(let session, let participants, let reply):
            closeSession(session, participants)
            reply(())
        case .connect(let request, let reply): reply(connect(request))
        case .configure(let participant, let sections, let reply):
            reply(configure(participant, sections))
        case .restart(let participant, let credentials, let remote, let reply):
            reply(restart(participant, credentials, remote))
        case .setSource(let source, let participant, let isLive, let reply):
            set(source, of: participant, isLive: isLive)
            reply(())
        case .setViewing(let viewing, let participant, let reply):
            if let index = participants[participant] {
                forwarder.setViewing(viewing, of: PeerID(index), at: now)
            }
            reply(())
        case .leave(let participant, let reply):
            leave(participant)
            // Whatever of it is queued goes out before the caller is told.
            finishTurn()
            reply(())
        case .disconnect(let participant, let reply):
            if let index = participants[participant] { end(index) }
            reply(())
        case .mirror(let original, let reply): reply(mirror(original) ? [] : nil)
        case .setMirrorSource(let source, let participant, let isLive, let reply):
            setMirror(source, of: participant, isLive: isLive)
            reply(())
        case .endMirror(let participant, let reply):
            endMirror(of: participant)
            finishTurn()
            reply(())
        case .statistics(let reply): reply(statistics())
        case .viewerStatistics(let participant, let reply): reply(viewerStatistics(of: participant))
        case .setReceiveLimit(let limit, let participant, let reply):
            setReceiveLimit(limit, of: participant)
            reply(())
        case .setSendLimit(let limit, let participant, let reply):
            if let index = participants[participant] { forwarder.setSendLimit(limit, of: PeerID(index)) }
            reply(())
        case .foreign(let address, let worker): foreign.set(address, to: Int32(worker))
        case .stream(let connection): take(connection)
        case .notForeign(let address, let worker):
            if foreign[address] == Int32(worker) { foreign.remove(address) }
        case .mirrorRequest(let request, let worker): take(request, from: worker)
        case .connectionEnded(let number): endMirror(ofConnection: number)
        case .stop(let reply):
            stop()
            reply(())
        }
    }

    // MARK: Sessions

    mutating func openSession(
        _ session: MediaSessionID, _ limits: RouterLimits = RouterLimits(), isHome: Bool = true,
        _ originals: [MirroredConnection] = []
    ) -> Bool {
        if sessions[session] != nil { return true }
        guard let router = forwarder.addRouter() else { return false }
        forwarder.setLimits(limits, of: router, at: now)
        sessions[session] = router
        if isHome { routers[router] = session }
        return originals.allSatisfy { mirror($0) }
    }

    private mutating func closeSession(_ session: MediaSessionID, _ participants: Set<MediaParticipantID>) {
        for participant in participants { sources[participant] = nil }
        guard let router = sessions.removeValue(forKey: session) else { return }
        routers[router] = nil
        for peer in forwarder.peers(of: router) {
            if forwarder.isMirror(peer) {
                let original = MediaParticipantID(rawValue: forwarder.participant(of: peer))
                endMirror(of: original, reseats: false)
            } else {
                end(Int(peer.index), reseats: false)
            }
        }
        forwarder.removeRouter(router)
    }

    // MARK: Participants

    mutating func connect(_ request: ConnectRequest) -> [SeatState]? {
        guard let router = sessions[request.session] else { return nil }
        // Its sources stay off: a new connection doesn't undo a mute.
        let previous = participants[request.participant]
        if let previous { end(previous) }
        let configuration = PeerTransportConfiguration(
            credentials: request.credentials, remote: request.remote, fingerprints: request.fingerprints,
            context: context, sealerStreams: 192)
        guard !connections.isFull, let transport = try? PeerTransport(configuration: configuration, now: now)
        else { return nil }
        let ufrag = request.credentials.ufrag
        let connection = Connection(
            participant: request.participant, number: request.number, transport: transport, ufrag: ufrag,
            wanted: request.sections.outgoingSSRCs)
        let setup = request.sections.with(off: sources[request.participant] ?? []).setup(
            router: router, participant: request.participant, connection: request.number)
        guard forwarder.hasRoom(for: setup, of: nil), let index = connections.insert(connection) else {
            return nil
        }
        guard let peer = forwarder.addPeer(setup, isReady: false, at: now) else {
            connections.remove(at: index)
            return nil
        }
        precondition(Int(peer.index) == index, "a peer and its transport have the same number")
        forwarder.setReceiveLimit(request.receiveLimit, of: peer)
        forwarder.setSendLimit(request.sendLimit, of: peer)
        forwarder.setViewing(request.viewing, of: peer, at: now)
        connections[index].transport.probeTag = ProbeTag(lane: lane, index: index)
        participants[request.participant] = index
        numbers[request.number] = index
        ufrags.set(ufrag.rawValue, to: Int32(index))
        timers.set(index, to: connections[index].transport.nextTimeout)
        // What the one before was asked holds no more.
        if previous != nil { tellHints(to: peer) }
        return seats(of: peer)
    }

    private mutating func configure(
        _ participant: MediaParticipantID, _ sections: MediaSections
    ) -> [SeatState]? {
        guard let index = participants[participant] else { return nil }
        let peer = PeerID(index)
        let setup = sections.with(off: sources[participant] ?? []).setup(
            router: forwarder.router(of: peer), participant: participant,
            connection: connections[index].number)
        guard forwarder.hasRoom(for: setup, of: peer) else { return nil }
        forwarder.configure(peer, setup, at: now)
        connections[index].wanted = sections.outgoingSSRCs
        readyStreams(of: index)
        return seats(of: peer)
    }

    private mutating func restart(
        _ participant: MediaParticipantID, _ credentials: ICECredentials, _ remote: RemoteICECredentials
    ) -> Bool {
        guard let index = participants[participant] else { return false }
        do throws(TransportError) {
            if let unused = try connections[index].transport.restart(credentials, remote: remote) {
                retire(unused, of: index)
            }
        } catch {
            return false
        }
        connections[index].ufrags.append(credentials.ufrag)
        return ufrags.set(credentials.ufrag.rawValue, to: Int32(index))
    }

    private mutating func set(_ source: Source, of participant: MediaParticipantID, isLive: Bool) {
        if isLive {
            sources[participant]?.remove(source)
        } else {
            sources[participant, default: []].insert(source)
        }
        guard let index = participants[participant] else { return }
        forwarder.setLive(isLive, source: source, of: PeerID(index), at: now)
        // What is queued in this turn goes out before the caller is told.
        finishTurn()
    }

    private mutating func leave(_ participant: MediaParticipantID) {
        sources[participant] = nil
        if let index = participants[participant] { end(index) }
    }

    /// Says goodbye to the peer and removes its connection.
    private mutating func end(_ index: Int, reseats: Bool = true) {
        connections[index].transport.close(now: now, into: &output)
        sendOutput()
        drop(index, tells: false, reseats: reseats)
    }

    /// Removes a connection with everything that it published.
    mutating func drop(_ index: Int, tells: Bool, reseats: Bool = true) {
        for ufrag in connections[index].ufrags { ufrags.remove(ufrag.rawValue) }
        for known in connections[index].paths {
            forget(known.path, of: index)
            if case .tcp(let connection, _) = known.path {
                outlet.streams.close(TCPConnectionID(rawValue: connection))
            }
        }
        forwarder.removePeer(PeerID(index), reseats: reseats, at: now)
        timers.disarm(index)
        let participant = connections[index].participant
        participants[participant] = nil
        numbers[connections[index].number] = nil
        if tells { tellMirrors(ofConnection: connections[index].number) }
        connections.remove(at: index)
        if tells { shared.events.yield(.disconnected(participant)) }
    }

    /// SSRCs that publications gave up: their SRTP state goes too, so that they may come again.
    mutating func forgetInboundStreams() {
        while let (peer, ssrc) = forwarder.pollForgottenStream() {
            guard connections.contains(Int(peer.index)) else { continue }
            connections[Int(peer.index)].transport.removeInboundStream(ssrc)
        }
    }

    private mutating func stop() {
        for index in 0..<connections.endIndex where connections.contains(index) {
            connections[index].transport.close(now: now, into: &output)
            sendOutput()
        }
        outlet.flush()
        isStopped = true
    }
}
