import EventLoop
import FixedCollections
import Forwarding
import Wire

/// A session on several workers: packets go from the worker that has opened them to those where somebody watches, through
/// a ring a pair of workers; what is rare (who is there, what is wanted) goes through mailboxes.
extension MediaWorker {
    // MARK: Packets out

    /// Copies an accepted packet into the rings of the workers that want it.
    mutating func send(_ relay: Relay, _ slot: PacketSlot, length: Int, of index: Int) {
        let stream = relay.stream
        let label = RelayLabel(
            connection: connections[index].number,
            content: .media(mid: stream.mid, rid: stream.rid, isRTX: stream.isRTX))
        var targets = relay.targets
        unannounced.formUnion(targets)
        while let worker = targets.popFirst() {
            counters.relayed &+= 1
            Self.push(slot, length: length, label, of: forwarder, into: shared.relays[lane][worker])
        }
    }

    private static func push(
        _ slot: PacketSlot, length: Int, _ label: RelayLabel, of forwarder: borrowing Forwarder,
        into ring: RelayRing
    ) {
        ring.push(forwarder.bytes(of: slot).extracting(0..<length), label)
    }

    /// Passes the sender reports of an opened RTCP datagram on.
    mutating func relayReports(length: Int, of index: Int) {
        let targets = forwarder.relayTargets(of: PeerID(index))
        guard !targets.isEmpty else { return }
        unannounced.formUnion(targets)
        Self.push(
            reportsOf: control, length: length,
            RelayLabel(connection: connections[index].number, content: .report), to: targets,
            through: shared.relays[lane])
    }

    private static func push(
        reportsOf control: borrowing FixedArray<UInt8>, length: Int, _ label: RelayLabel,
        to targets: RelayTargets, through rings: [RelayRing]
    ) {
        let datagram = control.span.extracting(0..<length)
        var reader = RTCPReader()
        while let packet = try? reader.next(in: datagram) {
            guard packet.kind(in: datagram) == .senderReport else { continue }
            var left = targets
            while let worker = left.popFirst() {
                rings[worker].push(datagram.extracting(packet.range), label)
            }
        }
    }

    /// Wakes the workers that were sent something.
    mutating func announceRelayed() {
        while let worker = unannounced.popFirst() { shared.relays[lane][worker].announce() }
    }

    // MARK: Packets in

    /// Takes what other workers have relayed, as much as there was when it began at the least.
    mutating func takeRelayed() {
        for from in shared.relays.indices where from != lane {
            let ring = shared.relays[from][lane]
            // One round: whoever fills it faster than it is emptied must not hold up the turn.
            var left = ring.capacity
            while left > 0, !ring.isEmpty {
                takeFront(of: ring)
                ring.removeFront()
                if forwarder.isTurnFull { finishTurn() }
                left -= 1
            }
            if !ring.isEmpty { loop.waker.wake() }
        }
    }

    private mutating func takeFront(of ring: RelayRing) {
        let label = ring.frontLabel
        // Nobody's: it has left, or isn't known here yet.
        guard let mirror = mirrors[label.connection].map({ PeerID(Int($0)) }) else { return }
        switch label.content {
        case .report: forwarder.receiveControl(ring.frontBytes(), from: mirror, at: now)
        case .media(let mid, let rid, let isRTX):
            guard let slot = forwarder.takeBlock() else { return }
            let length = Self.copy(ring, slot, &forwarder)
            let stream = RelayedStream(mid: mid, rid: rid, isRTX: isRTX)
            forwarder.receiveRelayed(slot, length: length, stream, from: mirror, at: now)
        }
    }

    private static func copy(_ ring: RelayRing, _ slot: PacketSlot, _ forwarder: inout Forwarder) -> Int {
        var block = forwarder.mutableBytes(of: slot)
        let bytes = ring.frontBytes()
        block.store(bytes, at: 0)
        return bytes.count
    }

    // MARK: Mirrors

    /// Adds a mirror, or applies what its original has negotiated anew.
    ///
    /// - Returns: false when there are too many.
    mutating func mirror(_ original: MirroredConnection) -> Bool {
        guard let router = sessions[original.session] else { return false }
        let setup = original.sections.with(off: original.off).setup(
            router: router, participant: original.participant, connection: original.connection)
        if let known = mirrored[original.participant] {
            if known == original.connection, let peer = mirrors[known] {
                forwarder.configure(PeerID(Int(peer)), setup, at: now)
                return true
            }
            endMirror(of: original.participant)
        }
        // Who only watches isn't missed here.
        guard !setup.publications.isEmpty else { return true }
        guard let peer = forwarder.addMirror(setup, owner: original.owner, at: now) else { return false }
        mirrors.set(original.connection, to: peer.index)
        mirrored[original.participant] = original.connection
        return true
    }

    mutating func setMirror(_ source: Source, of participant: MediaParticipantID, isLive: Bool) {
        guard let connection = mirrored[participant], let peer = mirrors[connection] else { return }
        forwarder.setLive(isLive, source: source, of: PeerID(Int(peer)), at: now)
        // What is queued in this turn goes out before the caller is told.
        finishTurn()
    }

    mutating func endMirror(of participant: MediaParticipantID, reseats: Bool = true) {
        guard let connection = mirrored.removeValue(forKey: participant),
            let peer = mirrors.remove(connection)
        else { return }
        forwarder.removePeer(PeerID(Int(peer)), reseats: reseats, at: now)
    }

    /// Another worker has dropped a connection by itself.
    mutating func endMirror(ofConnection connection: UInt64) {
        guard let peer = mirrors[connection] else { return }
        endMirror(of: MediaParticipantID(rawValue: forwarder.participant(of: PeerID(Int(peer)))))
    }

    // MARK: Requests

    /// Asks the originals' workers for what mirrors want.
    mutating func sendMirrorRequests() {
        while let request = forwarder.pollMirrorRequest() {
            _ = shared.mailboxes[request.owner].post(.mirrorRequest(request, from: lane))
        }
    }

    mutating func take(_ request: MirrorRequest, from worker: Int) {
        guard let index = numbers[request.connection] else {
            if request.content != .noPackets {
                _ = shared.mailboxes[worker].post(.connectionEnded(request.connection))
            }
            return
        }
        let peer = PeerID(index)
        switch request.content {
        case .packets: forwarder.setRelayed(true, to: worker, mid: request.mid, of: peer)
        case .noPackets: forwarder.setRelayed(false, to: worker, mid: request.mid, of: peer)
        case .declined(let places): forwarder.setDeclined(places, by: worker, mid: request.mid, of: peer)
        case .keyFrame(let rid): forwarder.wantKeyFrame(mid: request.mid, rid: rid, of: peer)
        }
    }

    /// For a connection that this worker drops by itself: its mirrors go too.
    func tellMirrors(ofConnection number: UInt64) {
        guard shared.settings.hosts > 1 else { return }
        for worker in 0..<shared.settings.hosts where worker != lane {
            _ = shared.mailboxes[worker].post(.connectionEnded(number))
        }
    }
}
