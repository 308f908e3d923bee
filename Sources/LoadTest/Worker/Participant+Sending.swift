import EventLoop
import FixedCollections
import Transport
import Wire

/// Microphone, camera, and what is asked of them.
extension Participant {
    /// Everything is connected: media begins.
    func startMedia(_ shared: LoadShared, now: Instant) {
        nextReport = now + .milliseconds(200 + Int(random.unit() * 800))
        nextTick = now + .milliseconds(20)
        if transportCCID != 0, !seats.isEmpty { feedback = TransportFeedbackBuilder() }
        guard let offer else { return }
        let extensions = offer.extensions
        var mid = 0
        if let stream = offer.audio {
            let format = StreamFormat(
                payloadType: ClientOffer.audioType, clockRate: 48_000, mid: ShortID("\(mid)"),
                extensions: extensions)
            audioStream = OutgoingStream(
                ssrc: stream.ssrc, rtxSSRC: nil, format: format, isVideo: false, start: now, random: &random)
            audio = AudioSource(
                publication: UInt32(plan.number) << 3, bitsPerSecond: plan.media.audioBitsPerSecond,
                usesDTX: plan.media.usesDTX, start: now, seed: random.next())
            mid += 1
        }
        for (index, stream) in offer.video.enumerated() {
            startEncoding(index, stream, mid: mid, extensions, now: now)
        }
    }

    private func startEncoding(
        _ index: Int, _ stream: ClientOffer.Stream, mid: Int, _ extensions: HeaderExtensionMap, now: Instant
    ) {
        let format = StreamFormat(
            payloadType: ClientOffer.videoType, rtxPayloadType: ClientOffer.rtxType, clockRate: 90_000,
            mid: ShortID("\(mid)"),
            rid: plan.media.encodings > 1 ? ShortID(ClientOffer.rids[index]) : nil, extensions: extensions)
        videoStreams.append(
            OutgoingStream(
                ssrc: stream.ssrc, rtxSSRC: stream.rtxSSRC, format: format, isVideo: true, start: now,
                random: &random))
        let encoder = EncoderModel(
            bitsPerSecond: plan.media.bitsPerSecond(ofEncoding: index),
            framesPerSecond: plan.media.framesPerSecond, temporalLayers: plan.media.temporalLayers,
            seed: random.next())
        video.append(
            VideoSource(
                publication: UInt32(plan.number) << 3 | UInt32(1 + index), encoder: encoder,
                codec: plan.media.codec, spatialLayers: plan.media.spatialLayers, start: now,
                random: &random))
    }

    /// Sends what is due.
    func sendMedia(_ shared: LoadShared, now: Instant) {
        if let timestamp = audioStream?.timestamp(at: now),
            let packet = audio?.makePacket(
                now: now, timestamp: timestamp, isSpeaking: shared.conversation.isSpeaking(plan.number, now)),
            let numbered = audioStream?.number(packet)
        {
            queue(numbered, of: audioStream, shared, now: now)
            flush(shared)
        }
        for index in video.indices { sendFrame(index, shared, now: now) }
    }

    private func sendFrame(_ index: Int, _ shared: LoadShared, now: Instant) {
        guard now >= video[index].nextFrame else { return }
        let timestamp = videoStreams[index].timestamp(at: now)
        var packets: [SentPacket] = []
        _ = video[index].makeFrame(now: now, timestamp: timestamp) { packets.append($0) }
        shared.totals.framesSent += 1
        if packets.first?.stamp.isKey == true { shared.totals.keyFramesSent += 1 }
        for packet in packets {
            let numbered = videoStreams[index].number(packet)
            queue(numbered, of: videoStreams[index], shared, now: now)
        }
        flush(shared)
    }

    /// Seals a packet into the sender's room.
    private func queue(_ packet: SentPacket, of stream: OutgoingStream?, _ shared: LoadShared, now: Instant) {
        guard let stream else { return }
        if !shared.sender.hasRoom(for: 1_500, segmentSize: 1_500) { flush(shared) }
        do {
            let sealer = try sealer(of: stream.ssrc)
            var room = shared.sender.room()
            let written = try stream.write(
                packet, now: now, transportSequence: takeTransportSequence(), into: &room)
            let length = try seal(written, sealer, &room, shared)
            commit(length, shared, now: now)
            if packet.isVideo {
                shared.totals.sentVideo.packets += 1
                shared.totals.sentVideo.bytes += UInt64(written.total)
            } else {
                shared.totals.sentAudio.packets += 1
                shared.totals.sentAudio.bytes += UInt64(written.total)
            }
        } catch {
            shared.totals.droppedByClient += 1
        }
    }

    /// Encrypts what was written at the start of `room`; returns the length.
    private func seal(
        _ written: (header: Int, total: Int), _ sealer: SealerStream, _ room: inout MutableSpan<UInt8>,
        _ shared: LoadShared
    ) throws -> Int {
        let description = PacketToSeal(
            stream: sealer, headerLength: written.header, prefixLength: written.total - written.header)
        let empty = InlineArray<0, UInt8>(repeating: 0)
        let length = try transport?.sealRTP(
            description, payload: empty.span, into: &room, engine: &shared.engine)
        guard let length else { throw TransportError.noKeys }
        return length
    }

    private func sealer(of ssrc: SSRC) throws -> SealerStream {
        if let known = sealers[ssrc] { return known }
        guard let made = try transport?.registerStream(ssrc) else { throw TransportError.noKeys }
        sealers[ssrc] = made
        return made
    }

    private func takeTransportSequence() -> SequenceNumber? {
        guard transportCCID != 0 else { return nil }
        defer { transportSequence = transportSequence.advanced(by: 1) }
        return transportSequence
    }

    /// Sends again what the server misses.
    func resend(_ sequence: SequenceNumber, of ssrc: SSRC, _ shared: LoadShared, now: Instant) {
        guard let index = videoStreams.firstIndex(where: { $0.ssrc == ssrc }),
            let packet = videoStreams[index].sent(sequence), let rtx = videoStreams[index].rtxSSRC
        else { return }
        if !shared.sender.hasRoom(for: 1_500, segmentSize: 1_500) { flush(shared) }
        do {
            let sealer = try sealer(of: rtx)
            var room = shared.sender.room()
            guard
                let written = try videoStreams[index].writeRTX(
                    packet, now: now, transportSequence: takeTransportSequence(), into: &room)
            else { return }
            let length = try seal(written, sealer, &room, shared)
            commit(length, shared, now: now)
            shared.totals.retransmissionsSent += 1
        } catch {
            shared.totals.droppedByClient += 1
        }
    }

    /// The server wants a picture that can be decoded by itself.
    func makeKeyFrame(of ssrc: SSRC, _ shared: LoadShared, now: Instant) {
        shared.totals.keyFrameRequestsReceived += 1
        guard let index = videoStreams.firstIndex(where: { $0.ssrc == ssrc }) else { return }
        // A tenth for what may hold up the one before.
        if let last = keyFrameAskedAt[ssrc], now - last < .milliseconds(900) {
            shared.totals.earlyKeyFrameRequests += 1
        }
        keyFrameAskedAt[ssrc] = now
        video[index].requestKeyFrame()
    }
}

extension MediaPlan {
    /// What an encoding gets of the whole: all, or of simulcast about what browsers give (a layer has a quarter of the
    /// pixels of the next, and more than a quarter of its rate).
    func bitsPerSecond(ofEncoding index: Int) -> Int {
        switch (encodings, index) {
        case (2, 0): videoBitsPerSecond * 3 / 4
        case (2, _): videoBitsPerSecond / 4
        case (3, 0): videoBitsPerSecond * 68 / 100
        case (3, 1): videoBitsPerSecond * 25 / 100
        case (3, _): videoBitsPerSecond * 7 / 100
        default: videoBitsPerSecond
        }
    }
}
