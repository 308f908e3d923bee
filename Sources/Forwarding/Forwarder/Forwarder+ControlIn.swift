public import FixedCollections
import Wire

extension Forwarder {
    /// Takes in an opened RTCP datagram of a peer, compound or reduced-size. What is malformed is counted and ends the
    /// reading; what came before it holds.
    public mutating func receiveControl(_ datagram: Span<UInt8>, from peer: PeerID, at now: Instant) {
        turnTime = now
        peers[Int(peer.index)].meter.heardAt = now
        var reader = RTCPReader()
        do throws(RTCPError) {
            while let packet = try reader.next(in: datagram) {
                let bytes = datagram.extracting(packet.range)
                try receive(packet.kind(in: datagram), bytes, from: peer, at: now)
            }
        } catch {
            counters.malformed &+= 1
        }
    }

    private mutating func receive(
        _ kind: RTCPMessageKind, _ bytes: Span<UInt8>, from peer: PeerID, at now: Instant
    ) throws(RTCPError) {
        switch kind {
        case .senderReport:
            let report = try SenderReport.parse(bytes)
            if let encoding = mediaEncoding(report.ssrc, of: peer) {
                encodings[Int(encoding.index)].clock.update(
                    ntp: report.ntpTime, timestamp: report.rtpTimestamp, at: now)
            }
            receive(report.blocks, in: bytes, from: peer, at: now)
        case .receiverReport:
            let report = try ReceiverReport.parse(bytes)
            receive(report.blocks, in: bytes, from: peer, at: now)
        case .nack:
            try receiveNack(bytes, from: peer, at: now)
        case .pictureLossIndication:
            let indication = try PictureLossIndication.parse(bytes)
            refresh(indication.media, of: peer)
        case .fullIntraRequest:
            let request = try FullIntraRequest.parse(bytes)
            for index in 0..<request.count { refresh(request.entry(index, in: bytes).ssrc, of: peer) }
        case .extendedReport:
            try receiveExtended(bytes, from: peer, at: now)
        case .transportFeedback, .receiverEstimate:
            try receiveLinkReport(kind, bytes, from: peer, at: now)
        default:
            break
        }
    }

    private func mediaEncoding(_ ssrc: SSRC, of peer: PeerID) -> EncodingID? {
        guard let identity = knownIdentity(of: ssrc, from: peer), !identity.isRTX else { return nil }
        return identity.encoding
    }

    private func seat(_ ssrc: SSRC, of peer: PeerID) -> SeatID? {
        for number in 0..<peers[Int(peer.index)].seats.count {
            let seat = peers[Int(peer.index)].seats[number]
            if seats[Int(seat.index)].ssrc == ssrc { return seat }
        }
        return nil
    }

    private mutating func receive(
        _ blocks: ReportBlocks, in packet: Span<UInt8>, from peer: PeerID, at now: Instant
    ) {
        for index in 0..<blocks.count { receive(blocks.block(index, in: packet), from: peer, at: now) }
    }

    private mutating func receive(_ block: ReportBlock, from peer: PeerID, at now: Instant) {
        guard let seat = seat(block.ssrc, of: peer) else { return }
        noteRoundTrip(block, on: seat, of: peer, at: now)
        noteReport(block, of: seat, at: now)
    }

    private mutating func noteRoundTrip(
        _ block: ReportBlock, on seat: SeatID, of peer: PeerID, at now: Instant
    ) {
        guard block.lastSenderReport != 0,
            let report = seats[Int(seat.index)].sent.answer(to: block.lastSenderReport)
        else { return }
        let delay = NTPTime.duration(compact: block.delaySinceLastSenderReport)
        let roundTrip = max(.zero, now - report.sentAt - delay)
        guard roundTrip < .seconds(10) else { return }
        // Smoothed as TCP does it (RFC 6298): one late report shall not stop retransmissions.
        let previous = peers[Int(peer.index)].roundTrip
        peers[Int(peer.index)].roundTrip = (previous * 7 + roundTrip) / 8
        noteRoundTrip(report.isFirst ? roundTrip : nil, of: peer, at: now)
        // What is asked for again after a round trip may be due earlier now.
        if roundTrip < previous { hasten(peer, to: now) }
    }

    private mutating func refresh(_ ssrc: SSRC, of peer: PeerID) {
        guard let seat = seat(ssrc, of: peer) else { return }
        let current = seats[Int(seat.index)].current
        if current != .none { wantKeyFrame(of: current) }
    }

    private mutating func receiveExtended(
        _ bytes: Span<UInt8>, from peer: PeerID, at now: Instant
    ) throws(RTCPError) {
        var report = try ExtendedReport.parse(bytes)
        while let block = try report.next(in: bytes) {
            guard let time = block.referenceTime(in: bytes) else { continue }
            peers[Int(peer.index)].receiverReference = (time.middle, now, report.sender)
        }
    }

    // MARK: Retransmission

    private mutating func receiveNack(
        _ bytes: Span<UInt8>, from peer: PeerID, at now: Instant
    ) throws(RTCPError) {
        var nack = try Nack.parse(bytes)
        counters.nacksReceived &+= 1
        guard let seat = seat(nack.media, of: peer), seats[Int(seat.index)].rtxSSRC != nil else { return }
        while let sequence = nack.next(in: bytes) {
            retransmit(sequence, to: seat, at: now)
        }
    }

    /// Sends a packet again under the seat's retransmission stream (RFC 4588), if it is still in the cache and its
    /// source may still be seen.
    private mutating func retransmit(_ sequence: SequenceNumber, to seat: SeatID, at now: Instant) {
        let index = Int(seat.index)
        let peer = seats[index].peer
        guard let source = seats[index].rewriter.source(ofOutgoing: sequence), source.encoding != .none,
            isShown(source.encoding, in: seat),
            let slot = encodings[Int(source.encoding.index)].cache[source.extended],
            let numbers = seats[index].rewriter.numbers(ofSent: store[slot], out: source.out),
            peers[Int(peer.index)].payloadTypes.rtxPayloadType(of: store[slot].format) != nil
        else { return }
        let roundTrip = max(peers[Int(peer.index)].roundTrip, .milliseconds(10))
        guard seats[index].repeats.allow(source.out, roundTrip: roundTrip, at: now),
            affordsRepair(slot, to: peer, at: now)
        else { return }
        let entry = EgressEntry(
            slot: slot, seat: seat, numbers: numbers, rtxSequence: Int32(seats[index].nextRTXSequence))
        guard send(entry, to: peer) else { return }
        seats[index].nextRTXSequence &+= 1
        counters.retransmitted &+= 1
    }
}
