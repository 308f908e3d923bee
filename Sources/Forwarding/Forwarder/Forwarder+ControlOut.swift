public import FixedCollections
import Wire

extension Forwarder {
    /// No RTCP datagram is longer.
    public static var largestControlDatagram: Int { 1_200 }

    /// Writes the next RTCP datagram that is due into `bytes`, which has 1,200 bytes and is not yet protected.
    ///
    /// Call it until it returns `nil`, after each turn and at `nextDeadline`.
    public mutating func pollControl(
        at now: Instant, into bytes: inout MutableSpan<UInt8>
    ) -> (peer: PeerID, length: Int)? {
        updateLinks(at: now)
        while let index = timers.popExpired(now: now) {
            let peer = PeerID(index)
            // The caller's buffer may be longer, for what protection adds.
            var datagram = bytes._mutatingExtracting(0..<min(Self.largestControlDatagram, bytes.count))
            let length = writeControl(for: peer, at: now, into: &datagram)
            schedule(peer)
            if length > 0 { return (peer, length) }
        }
        return nil
    }

    /// When the peer's RTCP is due.
    func controlDeadline(of peer: PeerID) -> Instant {
        let index = Int(peer.index)
        var deadline = min(peers[index].reportDeadline, peers[index].feedbackDeadline)
        if peers[index].reportCursor >= 0 { return .zero }
        for number in 0..<peers[index].publications.count {
            let publication = Int(peers[index].publications[number].index)
            for position in 0..<publications[publication].encodings.count {
                let encoding = Int(publications[publication].encodings[position].index)
                deadline = min(deadline, feedbackDeadline(of: encoding, in: publication))
            }
        }
        return deadline
    }

    private func feedbackDeadline(of encoding: Int, in publication: Int) -> Instant {
        // A mirror asks by name, also before the first packet has told the SSRC.
        guard encodings[encoding].ssrc.rawValue != 0 || isMirror(encodings[encoding].peer),
            publications[publication].isLive
        else { return .distantFuture }
        var deadline = Instant.distantFuture
        let canRefresh = !publications[publication].feedback.isDisjoint(with: [.pli, .fir])
        if canRefresh { deadline = min(deadline, encodings[encoding].keyframes.deadline) }
        let roundTrip = peers[Int(encodings[encoding].peer.index)].roundTrip
        let losses = encodings[encoding].losses?.nextDeadline(
            highest: encodings[encoding].extender.highest, roundTrip: roundTrip)
        return min(deadline, losses ?? .distantFuture)
    }

    private mutating func writeControl(
        for peer: PeerID, at now: Instant, into bytes: inout MutableSpan<UInt8>
    ) -> Int {
        if isMirror(peer) {
            measureMirror(peer, at: now)
            requestKeyFrames(of: peer, at: now)
            return 0
        }
        do throws(RTCPError) {
            var length = try writeReports(for: peer, at: now, into: &bytes)
            let header = length
            if length == 0 {
                length = try ReceiverReport(ssrc: peers[Int(peer.index)].localSSRC).write(
                    blocks: Span<ReportBlock>(), into: &bytes, at: 0)
            }
            let start = length
            length = try writeLossAndRefresh(for: peer, at: now, into: &bytes, from: length)
            length = try writeTransportFeedback(for: peer, at: now, into: &bytes, from: length)
            return header == 0 && length == start ? 0 : length
        } catch {
            preconditionFailure("RTCP outgrew its datagram")
        }
    }

    // MARK: Reports

    /// Once a second: what is received from the peer, then a sender report a seat, over as many datagrams as it takes.
    private mutating func writeReports(
        for peer: PeerID, at now: Instant, into bytes: inout MutableSpan<UInt8>
    ) throws(RTCPError) -> Int {
        let index = Int(peer.index)
        if peers[index].reportCursor < 0 {
            guard now >= peers[index].reportDeadline else { return 0 }
            peers[index].reportDeadline = now + .seconds(1)
            peers[index].reportCursor = 0
            expireSwitches(of: peer, at: now)
            reviewDemand(of: peer, at: now)
            reviewQuality(of: peer, at: now)
            let length = try writeReceiverReport(for: peer, at: now, into: &bytes)
            return try writeSenderReports(for: peer, at: now, into: &bytes, from: length)
        }
        return try writeSenderReports(for: peer, at: now, into: &bytes, from: 0)
    }

    private mutating func writeReceiverReport(
        for peer: PeerID, at now: Instant, into bytes: inout MutableSpan<UInt8>
    ) throws(RTCPError) -> Int {
        let index = Int(peer.index)
        var blocks = InlineArray<16, ReportBlock>(repeating: ReportBlock(ssrc: SSRC(0)))
        var count = 0
        for number in 0..<peers[index].publications.count {
            let publication = peers[index].publications[number]
            for position in 0..<publications[Int(publication.index)].encodings.count where count < 16 {
                let encoding = publications[Int(publication.index)].encodings[position]
                measure(encoding, at: now)
                guard encodings[Int(encoding.index)].statistics.packets > 0 else { continue }
                blocks[count] = reportBlock(of: encoding, at: now)
                count += 1
            }
            aimSeats(of: publication, at: now)
        }
        let local = peers[index].localSSRC
        var length = try ReceiverReport(ssrc: local).write(
            blocks: blocks.span.extracting(0..<count), into: &bytes, at: 0)
        if let reference = peers[index].receiverReference {
            peers[index].receiverReference = nil
            let delays: InlineArray<1, ReceiverDelay> = [
                ReceiverDelay(
                    ssrc: reference.sender, lastReceiverReport: reference.middle,
                    delay: NTPTime.compact(now - reference.at))
            ]
            length += try ExtendedReport.write(sender: local, delays: delays.span, into: &bytes, at: length)
        }
        return length
    }

    /// Reports may follow each other closely; a rate is measured over half a second at least.
    mutating func measure(_ encoding: EncodingID, at now: Instant) {
        let index = Int(encoding.index)
        let elapsed = (now - encodings[index].measuredAt).wholeMilliseconds
        guard elapsed >= 500 else { return }
        let bytes = encodings[index].statistics.bytes
        let bits = Int(bytes - encodings[index].bytesMeasured) * 8
        let bitrate = bits * 1_000 / Int(elapsed)
        encodings[index].bitrate = Bitrate(bitsPerSecond: bitrate)
        encodings[index].usual.add(
            Bitrate(bitsPerSecond: bitrate), isGoingOn: encodings[index].isGoingOn(at: now))
        encodings[index].bytesMeasured = bytes
        encodings[index].measuredAt = now
    }

    private mutating func reportBlock(of encoding: EncodingID, at now: Instant) -> ReportBlock {
        let index = Int(encoding.index)
        var block = ReportBlock(ssrc: encodings[index].ssrc)
        let interval = encodings[index].statistics.takeInterval()
        measureUp(encoding, interval)
        block.fractionLost = interval.fractionLost
        block.cumulativeLost = Int32(encodings[index].statistics.cumulativeLost)
        block.highestSequenceNumber = encodings[index].statistics.highestSequence
        block.jitter = encodings[index].statistics.jitter
        if let updatedAt = encodings[index].clock.updatedAt {
            block.lastSenderReport = encodings[index].clock.lastReport
            block.delaySinceLastSenderReport = NTPTime.compact(now - updatedAt)
        }
        return block
    }

    private mutating func writeSenderReports(
        for peer: PeerID, at now: Instant, into bytes: inout MutableSpan<UInt8>, from start: Int
    ) throws(RTCPError) -> Int {
        let index = Int(peer.index)
        var length = start
        while peers[index].reportCursor < peers[index].seats.count {
            // A report and its CNAME take 48 bytes; the rest of the datagram is for feedback.
            guard length < 700 else { return length }
            let seat = peers[index].seats[peers[index].reportCursor]
            peers[index].reportCursor += 1
            length += try writeSenderReport(for: seat, at: now, into: &bytes, at: length)
        }
        peers[index].reportCursor = -1
        return length
    }

    /// The seat's report, in the occupant's own clock (RFC 3550 section 6.4.1); nothing before the occupant's first.
    private mutating func writeSenderReport(
        for seat: SeatID, at now: Instant, into bytes: inout MutableSpan<UInt8>, at offset: Int
    ) throws(RTCPError) -> Int {
        let index = Int(seat.index)
        seats[index].sent.measure(at: now)
        let encoding = seats[index].current
        guard encoding != .none,
            let reading = encodings[Int(encoding.index)].clock.reading(
                at: now, clockRate: encodings[Int(encoding.index)].clockRate),
            let timestamp = seats[index].rewriter.timestamp(for: reading.timestamp, of: encoding)
        else { return 0 }
        let report = SenderReport(
            ssrc: seats[index].ssrc, ntpTime: reading.ntp, rtpTimestamp: timestamp,
            packetCount: seats[index].sent.packets, octetCount: seats[index].sent.octets)
        seats[index].sent.noteReport(reading.ntp.middle, at: now)
        let length = try report.write(blocks: Span<ReportBlock>(), into: &bytes, at: offset)
        let cname = Self.cname
        return length
            + (try SourceDescription.write(
                ssrc: seats[index].ssrc, cname: cname.span, into: &bytes, at: offset + length))
    }

    /// "rostrum", the CNAME of all seats.
    private static var cname: InlineArray<7, UInt8> { [0x72, 0x6f, 0x73, 0x74, 0x72, 0x75, 0x6d] }

    /// A picture whose successor hasn't come within a second gives way.
    private mutating func expireSwitches(of peer: PeerID, at now: Instant) {
        for number in 0..<peers[Int(peer.index)].seats.count {
            let seat = peers[Int(peer.index)].seats[number]
            let index = Int(seat.index)
            guard now >= seats[index].switchDeadline, seats[index].current != .none else { continue }
            let current = seats[index].current
            guard encodings[Int(current.index)].publication != seats[index].occupant else { continue }
            encodings[Int(current.index)].watchers.remove(seat)
            seats[index].current = .none
        }
    }

    // MARK: Feedback

    private mutating func writeLossAndRefresh(
        for peer: PeerID, at now: Instant, into bytes: inout MutableSpan<UInt8>, from start: Int
    ) throws(RTCPError) -> Int {
        var length = start
        for number in 0..<peers[Int(peer.index)].publications.count {
            let publication = peers[Int(peer.index)].publications[number]
            guard publications[Int(publication.index)].isLive else { continue }
            for position in 0..<publications[Int(publication.index)].encodings.count where length < 1_000 {
                let encoding = publications[Int(publication.index)].encodings[position]
                guard encodings[Int(encoding.index)].ssrc.rawValue != 0 else { continue }
                length += try writeNack(for: encoding, at: now, into: &bytes, at: length)
                length += try writeRefresh(for: encoding, at: now, into: &bytes, at: length)
            }
        }
        return length
    }

    private mutating func writeNack(
        for encoding: EncodingID, at now: Instant, into bytes: inout MutableSpan<UInt8>, at offset: Int
    ) throws(RTCPError) -> Int {
        let index = Int(encoding.index)
        guard encodings[index].losses != nil else { return 0 }
        // 32 numbers fit in 140 bytes, however they lie.
        var numbers = InlineArray<32, SequenceNumber>(repeating: SequenceNumber(0))
        var count = 0
        let highest = encodings[index].extender.highest
        let roundTrip = peers[Int(encodings[index].peer.index)].roundTrip
        let gaveUp = encodings[index].losses?.takeDue(highest: highest, roundTrip: roundTrip, at: now) {
            number in
            guard count < 32 else { return false }
            numbers[count] = SequenceNumber(UInt16(truncatingIfNeeded: number))
            count += 1
            return true
        }
        if gaveUp == true, encodings[index].watchers.count > 0 { encodings[index].keyframes.want() }
        guard count > 0 else { return 0 }
        counters.nacksSent &+= 1
        let written = try Nack.write(
            sender: peers[Int(encodings[index].peer.index)].localSSRC, media: encodings[index].ssrc,
            numbers.span.extracting(0..<count), into: &bytes, at: offset)
        return written.length
    }

    private mutating func writeRefresh(
        for encoding: EncodingID, at now: Instant, into bytes: inout MutableSpan<UInt8>, at offset: Int
    ) throws(RTCPError) -> Int {
        let index = Int(encoding.index)
        let feedback = publications[Int(encodings[index].publication.index)].feedback
        guard !feedback.isDisjoint(with: [.pli, .fir]), encodings[index].keyframes.takeRequest(at: now) else {
            return 0
        }
        counters.keyFrameRequests &+= 1
        let local = peers[Int(encodings[index].peer.index)].localSSRC
        if feedback.contains(.pli) {
            return try PictureLossIndication(sender: local, media: encodings[index].ssrc).write(
                into: &bytes, at: offset)
        }
        encodings[index].firSequence &+= 1
        let entries: InlineArray<1, FullIntraRequest.Entry> = [
            FullIntraRequest.Entry(ssrc: encodings[index].ssrc, sequenceNumber: encodings[index].firSequence)
        ]
        return try FullIntraRequest.write(sender: local, entries.span, into: &bytes, at: offset)
    }

    private mutating func writeTransportFeedback(
        for peer: PeerID, at now: Instant, into bytes: inout MutableSpan<UInt8>, from start: Int
    ) throws(RTCPError) -> Int {
        let index = Int(peer.index)
        guard now >= peers[index].feedbackDeadline else { return start }
        // What doesn't fit behind the rest goes into the next datagram, which is due at once.
        guard start < 900 else { return start }
        let length = try peers[index].arrivals.write(
            sender: peers[index].localSSRC, media: peers[index].lastMediaSSRC, into: &bytes, at: start)
        peers[index].feedbackDeadline = peers[index].arrivals.isPending ? now : .distantFuture
        return start + length
    }
}
