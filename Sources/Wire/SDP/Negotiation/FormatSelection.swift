/// What is kept of an offered m-section: formats, header extensions, simulcast encodings.
struct FormatSelection {
    let media: MediaDescription
    let local: LocalParameters
    let allowsMixedExtensions: Bool
    /// Payload types of retransmissions by the `apt` they repair.
    private let retransmissions: [String: PayloadType]

    init(offer: SessionDescription, media: MediaDescription, local: LocalParameters) {
        self.media = media
        self.local = local
        self.allowsMixedExtensions = offer.allowsMixedExtensions || media.allowsMixedExtensions
        var retransmissions: [String: PayloadType] = [:]
        for format in media.formats where format.isNamed("rtx") {
            if let apt = format.parameters["apt"], retransmissions[apt] == nil {
                retransmissions[apt] = format.payloadType
            }
        }
        self.retransmissions = retransmissions
    }

    /// The formats that are supported: for a publication in the offerer's order, so that its preference wins, for a
    /// seat in the server's. RED comes after the Opus that it carries.
    func formats(forSeat: Bool) -> [NegotiatedFormat] {
        let offered = media.formats.compactMap(negotiated)
        let opus = offered.filter { $0.codec.codec == .opus }
        if media.kind == .audio {
            return opus + offered.filter { $0.codec.codec == .red && isRedundancy($0.payloadType, of: opus) }
        }
        guard forSeat else { return offered }
        return local.codecs.flatMap { codec in offered.filter { $0.codec.codec == codec } }
    }

    private func negotiated(_ format: MediaFormat) -> NegotiatedFormat? {
        guard let codec = CodecFormat(format, kind: media.kind), local.codecs.contains(codec.codec) else {
            return nil
        }
        return NegotiatedFormat(
            codec: codec, payloadType: format.payloadType,
            rtxPayloadType: retransmissions[String(format.payloadType.rawValue)], clockRate: format.clockRate,
            channels: format.channels,
            feedback: FeedbackOptions(offered: format.feedback + media.wildcardFeedback))
    }

    /// Whether every block of a RED format is one of these: `111/111` (RFC 2198 section 5).
    private func isRedundancy(_ payloadType: PayloadType, of primaries: [NegotiatedFormat]) -> Bool {
        guard let blocks = media.format(payloadType)?.parameters.list.first, blocks.value == nil else {
            return false
        }
        let known = primaries.map { String($0.payloadType.rawValue) }
        return blocks.name.split(separator: "/").allSatisfy { known.contains(String($0)) }
    }

    /// The extensions that are supported and may flow in the direction of the media, with the offerer's ids.
    func extensions(session: [ExtensionMapping]) -> [NegotiatedExtension] {
        let supported = media.kind == .audio ? local.audioExtensions : local.videoExtensions
        var map = HeaderExtensionMap()
        var result: [NegotiatedExtension] = []
        for mapping in media.extensions + session where flows(mapping) {
            guard let kind = HeaderExtensionKind(uri: mapping.uri), supported.contains(kind),
                let id = UInt8(exactly: mapping.id), id <= 14 || allowsMixedExtensions, map.map(kind, to: id)
            else { continue }
            result.append(NegotiatedExtension(id: id, kind: kind))
        }
        return result
    }

    private func flows(_ mapping: ExtensionMapping) -> Bool {
        switch (mapping.direction ?? .sendrecv, media.direction) {
        case (.inactive, _): false
        case (.sendonly, .recvonly), (.recvonly, .sendonly), (.recvonly, .sendrecv): false
        default: true
        }
    }

    func publication(extensions: [NegotiatedExtension]) -> OfferedPublication {
        let kinds = extensions.map(\.kind)
        let rids = kinds.contains(.rid) && kinds.contains(.mid) ? offeredRIDs() : []
        return OfferedPublication(
            msid: media.msids.first ?? media.sources.lazy.compactMap(\.msid).first, streams: streams(),
            rids: rids,
            isSimulcast: !rids.isEmpty && media.simulcast?.send.isEmpty == false)
    }

    /// The first alternative of each simulcast stream, or the RIDs by themselves if there is no simulcast.
    private func offeredRIDs() -> [String] {
        let known = Set(media.rids.filter { $0.direction == .send }.map(\.id))
        let wanted = media.simulcast?.send.compactMap { $0.first?.rid } ?? media.rids.map(\.id)
        var seen: Set<String> = []
        return Array(
            wanted.filter { known.contains($0) && seen.insert($0).inserted }.prefix(local.maxEncodings))
    }

    /// The declared primary streams: those of a SIM group in its order, else all that repair no other stream.
    private func streams() -> [OfferedPublication.Stream] {
        var retransmissions: [SSRC: SSRC] = [:]
        var secondary: Set<SSRC> = []
        for group in media.sourceGroups where group.semantics == "FID" || group.semantics == "FEC-FR" {
            guard group.ssrcs.count == 2, group.ssrcs[0] != group.ssrcs[1] else { continue }
            secondary.insert(group.ssrcs[1])
            if group.semantics == "FID" { retransmissions[group.ssrcs[0]] = group.ssrcs[1] }
        }
        let simulcast = media.sourceGroups.first { $0.semantics == "SIM" }?.ssrcs
        let primaries = (simulcast ?? media.sources.map(\.ssrc)).lazy.filter { !secondary.contains($0) }
        return primaries.prefix(local.maxEncodings).map {
            OfferedPublication.Stream(ssrc: $0, rtxSSRC: retransmissions[$0])
        }
    }
}
