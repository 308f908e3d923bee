/// Writes down as a description what has been decided.
struct AnswerWriter {
    let offer: SessionDescription
    let media: [NegotiatedMedia]
    let local: LocalParameters
    let origin: SessionDescription.Origin

    func write() -> SessionDescription {
        var answer = SessionDescription(origin: origin)
        let accepted = Set(media.filter { $0.role != .rejected }.map(\.mid))
        let bundle = offer.bundle.map { $0.filter(accepted.contains) }
        if let bundle { answer.groups = [.init(semantics: "BUNDLE", mids: bundle)] }
        answer.isICELite = true
        answer.allowsMixedExtensions = offer.allowsMixedExtensions
        answer.streams = ["*"]
        for negotiated in media {
            answer.media.append(section(for: negotiated))
        }
        return answer
    }

    private func section(for negotiated: NegotiatedMedia) -> MediaDescription {
        let offered = offer.media[negotiated.index]
        var section = MediaDescription(
            kind: offered.kind, port: 0, proto: offered.proto, mid: offered.mid)
        // aiortc wants these in m-sections that are rejected too.
        section.hasRTCPMux = offered.hasRTCPMux || negotiated.role != .rejected
        section.transport.iceUfrag = local.iceUfrag
        section.transport.icePwd = local.icePwd
        section.transport.fingerprints = [Fingerprint(algorithm: "sha-256", bytes: local.fingerprint)]
        section.transport.setup = .passive
        guard negotiated.role != .rejected else {
            section.direction = .inactive
            section.otherFormats = offered.otherFormats
            section.formats = offered.formats.prefix(1).map { MediaFormat(payloadType: $0.payloadType) }
            return section
        }
        section.port = 9
        // The first of a bundle would do (RFC 9143 section 7.1.3), but aiortc takes those of the last.
        section.candidates = local.candidates
        section.hasEndOfCandidates = true
        section.hasReducedSizeRTCP = offered.hasReducedSizeRTCP
        section.allowsMixedExtensions = offered.allowsMixedExtensions
        section.formats = negotiated.formats.flatMap { formats(for: $0, in: offered) }
        section.extensions = negotiated.extensions.map { mapping in
            let line = (offered.extensions + offer.extensions).first { $0.id == UInt16(mapping.id) }
            return ExtensionMapping(
                id: UInt16(mapping.id), direction: line?.direction?.reversed,
                uri: mapping.kind.uri.description)
        }
        switch negotiated.role {
        case .publication(let publication): write(publication, of: negotiated, to: &section)
        case .seat(let seat): write(seat, to: &section)
        case .inactive, .rejected: section.direction = .inactive
        }
        return section
    }

    /// The format as offered, with the feedback that is used, and its retransmissions.
    private func formats(for negotiated: NegotiatedFormat, in offered: MediaDescription) -> [MediaFormat] {
        var result: [MediaFormat] = []
        if var format = offered.format(negotiated.payloadType) {
            format.feedback = negotiated.feedback.lines
            result.append(format)
        }
        if let payloadType = negotiated.rtxPayloadType, var format = offered.format(payloadType) {
            format.feedback = []
            result.append(format)
        }
        return result
    }

    private func write(
        _ publication: OfferedPublication, of negotiated: NegotiatedMedia, to section: inout MediaDescription
    ) {
        section.direction = .recvonly
        section.maxBitrate = negotiated.maxBitrate
        let offered = offer.media[negotiated.index]
        let payloadTypes = Set(section.formats.map(\.payloadType))
        for id in publication.rids {
            guard var rid = offered.rids.first(where: { $0.id == id && $0.direction == .send }) else {
                continue
            }
            rid.direction = .recv
            rid.payloadTypes.removeAll { !payloadTypes.contains($0) }
            section.rids.append(rid)
        }
        if publication.isSimulcast {
            section.simulcast = Simulcast(recv: publication.rids.map { [Simulcast.Alternative(rid: $0)] })
        }
    }

    private func write(_ seat: AnsweredSeat, to section: inout MediaDescription) {
        section.direction = .sendonly
        let msid = MSID(stream: seat.stream, track: seat.track)
        section.msids = [msid]
        section.sources = [SourceAttributes(ssrc: seat.ssrc, cname: local.cname, msid: msid)]
        guard let rtx = seat.rtxSSRC else { return }
        section.sources.append(SourceAttributes(ssrc: rtx, cname: local.cname, msid: msid))
        section.sourceGroups = [SourceGroup(semantics: "FID", ssrcs: [seat.ssrc, rtx])]
    }
}
