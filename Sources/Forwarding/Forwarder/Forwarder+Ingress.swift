public import FixedCollections
public import Wire

/// What to do with a packet, judged by its plain header.
public enum Admission: Sendable, BitwiseCopyable {
    /// Open it into a block and hand it to `receive`.
    case open
    /// Nobody wants it: it need not be opened.
    case drop
}

extension Forwarder {
    /// Judges a packet by its header, before it is decrypted.
    ///
    /// What is known and not wanted stops here; it is still reported to its sender as received. Now and then one packet
    /// of it is opened all the same, so that SRTP's rollover counter keeps up. An SSRC that is unknown
    /// is let through only if its mid names a publication of the peer and the peer has a stream left: who it is, is
    /// decided after the packet has been authenticated.
    public mutating func admit(
        _ header: RTPHeader, packet: Span<UInt8>, from peer: PeerID, at now: Instant
    ) -> Admission {
        counters.received &+= 1
        guard packet.count <= PacketStore.largestPacket else {
            counters.malformed &+= 1
            return .drop
        }
        guard let identity = knownIdentity(of: header.ssrc, from: peer) else {
            return admitUnknown(header, packet: packet, from: peer)
        }
        let encoding = Int(identity.encoding.index)
        let publication = Int(encodings[encoding].publication.index)
        let isLive = publications[publication].isLive
        guard
            !isLive
                || !isWorthOpening(header, packet: packet, of: identity.encoding, from: peer)
        else { return .open }
        let number = transportSequence(of: header, in: packet, from: peer)
        counters.notForwarded &+= 1
        // The numbers of what is on are counted from what was opened: closer together.
        let distance = isLive ? SequenceExtender.largestJump / 2 : 4_096
        guard !keepsRollover(header, encoding, isRTX: identity.isRTX, distance) else { return .open }
        if isLive { leaveUnread(identity.encoding, at: now) }
        noteArrival(number, header.ssrc, from: peer, at: now)
        return .drop
    }

    /// Whether an unwanted packet is opened all the same: one in thousands, so that SRTP's count of the number's turns
    /// stays right for when the stream is wanted again (RFC 3711 section 3.3.1).
    private mutating func keepsRollover(
        _ header: RTPHeader, _ encoding: Int, isRTX: Bool, _ distance: Int
    ) -> Bool {
        let last = isRTX ? encodings[encoding].lastAdmittedRTX : encodings[encoding].lastAdmitted
        guard abs(header.sequenceNumber.distance(from: last)) >= distance else { return false }
        if isRTX {
            encodings[encoding].lastAdmittedRTX = header.sequenceNumber
        } else {
            encodings[encoding].lastAdmitted = header.sequenceNumber
        }
        return true
    }

    /// Takes in a packet that was opened into a block of the store: counts it, keeps it and queues it for every seat
    /// that watches it.
    ///
    /// - Parameter length: bytes of the packet, without the authentication tag.
    /// - Returns: the workers that get it too, if there are any. Its bytes stay in the block until the turn ends.
    @discardableResult
    public mutating func receive(
        _ slot: PacketSlot, length: Int, from peer: PeerID, at now: Instant
    ) -> Relay? {
        let kept: Bool
        var relay: Relay?
        acceptedEncoding = .none
        turnTime = now
        do throws(RTPError) {
            let header = try RTPHeader.parse(store.bytes(of: slot).extracting(0..<length))
            let number = transportSequence(of: header, in: store.bytes(of: slot), from: peer)
            noteArrival(number, header.ssrc, from: peer, at: now)
            kept = take(slot, header, from: peer, at: now)
            relay = self.relay(of: acceptedEncoding, header.ssrc)
        } catch {
            counters.malformed &+= 1
            kept = false
        }
        if !kept { store.release(slot) }
        return relay
    }

    // MARK: Taking a packet in

    /// The packet's transport-wide number, if the peer counts its packets.
    private func transportSequence(
        of header: RTPHeader, in packet: Span<UInt8>, from peer: PeerID
    ) -> SequenceNumber? {
        guard peers[Int(peer.index)].hasTransportCC else { return nil }
        let id = peers[Int(peer.index)].extensions.id(of: .transportCC)
        guard id != 0 else { return nil }
        var elements = HeaderExtensions(of: header)
        while let element = elements.next(in: packet) {
            if element.id == id { return element.transportSequenceNumber(in: packet) }
        }
        return nil
    }

    private mutating func noteArrival(
        _ number: SequenceNumber?, _ ssrc: SSRC, from peer: PeerID, at now: Instant
    ) {
        guard let number else { return }
        let index = Int(peer.index)
        peers[index].arrivals.record(number, at: now)
        peers[index].lastMediaSSRC = ssrc
        if peers[index].feedbackDeadline == .distantFuture {
            peers[index].feedbackDeadline = now + .milliseconds(50)
            hasten(peer, to: peers[index].feedbackDeadline)
        }
    }

    /// - Returns: whether the block was kept.
    mutating func take(
        _ slot: PacketSlot, _ header: RTPHeader, from peer: PeerID, at now: Instant
    ) -> Bool {
        guard let identity = identity(of: header, slot, from: peer, at: now),
            let format = peers[Int(peer.index)].payloadTypes.format(of: header.payloadType)
        else {
            counters.unknownStream &+= 1
            return false
        }
        let publication = Int(encodings[Int(identity.encoding.index)].publication.index)
        // `admit` has counted those that aren't wanted.
        guard publications[publication].isLive else { return false }
        guard identity.isRTX == format.isRTX,
            format.codec.isVideo == encodings[Int(identity.encoding.index)].isVideo
        else {
            counters.malformed &+= 1
            return false
        }
        var info = PacketInfo()
        info.encoding = identity.encoding
        info.timestamp = header.timestamp
        info.arrival = now
        info.marker = header.marker
        info.format = format.format
        info.codec = format.codec
        info.payloadOffset = UInt16(truncatingIfNeeded: header.payloadOffset)
        info.payloadLength = UInt16(truncatingIfNeeded: header.payloadLength)
        var sequence = header.sequenceNumber
        if identity.isRTX {
            encodings[Int(identity.encoding.index)].lastRepair = now
            // A retransmission without payload is a probe for bandwidth (RFC 4588 section 4: two bytes of number first).
            guard header.payloadLength > 2 else { return false }
            sequence = SequenceNumber(store.bytes(of: slot).loadUInt16(at: header.payloadOffset))
            info.payloadOffset += 2
            info.payloadLength -= 2
        }
        info.extensions = passedExtensions(of: header, slot, info.codec.isVideo, from: peer)
        info.isHeard =
            identity.isRTX ? publications[publication].isForwarded : noteLevel(of: info, slot, at: now)
        return place(slot, info, sequence: sequence, isRepair: identity.isRTX, at: now)
    }

    /// What viewers get as it was written; what can't be right isn't passed on.
    private func passedExtensions(
        of header: RTPHeader, _ slot: PacketSlot, _ isVideo: Bool, from peer: PeerID
    ) -> PassedExtensions {
        var passed = PassedExtensions()
        let packet = store.bytes(of: slot)
        var elements = HeaderExtensions(of: header)
        while let element = elements.next(in: packet) {
            guard let kind = peers[Int(peer.index)].extensions.kind(of: element.id), kind.isPassedOn,
                kind.concerns(isVideo: isVideo), kind.isLength(element.length)
            else { continue }
            passed.append(kind, offset: element.offset, length: element.length)
        }
        return passed
    }

    /// Gives the packet its place in its stream.
    private mutating func place(
        _ slot: PacketSlot, _ packet: PacketInfo, sequence: SequenceNumber, isRepair: Bool, at now: Instant
    ) -> Bool {
        var info = packet
        let encoding = Int(info.encoding.index)
        var restarted = false
        switch encodings[encoding].extender.place(sequence, isRepair: isRepair) {
        case .newest(let extended, let missing):
            info.extendedSequence = extended
            let unread = passOverUnread(missing, in: info.encoding)
            info.followsOn = unread == 0
            noteNewest(extended, missing: unread, in: info.encoding, at: now)
        case .older(let extended):
            info.extendedSequence = extended
            guard encodings[encoding].cache.hasRoom(for: extended), encodings[encoding].cache[extended] == nil
            else {
                counters.duplicates &+= 1
                return false
            }
        case .restarted(let extended):
            info.extendedSequence = extended
            restarted = true
            encodings[encoding].losses?.removeAll()
            encodings[encoding].cache.removeAll(in: &store)
            encodings[encoding].layers.startOver()
            restart(info.encoding, at: now)
        case .stale:
            counters.duplicates &+= 1
            return false
        }
        if isRepair {
            if !isMirror(encodings[encoding].peer) { counters.recovered &+= 1 }
        } else {
            encodings[encoding].statistics.record(
                extended: info.extendedSequence, timestamp: info.timestamp, length: Int(info.payloadLength),
                at: now,
                restarted: restarted)
        }
        encodings[encoding].losses?.remove(info.extendedSequence)
        return keep(slot, &info, at: now)
    }

    private mutating func keep(_ slot: PacketSlot, _ info: inout PacketInfo, at now: Instant) -> Bool {
        let encoding = Int(info.encoding.index)
        acceptedEncoding = info.encoding
        let wasActive = encodings[encoding].isActive(at: now)
        encodings[encoding].lastArrival = now
        guard info.payloadLength > 0 else {
            leaveOut(info)
            return false
        }
        guard info.isHeard else {
            leaveOut(info)
            encodings[encoding].isInterrupted = true
            return false
        }
        do throws(CodecError) {
            try encodings[encoding].layers.read(&info, slot, in: store)
        } catch {
            counters.malformed &+= 1
            leaveOut(info)
            return false
        }
        store[slot] = info
        encodings[encoding].cache.insert(slot, extended: info.extendedSequence, in: &store, at: now)
        if info.isEntryPoint, info.codec.isVideo { noteKeyFrame(info, at: now) }
        if encodings[encoding].isInterrupted { resume(with: info) }
        fanOut(slot, info, at: now)
        // After that: a seat that begins from the cache gets this packet from there.
        if !wasActive { noteAppearance(of: encodings[encoding].publication, at: now) }
        return true
    }

    /// Notes what is missing before the newest packet, and what it shows to be lost.
    private mutating func noteNewest(
        _ extended: Int64, missing: Int, in encoding: EncodingID, at now: Instant
    ) {
        let index = Int(encoding.index)
        guard encodings[index].losses != nil else { return }
        if missing > 0 {
            let fits = encodings[index].losses?.noteGap(before: extended, missing: missing, at: now) ?? true
            if !fits { encodings[index].keyframes.want() }
            let due = fits ? now + LossList.patience : encodings[index].keyframes.deadline
            hasten(encodings[index].peer, to: due)
        }
        if encodings[index].losses?.isOvertaken(by: extended) == true {
            hasten(encodings[index].peer, to: now)
        }
    }

    private mutating func noteKeyFrame(_ info: PacketInfo, at now: Instant) {
        let encoding = Int(info.encoding.index)
        if let previous = encodings[encoding].keyFrame, previous.extended > info.extendedSequence { return }
        encodings[encoding].keyFrame = (info.extendedSequence, now)
        encodings[encoding].keyframes.keyFrameArrived()
    }

    /// The sender started over: seats go on at its next entry point.
    private mutating func restart(_ encoding: EncodingID, at now: Instant) {
        var number = encodings[Int(encoding.index)].watchers.count - 1
        while number >= 0 {
            let seat = Int(encodings[Int(encoding.index)].watchers[number].index)
            if seats[seat].current == encoding {
                seats[seat].current = .none
                if seats[seat].target == .none {
                    seats[seat].target = encoding
                } else {
                    // It waits for another one already.
                    encodings[Int(encoding.index)].watchers.swapRemove(at: number)
                }
            }
            number -= 1
        }
        if encodings[Int(encoding.index)].isVideo { wantKeyFrame(of: encoding) }
    }

    private mutating func leaveOut(_ info: PacketInfo) {
        let encoding = Int(info.encoding.index)
        for number in 0..<encodings[encoding].watchers.count {
            let seat = Int(encodings[encoding].watchers[number].index)
            if seats[seat].current == info.encoding { seats[seat].rewriter.leaveOut(info) }
        }
    }

    /// Queues the packet for every seat that watches its encoding.
    private mutating func fanOut(_ slot: PacketSlot, _ info: PacketInfo, at now: Instant) {
        let encoding = Int(info.encoding.index)
        // Backwards, since a seat that begins here stays in the list, and one that ends elsewhere leaves it.
        var number = encodings[encoding].watchers.count - 1
        while number >= 0 {
            let seat = encodings[encoding].watchers[number]
            if seats[Int(seat.index)].current == info.encoding {
                if now >= seats[Int(seat.index)].switchDeadline, isOutstayed(seat) {
                    seats[Int(seat.index)].current = .none
                    encodings[encoding].watchers.swapRemove(at: number)
                } else {
                    enqueue(slot, info, to: seat)
                }
            } else if seats[Int(seat.index)].target == info.encoding, info.isEntryPoint {
                begin(seat, with: slot, at: now)
            }
            number -= 1
        }
    }

    /// Whether the seat shows somebody whom it was taken from.
    private func isOutstayed(_ seat: SeatID) -> Bool {
        let current = seats[Int(seat.index)].current
        return encodings[Int(current.index)].publication != seats[Int(seat.index)].occupant
    }

    /// - Parameter info: what is known of the packet in the slot.
    mutating func enqueue(_ slot: PacketSlot, _ info: borrowing PacketInfo, to seat: SeatID) {
        let index = Int(seat.index)
        let peer = seats[index].peer
        // A viewer that can't decode this format doesn't get it, and its numbers don't move.
        guard peers[Int(peer.index)].payloadTypes.payloadType(of: info.format) != nil else {
            seats[index].rewriter.leaveOut(info)
            return
        }
        if seats[index].isVideo, info.frame.isFrameStart {
            let isKeyFrame = info.frame.isKeyFrame
            if isKeyFrame || !seats[index].selector.isSettled { chooseLayers(of: seat, at: info) }
        }
        guard let numbers = seats[index].rewriter.rewrite(info) else { return }
        let entry = EgressEntry(slot: slot, seat: seat, numbers: numbers, rtxSequence: -1)
        if send(entry, to: peer) {
            counters.forwarded &+= 1
        } else {
            counters.turnFull &+= 1
        }
    }
}
