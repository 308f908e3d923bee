import EventLoop
import FixedCollections
import Transport
import Wire

/// What comes from the server, and what is said about it.
extension Participant {
    func receiveMedia(_ bytes: inout MutableSpan<UInt8>, _ shared: LoadShared, now: Instant) {
        guard var header = try? RTPHeader(parsingHeaderOf: bytes.span) else { return }
        noteTransportSequence(header, bytes.span, now: now)
        guard let (index, isRTX) = seat(of: header.ssrc) else { return }
        count(bytes.count, isVideo: seats[index].isVideo, isRTX: isRTX, shared)
        var packet = SeatReceiver.Packet(
            sequence: header.sequenceNumber, timestamp: header.timestamp, marker: header.marker, content: nil,
            stamp: nil, isRetransmission: isRTX)
        if isRTX || seats[index].needsPayload || shared.takesSample() {
            guard let length = open(&bytes, shared) else { return }
            let opened = bytes.span.extracting(0..<length)
            guard (try? header.readPadding(in: opened)) != nil else { return }
            var payload = header.payloadRange
            if isRTX {
                // Padding is sent as retransmissions of nothing.
                guard payload.count > 2 else { return }
                packet.sequence = SequenceNumber(opened.loadUInt16(at: payload.lowerBound))
                payload = (payload.lowerBound + 2)..<payload.upperBound
            }
            read(opened.extracting(payload), isVideo: seats[index].isVideo, &packet)
        }
        if let stamp = packet.stamp, !seats[index].isVideo,
            shared.mutes.forbids(stamp.sender, madeAt: stamp.sentAt)
        {
            shared.totals.heardMuted += 1
        }
        if disturbance != nil { noteRecovery(shared, now: now) }
        let effect = seats[index].receive(packet, now: now, totals: &shared.totals)
        if let awaited, seats[index].shown == awaited.speaker {
            shared.totals.speakerSeen.record(now - awaited.since)
            self.awaited = nil
        }
        if effect.isFirst || effect.isFirstFrame || effect.shownAnew != nil {
            note(effect, isVideo: seats[index].isVideo, shared, now: now)
        }
        if !seats[index].sequence.missing.isEmpty { hastenTick(to: seats[index].sequence.nextDue) }
    }

    /// Opens a packet in place; nil, and counted, if it can't be opened or was before.
    private func open(_ bytes: inout MutableSpan<UInt8>, _ shared: LoadShared) -> Int? {
        do {
            return try transport?.openRTP(&bytes, length: bytes.count)
        } catch TransportError.srtp(.replayed) {
            shared.totals.duplicates += 1
        } catch {
            shared.totals.unopened += 1
        }
        return nil
    }

    private func read(_ payload: Span<UInt8>, isVideo: Bool, _ packet: inout SeatReceiver.Packet) {
        guard payload.count > 0 else {
            packet.content = .padding
            return
        }
        guard
            let offset = SentPacket.stampOffset(
                in: payload, codec: isVideo ? plan.media.codec : nil),
            let stamp = Stamp.read(payload, at: offset)
        else {
            packet.content = .media(startsFrame: false, isKey: false)
            return
        }
        packet.stamp = stamp
        packet.content = .media(startsFrame: stamp.packet == 0 && stamp.spatial == 0, isKey: stamp.isKey)
    }

    private func count(_ length: Int, isVideo: Bool, isRTX: Bool, _ shared: LoadShared) {
        if isRTX { shared.totals.retransmissionsReceived += 1 }
        if isVideo {
            if !isRTX { shared.totals.receivedVideo.packets += 1 }
            shared.totals.receivedVideo.bytes += UInt64(length)
        } else {
            shared.totals.receivedAudio.packets += 1
            shared.totals.receivedAudio.bytes += UInt64(length)
        }
    }

    private func noteTransportSequence(_ header: RTPHeader, _ bytes: Span<UInt8>, now: Instant) {
        guard transportCCID != 0 else { return }
        var elements = HeaderExtensions(of: header)
        while let element = elements.next(in: bytes) {
            guard element.id == transportCCID else { continue }
            if let number = element.transportSequenceNumber(in: bytes) { feedback?.record(number, at: now) }
            return
        }
    }

    /// The seat that receives an SSRC, and whether that is the one of its retransmissions.
    private func seat(of ssrc: SSRC) -> (Int, Bool)? {
        if lastSeat < seats.count, seats[lastSeat].ssrc == ssrc { return (lastSeat, false) }
        for index in seats.indices {
            if seats[index].ssrc == ssrc {
                lastSeat = index
                return (index, false)
            }
            if seats[index].rtxSSRC == ssrc { return (index, true) }
        }
        return nil
    }

    func receiveControl(_ bytes: inout MutableSpan<UInt8>, _ shared: LoadShared, now: Instant) {
        guard let length = try? transport?.openRTCP(&bytes, length: bytes.count) else {
            shared.totals.unopened += 1
            return
        }
        let opened = bytes.span.extracting(0..<length)
        var reader = RTCPReader()
        while let packet = try? reader.next(in: opened) {
            let message = opened.extracting(packet.range)
            switch packet.kind(in: opened) {
            case .senderReport:
                guard let report = try? SenderReport.parse(message) else { continue }
                for index in seats.indices where seats[index].ssrc == report.ssrc {
                    seats[index].take(report, now: now)
                }
            case .nack:
                guard var nack = try? Nack.parse(message) else { continue }
                shared.totals.nacksReceived += 1
                while let number = nack.next(in: message) { resend(number, of: nack.media, shared, now: now) }
                flush(shared)
            case .pictureLossIndication:
                guard let request = try? PictureLossIndication.parse(message) else { continue }
                makeKeyFrame(of: request.media, shared, now: now)
            default: break
            }
        }
    }

    // MARK: - Reports

    /// Everything that is said to the server by RTCP, in one packet.
    func tick(_ shared: LoadShared, now: Instant) {
        nextTick = now + .milliseconds(100)
        let reports = now >= nextReport
        if reports { nextReport = now + .milliseconds(900 + Int(random.unit() * 200)) }
        for index in seats.indices { seats[index].handleTimeout(now: now, totals: &shared.totals) }
        do {
            try sendReports(reports, shared, now: now)
            while try sendFeedback(shared, now: now) {}
        } catch {
            shared.totals.droppedByClient += 1
        }
        for seat in seats where !seat.sequence.missing.isEmpty { hastenTick(to: seat.sequence.nextDue) }
    }

    private func sendReports(_ reports: Bool, _ shared: LoadShared, now: Instant) throws {
        var bytes = InlineArray<1_500, UInt8>(repeating: 0)
        var room = bytes.mutableSpan
        var length = reports ? try writeReports(&room, shared, now: now) : 0
        length += try writeRequests(&room, at: length, shared, now: now)
        try sealControl(&room, length, shared, now: now)
    }

    /// Whether there was any.
    private func sendFeedback(_ shared: LoadShared, now: Instant) throws -> Bool {
        var bytes = InlineArray<1_500, UInt8>(repeating: 0)
        var room = bytes.mutableSpan
        let media = seats.first?.ssrc ?? SSRC(0)
        let length = try feedback?.write(sender: ownSSRC, media: media, into: &room, at: 0) ?? 0
        try sealControl(&room, length, shared, now: now)
        return length > 0
    }

    private func sealControl(
        _ room: inout MutableSpan<UInt8>, _ length: Int, _ shared: LoadShared, now: Instant
    ) throws {
        guard length > 0, let sealed = try transport?.sealRTCP(&room, length: length) else { return }
        send(room.span.extracting(0..<sealed), shared, now: now)
    }

    private var ownSSRC: SSRC {
        audioStream?.ssrc ?? videoStreams.first?.ssrc
            ?? SSRC(UInt32(truncatingIfNeeded: plan.number) | 1 << 31)
    }

    /// A sender report for each stream that sends, or one receiver report, and the canonical name.
    private func writeReports(
        _ bytes: inout MutableSpan<UInt8>, _ shared: LoadShared, now: Instant
    ) throws -> Int {
        var blocks: [ReportBlock] = []
        for index in seats.indices where blocks.count < 31 {
            guard let block = seats[index].report(now: now) else { continue }
            blocks.append(block)
            shared.totals.jitter.record(seats[index].currentJitter)
        }
        let time = NTPTime(sinceUnixEpoch: .nanoseconds(now.nanoseconds))
        var length = 0
        for stream in [audioStream].compactMap({ $0 }) + videoStreams where stream.packetCount > 0 {
            let report = SenderReport(
                ssrc: stream.ssrc, ntpTime: time, rtpTimestamp: stream.timestamp(at: now),
                packetCount: stream.packetCount, octetCount: stream.octetCount)
            length += try report.write(blocks: blocks.span, into: &bytes, at: length)
            blocks = []
        }
        if length == 0 {
            length = try ReceiverReport(ssrc: ownSSRC).write(blocks: blocks.span, into: &bytes, at: 0)
        }
        let name = Array(plan.uid.utf8.prefix(64))
        return length
            + (try SourceDescription.write(ssrc: ownSSRC, cname: name.span, into: &bytes, at: length))
    }

    /// NACKs and requests for key frames.
    private func writeRequests(
        _ bytes: inout MutableSpan<UInt8>, at start: Int, _ shared: LoadShared, now: Instant
    ) throws -> Int {
        var length = start
        for index in seats.indices {
            var missing: [SequenceNumber] = []
            seats[index].takeMissing(now: now, into: &missing)
            if !missing.isEmpty {
                length += try Nack.write(
                    sender: ownSSRC, media: seats[index].ssrc, missing.span, into: &bytes, at: length
                ).length
                shared.totals.nacksSent += 1
            }
            if seats[index].wantsKeyFrame {
                seats[index].wantsKeyFrame = false
                length += try PictureLossIndication(sender: ownSSRC, media: seats[index].ssrc)
                    .write(into: &bytes, at: length)
                shared.totals.keyFrameRequestsSent += 1
            }
        }
        return length - start
    }
}
