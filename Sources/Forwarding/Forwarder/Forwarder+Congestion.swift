import FixedCollections
import Wire

extension Forwarder {
    /// Bytes of a packet on the link beside RTP header and payload: IP, UDP and the authentication tag.
    static var linkOverhead: Int { 20 + 8 + 16 }
    /// Bytes of the RTP header with its extensions, as they usually are.
    static var usualHeader: Int { 28 }
    /// The most that RTP padding has (RFC 3550 section 5.1) is 255; browsers send this much.
    private static var paddingLength: Int { 224 }
    /// Packets of padding in one turn.
    private static var paddingLimit: Int { 64 }
    /// Packets that have waited longer are of no use.
    private static var longestWait: Duration { .seconds(1) }

    // MARK: Links

    /// Gives the peer a link, if it has a seat for video.
    mutating func configureLink(of peer: PeerID, _ setup: PeerSetup, at now: Instant) {
        let index = Int(peer.index)
        let isViewer = !isMirror(peer) && setup.seats.contains { $0.isVideo && $0.isActive }
        let feedback = linkFeedback(of: peer, setup)
        if let link = link(of: peer), !isViewer || links[link].feedback != feedback {
            removeLink(of: peer, at: now)
        }
        guard isViewer else { return }
        if peers[index].link == .none {
            let link = links.insert(ViewerLink(feedback, at: now))
            peers[index].link = link.map { LinkID($0) } ?? .none
        }
        guard let link = link(of: peer) else { return }
        links[link].padding = padding(for: peer)
        wantAllocation(of: peer)
    }

    /// How the peer says what its link carries.
    private func linkFeedback(of peer: PeerID, _ setup: PeerSetup) -> FeedbackOptions {
        guard estimatesLinks else { return [] }
        var feedback: FeedbackOptions = []
        for seat in setup.seats where seat.isActive && seat.isVideo { feedback.formUnion(seat.feedback) }
        let isNumbered = peers[Int(peer.index)].extensions.id(of: .transportCC) != 0
        return feedback.intersection(isNumbered ? [.transportCC, .remb] : .remb)
    }

    /// The stream that padding is sent on.
    private func padding(for peer: PeerID) -> (seat: SeatID, payloadType: PayloadType)? {
        let index = Int(peer.index)
        guard let payloadType = peers[index].payloadTypes.firstRTX else { return nil }
        for number in 0..<peers[index].seats.count {
            let seat = peers[index].seats[number]
            if seats[Int(seat.index)].isActive, seats[Int(seat.index)].rtxSSRC != nil {
                return (seat, payloadType)
            }
        }
        return nil
    }

    /// Drops what waits, and the estimate with it; everything is allowed from now on.
    mutating func removeLink(of peer: PeerID, at now: Instant) {
        let index = Int(peer.index)
        guard let link = link(of: peer) else { return }
        paced.removeAll(of: &links[link].line)
        paced.removeAll(of: &links[link].repairLine)
        links.remove(at: link)
        peers[index].link = .none
        linkTimers.disarm(index)
        for number in 0..<peers[index].seats.count {
            let seat = peers[index].seats[number]
            seats[Int(seat.index)].allotted = SeatAllotment()
            aim(seat, at: now)
        }
    }

    /// Where the peer's link is in the table; `nil` if it has none.
    @inline(__always)
    func link(of peer: PeerID) -> Int? {
        let link = peers[Int(peer.index)].link
        return link == .none ? nil : Int(link.index)
    }

    /// Drops what is queued for a seat that goes.
    mutating func dropQueued(_ seat: SeatID, of peer: PeerID) {
        queue.removeAll(of: seat, of: peer)
        guard let link = link(of: peer) else { return }
        paced.forget(seat, in: links[link].line)
        paced.forget(seat, in: links[link].repairLine)
        if links[link].padding?.seat == seat { links[link].padding = nil }
    }

    // MARK: Sending

    /// Sends a packet in this turn, or lets it wait for the viewer's pacer.
    ///
    /// - Returns: false when it was dropped for want of room.
    @inline(__always)
    mutating func send(_ entry: EgressEntry, to peer: PeerID) -> Bool {
        guard let link = link(of: peer), !links[link].passesAll else { return queue.append(entry, to: peer) }
        let kind = kind(of: entry)
        let bytes = Int(store[entry.slot].payloadLength) + Self.usualHeader + Self.linkOverhead
        guard links[link].passes(kind, bytes: bytes, at: turnTime) else {
            hold(entry, kind, bytes: bytes, to: peer)
            return true
        }
        return queue.append(entry, to: peer)
    }

    @inline(__always)
    private func kind(of entry: EgressEntry) -> PacketKind {
        if entry.slot == .none { return .padding }
        if entry.rtxSequence >= 0 { return .retransmission }
        return seats[Int(entry.seat.index)].isVideo ? .video : .audio
    }

    private mutating func hold(_ entry: EgressEntry, _ kind: PacketKind, bytes: Int, to peer: PeerID) {
        guard let link = link(of: peer) else { return }
        var packet = WaitingPacket(entry: entry)
        packet.encoding = store[entry.slot].encoding
        packet.extended = store[entry.slot].extendedSequence
        packet.arrival = store[entry.slot].arrival
        packet.queuedAt = turnTime
        packet.bytes = Int32(truncatingIfNeeded: bytes)
        let isKept =
            kind == .retransmission
            ? paced.append(packet, to: &links[link].repairLine) : paced.append(packet, to: &links[link].line)
        if isKept { counters.paced &+= 1 } else { counters.pacedDropped &+= 1 }
        linkTimers.hasten(Int(peer.index), to: links[link].pacer.nextSend)
    }

    /// Notes a composed packet for the estimate.
    @inline(__always)
    mutating func noteSent(_ length: Int, _ entry: EgressEntry, of peer: PeerID, at now: Instant) {
        guard let link = link(of: peer), links[link].mode != .silent else { return }
        // The number was just given out.
        let number = SequenceNumber(peers[Int(peer.index)].nextTransportSequence &- 1)
        links[link].packetSent(number, bytes: length + Self.linkOverhead, kind: kind(of: entry), at: now)
    }

    // MARK: Time

    /// Does what is due for viewers' links: estimates, probes, packets that waited, and who gets which layer.
    mutating func updateLinks(at now: Instant) {
        turnTime = now
        while let index = linkTimers.popExpired(now: now) { updateLink(of: PeerID(index), at: now) }
    }

    mutating func updateLink(of peer: PeerID, at now: Instant) {
        guard let link = link(of: peer), peers[Int(peer.index)].isReady else { return }
        links[link].update(at: now)
        release(peer, of: link, at: now)
        pad(peer, of: link)
        if now >= links[link].allocateAt { allocate(for: peer, at: now) }
        // Never in the same millisecond again: what is due then has been done.
        linkTimers.set(Int(peer.index), to: max(links[link].nextDeadline, now + .milliseconds(1)))
    }

    /// Lets out what the pacer allows, retransmissions first.
    private mutating func release(_ peer: PeerID, of link: Int, at now: Instant) {
        while let first = paced.first(of: links[link].repairLine) {
            guard releases(first, .retransmission, of: link, at: now) else { return }
            paced.popFirst(of: &links[link].repairLine)
            sendWaiting(first, to: peer, at: now)
        }
        while let first = paced.first(of: links[link].line) {
            guard releases(first, .video, of: link, at: now) else { return }
            paced.popFirst(of: &links[link].line)
            sendWaiting(first, to: peer, at: now)
        }
    }

    /// Whether the packet waits no longer, since it may leave or is of no use any more.
    private mutating func releases(
        _ packet: WaitingPacket, _ kind: PacketKind, of link: Int, at now: Instant
    ) -> Bool {
        now - packet.queuedAt > Self.longestWait || !isCurrent(packet)
            || links[link].releases(kind, bytes: Int(packet.bytes))
    }

    private mutating func sendWaiting(_ packet: WaitingPacket, to peer: PeerID, at now: Instant) {
        let isWanted = now - packet.queuedAt <= Self.longestWait && isCurrent(packet)
        if !isWanted || !queue.append(packet.entry, to: peer) { counters.pacedDropped &+= 1 }
    }

    /// Whether the packet is still in its block, and its seat still shows its source.
    private func isCurrent(_ packet: WaitingPacket) -> Bool {
        // A seat that has gone was marked when it went.
        let seat = Int(packet.entry.seat.index)
        guard packet.entry.seat != .none, seats[seat].current == packet.encoding else { return false }
        let info = store[packet.entry.slot]
        return info.encoding == packet.encoding && info.extendedSequence == packet.extended
            && info.arrival == packet.arrival
    }

    // MARK: Probing

    /// Sends the padding that a probe wants.
    private mutating func pad(_ peer: PeerID, of link: Int) {
        guard let seat = links[link].padding?.seat, !links[link].isWaiting else { return }
        let bytes = Self.paddingLength + Self.usualHeader + Self.linkOverhead
        for _ in 0..<Self.paddingLimit {
            guard links[link].releases(.padding, bytes: bytes) else { return }
            let entry = EgressEntry.padding(on: seat, sequence: seats[Int(seat.index)].nextRTXSequence)
            guard queue.append(entry, to: peer) else { return }
            seats[Int(seat.index)].nextRTXSequence &+= 1
            counters.padding &+= 1
        }
    }

    /// Writes a packet of padding alone on a seat's retransmission stream.
    mutating func composePadding(
        _ entry: EgressEntry, at now: Instant, into bytes: inout MutableSpan<UInt8>
    ) -> ComposedPacket? {
        let seat = Int(entry.seat.index)
        let peer = seats[seat].peer
        guard let ssrc = seats[seat].rtxSSRC, let link = link(of: peer), let padding = links[link].padding
        else { return nil }
        let sequence = SequenceNumber(UInt16(truncatingIfNeeded: entry.rtxSequence))
        let fields = RTPFields(
            marker: false, payloadType: padding.payloadType, sequenceNumber: sequence,
            timestamp: seats[seat].rewriter.lastTimestamp, ssrc: ssrc)
        var headerLength = 0
        do throws(RTPError) {
            var writer = try RTPWriter(fields, into: &bytes)
            try appendOwnExtensions(seat, to: &writer, into: &bytes)
            headerLength = try writer.finish(&bytes)
        } catch {
            return nil
        }
        var packet = ComposedPacket(
            ssrc: ssrc, stream: seats[seat].rtxStream, sequence: sequence, headerLength: headerLength,
            prefixLength: 0, slot: .none, payloadOffset: 0, payloadLength: 0)
        packet.paddingLength = UInt8(Self.paddingLength)
        noteSent(headerLength + Self.paddingLength, entry, of: peer, at: now)
        return packet
    }
}

extension EgressEntry {
    /// A packet of padding alone, on a seat's retransmission stream.
    static func padding(on seat: SeatID, sequence: UInt16) -> EgressEntry {
        let numbers = RewrittenNumbers(
            extendedSequence: 0, timestamp: RTPTimestamp(0), pictureIDOffset: 0, tl0PictureIndexOffset: 0,
            keyIndexOffset: 0)
        return EgressEntry(slot: .none, seat: seat, numbers: numbers, rtxSequence: Int32(sequence))
    }
}
