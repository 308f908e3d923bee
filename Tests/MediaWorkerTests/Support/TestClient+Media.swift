import MediaWorker
import Wire

/// A packet as it came through a seat.
struct ReceivedPacket {
    var sequence: UInt16
    var payload: [UInt8]
    var padding: Int
    var bytesOnWire: Int
}

/// What a client has sent and received.
struct ClientMedia {
    struct Outgoing {
        var sequence: UInt16
        var timestamp: UInt32
    }

    var outgoing: [UInt32: Outgoing] = [:]
    /// What packets of the microphone say of their level (RFC 6464).
    var level: UInt8 = 20
    var received: [SSRC: [ReceivedPacket]] = [:]
    /// Packets that didn't open.
    var unreadable = 0
    var controlPackets = 0
    /// Key frames asked for.
    var refreshes = 0
}

extension TestClient {
    /// The SSRC under which a source is sent.
    func ssrc(of source: MediaSource) -> UInt32? {
        for section in offer.sections {
            if case .source(source, let ssrc) = section.content { return ssrc }
        }
        return nil
    }

    /// Seals the next packet of a source.
    func packet(
        _ source: MediaSource, _ payload: [UInt8], marker: Bool = true, ssrc other: UInt32? = nil
    ) throws -> [UInt8] {
        guard let ssrc = other ?? ssrc(of: source) else { return [] }
        let header = try header(source, marker: marker, ssrc: ssrc)
        return try keys?.seal(header, payload, ssrc: SSRC(ssrc)) ?? []
    }

    /// The next packet of a source as it is before it is sealed.
    func plainPacket(_ source: MediaSource, _ payload: [UInt8]) throws -> [UInt8] {
        guard let ssrc = ssrc(of: source) else { return [] }
        return try header(source, marker: true, ssrc: ssrc) + payload
    }

    private func header(_ source: MediaSource, marker: Bool, ssrc: UInt32) throws -> [UInt8] {
        guard let section = offer.sections.first(where: { $0.content.source == source }),
            let mid = ShortID(section.mid)
        else { return [] }
        var stream = media.outgoing[ssrc] ?? ClientMedia.Outgoing(sequence: 100, timestamp: 5_000)
        let type = section.isVideo ? TestOffer.videoType : TestOffer.audioType
        let fields = RTPFields(
            marker: marker, payloadType: PayloadType(type), sequenceNumber: SequenceNumber(stream.sequence),
            timestamp: RTPTimestamp(stream.timestamp), ssrc: SSRC(ssrc))
        stream.sequence &+= 1
        if marker { stream.timestamp &+= section.isVideo ? 3_000 : 960 }
        media.outgoing[ssrc] = stream
        var header = [UInt8](repeating: 0, count: 64)
        var span = header.mutableSpan
        var writer = try RTPWriter(fields, into: &span)
        try writer.append(id: TestOffer.midID, mid, to: &span)
        if !section.isVideo {
            try writer.append(id: TestOffer.levelID, AudioLevel(level: media.level, isVoice: true), to: &span)
        }
        return Array(header[..<(try writer.finish(&span))])
    }

    func send(_ source: MediaSource, _ payload: [UInt8], marker: Bool = true) throws {
        socket.send(try packet(source, payload, marker: marker))
    }

    /// Sends a numbered packet of the microphone or the camera.
    func send(_ source: MediaSource, number: Int) throws {
        let isVideo = source == .camera || source == .screen
        try send(source, isVideo ? TestPayload.video(number) : TestPayload.audio(number))
    }

    /// Uses a source's sequence numbers again from the start, under the same keys.
    func startAgain(_ source: MediaSource) throws {
        if let ssrc = ssrc(of: source) { media.outgoing[ssrc] = nil }
        keys = try ClientKeys(dtls)
    }

    /// What came through the seat with this mid.
    func packets(_ mid: String) -> [ReceivedPacket] {
        seatSSRCs[mid].flatMap { media.received[$0] } ?? []
    }

    /// The numbers that came through a seat, in order of arrival; −1 for payloads that aren't what was sent.
    func numbers(_ mid: String) -> [Int] {
        let isVideo = offer.sections.first { $0.mid == mid }?.isVideo ?? false
        return packets(mid).map { TestPayload.number(of: $0.payload, isVideo: isVideo) ?? -1 }
    }

    /// Whether a seat's sequence numbers follow each other without gap or repetition.
    func isContinuous(_ mid: String) -> Bool {
        let sequences = packets(mid).map(\.sequence)
        return zip(sequences, sequences.dropFirst()).allSatisfy { $1 == $0 &+ 1 }
    }

    /// The mids of the seats of a kind.
    func seats(_ kind: MediaKind) -> [String] {
        offer.sections.filter { $0.content == .seat(kind) }.map(\.mid)
    }

    func takeMedia(_ bytes: [UInt8]) {
        do {
            if RTPHeader.isRTCP(bytes.span) {
                try takeControl(bytes)
            } else {
                try takePacket(bytes)
            }
        } catch {
            media.unreadable += 1
        }
    }

    private func takePacket(_ bytes: [UInt8]) throws {
        guard let packet = try keys?.open(bytes) else { return }
        let header = try RTPHeader.parse(packet.span)
        media.received[header.ssrc, default: []].append(
            ReceivedPacket(
                sequence: header.sequenceNumber.rawValue, payload: Array(packet[header.payloadRange]),
                padding: header.paddingLength, bytesOnWire: bytes.count))
    }

    private func takeControl(_ bytes: [UInt8]) throws {
        guard let packet = try keys?.openControl(bytes) else { return }
        media.controlPackets += 1
        var offset = 0
        while offset + 4 <= packet.count {
            if packet[offset] & 0x1f == 1, packet[offset + 1] == 206 { media.refreshes += 1 }
            offset += 4 * (1 + Int(packet[offset + 2]) << 8 + Int(packet[offset + 3]))
        }
    }
}

extension TestOffer.Section.Content {
    var source: MediaSource? {
        if case .source(let source, _) = self { return source }
        return nil
    }
}
