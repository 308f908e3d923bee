/// Decides m-line by m-line what each is, and gives seats their numbers and SSRCs.
struct SeatPlanner {
    private let offer: SessionDescription
    private let previous: NegotiatedSession?
    private let local: LocalParameters
    private let bundled: Set<String>?
    private var usedSSRCs: Set<SSRC> = []
    private var audio: NumberPool
    private var video: NumberPool

    init(offer: SessionDescription, previous: NegotiatedSession?, local: LocalParameters) {
        self.offer = offer
        self.previous = previous
        self.local = local
        bundled = offer.bundle.map(Set.init)
        audio = NumberPool(limit: local.maxAudioSeats)
        video = NumberPool(limit: local.maxVideoSeats)
        for media in offer.media { usedSSRCs.formUnion(media.sources.map(\.ssrc)) }
        for index in offer.media.indices {
            guard let seat = heldSeat(index), !offer.media[index].isRejected else { continue }
            usedSSRCs.insert(seat.ssrc)
            if let rtx = seat.rtxSSRC { usedSSRCs.insert(rtx) }
            if offer.media[index].kind == .audio { audio.take(seat.number) } else { video.take(seat.number) }
        }
    }

    /// The seat that the m-line was before, if it is still the same m-line.
    private func heldSeat(_ index: Int) -> AnsweredSeat? {
        guard let previous, index < previous.media.count, previous.media[index].mid == offer.media[index].mid
        else { return nil }
        return previous.media[index].heldSeat
    }

    mutating func negotiate<Generator: RandomNumberGenerator>(
        _ index: Int, using generator: inout Generator
    ) throws(NegotiationError) -> NegotiatedMedia {
        let media = offer.media[index]
        guard !media.isRejected, media.kind == .audio || media.kind == .video else { return rejected(index) }
        let mid = try checkTransport(media)
        let selection = FormatSelection(offer: offer, media: media, local: local)
        let formats = selection.formats(forSeat: media.direction == .recvonly)
        if formats.isEmpty {
            guard media.direction == .inactive else {
                throw .codecUnsupported(mid: mid, line: media.line.number)
            }
            return rejected(index)
        }
        var result = NegotiatedMedia(
            index: index, mid: mid, kind: media.kind, role: .inactive, formats: formats,
            extensions: selection.extensions(session: offer.extensions), maxBitrate: nil,
            heldSeat: heldSeat(index))
        switch media.direction {
        case .sendonly, .sendrecv:
            result.role = .publication(selection.publication(extensions: result.extensions))
            result.maxBitrate = media.kind == .video ? local.maxVideoBitrate : nil
        case .recvonly:
            guard let seat = seat(for: result, using: &generator) else { return rejected(index) }
            result.role = .seat(seat)
            result.heldSeat = seat
            result.maxBitrate = media.maxBitrate
            if !local.asksForLinkReports { result.dropLinkReports() }
        case .inactive:
            break
        }
        return result
    }

    private func rejected(_ index: Int) -> NegotiatedMedia {
        let media = offer.media[index]
        return NegotiatedMedia(
            index: index, mid: media.mid ?? "", kind: media.kind, role: .rejected, formats: [],
            extensions: [],
            maxBitrate: nil, heldSeat: nil)
    }

    /// The mid of an m-line that can be in the bundle.
    private func checkTransport(_ media: MediaDescription) throws(NegotiationError) -> String {
        let line = media.line.number
        guard media.proto.utf8.suffix(13).elementsEqual("TLS/RTP/SAVPF".utf8) || media.proto == "RTP/SAVPF"
        else {
            throw .invalidOffer(line: line, reason: .unsupportedProtocol)
        }
        guard let mid = media.mid else { throw .invalidOffer(line: line, reason: .missingMID) }
        guard bundled?.contains(mid) ?? (offer.media.count == 1) else {
            throw .invalidOffer(line: line, reason: .notBundled)
        }
        guard media.hasRTCPMux || media.isBundleOnly else {
            throw .invalidOffer(line: line, reason: .missingRTCPMux)
        }
        return mid
    }

    /// The m-line's seat: the one it had, or the lowest free number. Nil if all are taken.
    private mutating func seat<Generator: RandomNumberGenerator>(
        for media: NegotiatedMedia, using generator: inout Generator
    ) -> AnsweredSeat? {
        let isAudio = media.kind == .audio
        var seat: AnsweredSeat
        if let held = media.heldSeat {
            seat = held
        } else {
            guard let number = isAudio ? audio.next() : video.next() else { return nil }
            seat = AnsweredSeat(
                number: number, ssrc: freshSSRC(&generator), rtxSSRC: nil, stream: "seat-\(number)",
                track: "seat-\(number)-\(media.kind.name)")
        }
        if !isAudio, seat.rtxSSRC == nil, media.formats.contains(where: { $0.rtxPayloadType != nil }) {
            seat.rtxSSRC = freshSSRC(&generator)
        }
        return seat
    }

    private mutating func freshSSRC<Generator: RandomNumberGenerator>(_ generator: inout Generator) -> SSRC {
        var ssrc = SSRC(generator.next())
        // Counting on, not drawing again: it ends with any generator.
        while ssrc.rawValue == 0 || !usedSSRCs.insert(ssrc).inserted { ssrc.rawValue &+= 1 }
        return ssrc
    }
}

/// The numbers of one kind's seats.
private struct NumberPool {
    private let limit: Int
    private var taken: Set<Int> = []
    private var candidate = 0

    init(limit: Int) {
        self.limit = limit
    }

    mutating func take(_ number: Int) {
        taken.insert(number)
    }

    /// The lowest number that is free; nil if as many as the limit are taken.
    mutating func next() -> Int? {
        guard taken.count < limit else { return nil }
        while !taken.insert(candidate).inserted { candidate += 1 }
        return candidate
    }
}
