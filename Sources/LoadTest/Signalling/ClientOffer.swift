import FixedCollections
import Transport
import Wire

/// The offer of a synthetic participant: what it sends first, then its seats, as Chromium writes them.
struct ClientOffer {
    static let (audioType, videoType, rtxType) = (PayloadType(111), PayloadType(96), PayloadType(97))
    /// Simulcast encodings, the largest first as browsers list them.
    static let rids = ["f", "h", "q"]

    /// One encoding's SSRCs.
    struct Stream {
        var ssrc: SSRC
        var rtxSSRC: SSRC?
    }

    var credentials: RemoteICECredentials
    var fingerprint: CertificateFingerprint
    /// Unique: tells one connection from the next.
    var origin: UInt64
    var plan: ParticipantPlan
    var audio: Stream?
    /// One, or an encoding each.
    var video: [Stream] = []

    /// The ids that the offer gives, and the answer keeps.
    var extensions: HeaderExtensionMap {
        var map = HeaderExtensionMap()
        for (kind, id) in Self.identifiers where isOffered(kind) { _ = map.map(kind, to: id) }
        return map
    }

    private static let identifiers: [(HeaderExtensionKind, UInt8)] = [
        (.audioLevel, 1), (.absoluteSendTime, 2), (.transportCC, 3), (.mid, 4), (.rid, 10),
        (.repairedRID, 11),
    ]

    private func isOffered(_ kind: HeaderExtensionKind) -> Bool {
        kind != .transportCC || plan.media.usesTransportCC
    }

    var description: SessionDescription {
        var sections: [MediaDescription] = []
        if let audio { sections.append(sending(.audio, "microphone", [audio], mid: "\(sections.count)")) }
        if !video.isEmpty { sections.append(sending(.video, "camera", video, mid: "\(sections.count)")) }
        for _ in 0..<plan.audioSeats { sections.append(seat(.audio, mid: "\(sections.count)")) }
        for _ in 0..<plan.videoSeats { sections.append(seat(.video, mid: "\(sections.count)")) }
        var description = SessionDescription(
            origin: .init(sessionID: origin, version: 2), media: sections)
        description.groups = [.init(semantics: "BUNDLE", mids: sections.compactMap(\.mid))]
        description.allowsMixedExtensions = true
        description.streams = []
        return description
    }

    private func sending(
        _ kind: MediaDescription.Kind, _ track: String, _ streams: [Stream], mid: String
    ) -> MediaDescription {
        var section = base(kind, mid: mid)
        section.direction = .sendonly
        let msid = MSID(stream: "-", track: track)
        section.msids = [msid]
        guard streams.count == 1 else {
            section.rids = Self.rids.prefix(streams.count).map { RIDDescription(id: $0, direction: .send) }
            section.simulcast = Simulcast(send: section.rids.map { [.init(rid: $0.id)] })
            return section
        }
        for stream in streams {
            section.sources.append(SourceAttributes(ssrc: stream.ssrc, cname: plan.uid, msid: msid))
            guard let rtx = stream.rtxSSRC else { continue }
            section.sources.append(SourceAttributes(ssrc: rtx, cname: plan.uid, msid: msid))
            section.sourceGroups.append(SourceGroup(semantics: "FID", ssrcs: [stream.ssrc, rtx]))
        }
        return section
    }

    /// The answer to a server that offers: everything that it sends is taken, as it offers it. `nil` if it can't be read.
    func answer(to text: String) -> String? {
        guard var description = try? SessionDescription.parse(text) else { return nil }
        description.origin = .init(sessionID: origin, version: 2)
        for index in description.media.indices {
            description.media[index].direction = .recvonly
            description.media[index].sources = []
            description.media[index].sourceGroups = []
            description.media[index].msids = []
            description.media[index].candidates = []
            description.media[index].transport = transport(as: .active)
        }
        description.transport = .init()
        return description.write()
    }

    private func transport(as setup: DTLSSetup) -> TransportAttributes {
        var transport = TransportAttributes()
        transport.iceUfrag = credentials.ufrag
        transport.icePwd = credentials.password
        transport.fingerprints = [Fingerprint(algorithm: "sha-256", bytes: fingerprint.digest)]
        transport.setup = setup
        return transport
    }

    private func seat(_ kind: MediaDescription.Kind, mid: String) -> MediaDescription {
        var section = base(kind, mid: mid)
        section.direction = .recvonly
        return section
    }

    private func base(_ kind: MediaDescription.Kind, mid: String) -> MediaDescription {
        var section = MediaDescription(kind: kind, mid: mid)
        section.transport = transport(as: .actpass)
        section.hasRTCPMux = true
        section.hasReducedSizeRTCP = true
        section.formats =
            kind == .audio
            ? [opus] : plan.media.usesRTX ? [video(plan.media.codec), rtx] : [video(plan.media.codec)]
        for (extensionKind, id) in Self.identifiers where isOffered(extensionKind) {
            let isVideoOnly = extensionKind == .rid || extensionKind == .repairedRID
            guard kind == .audio ? !isVideoOnly : extensionKind != .audioLevel else { continue }
            section.extensions.append(ExtensionMapping(id: UInt16(id), uri: extensionKind.uri.description))
        }
        return section
    }

    private var opus: MediaFormat {
        var format = MediaFormat(payloadType: Self.audioType, name: "opus", clockRate: 48_000, channels: 2)
        format.parameters = FormatParameters([
            .init(name: "minptime", value: "10"), .init(name: "useinbandfec", value: "1"),
        ])
        if plan.media.usesTransportCC { format.feedback = [RTCPFeedback(type: "transport-cc")] }
        return format
    }

    private func video(_ codec: VideoCodec) -> MediaFormat {
        var format = MediaFormat(payloadType: Self.videoType, name: codec.rawValue, clockRate: 90_000)
        if !codec.parameters.isEmpty { format.parameters = FormatParameters(codec.parameters) }
        format.feedback = [
            RTCPFeedback(type: "ccm", parameter: "fir"), RTCPFeedback(type: "nack", parameter: "pli"),
        ]
        if plan.media.usesRTX { format.feedback.append(RTCPFeedback(type: "nack")) }
        if plan.media.usesTransportCC { format.feedback.append(RTCPFeedback(type: "transport-cc")) }
        return format
    }

    private var rtx: MediaFormat {
        var format = MediaFormat(payloadType: Self.rtxType, name: "rtx", clockRate: 90_000)
        format.parameters = FormatParameters([.init(name: "apt", value: "96")])
        return format
    }
}
