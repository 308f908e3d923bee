import Forwarding
import Transport
import Wire

/// What the pool knows of a participant.
struct MediaMember {
    let session: MediaSessionID
    var worker: Int
    var permissions: MediaPermissions
    /// What the other workers were told last; nil without a connection.
    var original: MirroredConnection?
    /// What it shows and wants, as a viewer.
    var viewing = ViewerPreferences()
    /// Sources that are off.
    var off: Set<Source> = []
    /// The most that it may be sent.
    var receiveLimit: Bitrate?
    /// The most video that it is asked to send.
    var sendLimit: Bitrate?
    var negotiated: NegotiatedSession?
    var credentials: ICECredentials?
    var sections: MediaSections?
    /// What each sending m-line carries, as far as it was said or is published.
    var sources: [String: MediaSource] = [:]
    /// The id in the offer's o-line, which tells one peer connection from the next.
    var offerOrigin: UInt64?
    var isNegotiating = false
    var waiting: [CheckedContinuation<Void, Never>] = []

    /// Sources of which nothing is forwarded: those that are off, and those that it may not publish.
    var silent: Set<Source> {
        off.union(Source.allCases.filter { !permissions.publish.contains(MediaSource($0)) })
    }
}

extension MediaSections {
    /// What a worker needs of a negotiation. Seats that were there before keep their numbers.
    init(
        _ negotiated: NegotiatedSession, sources: [String: MediaSource], permissions: MediaPermissions,
        previous: MediaSections?, order: UInt64? = nil, using generator: inout some RandomNumberGenerator
    ) {
        localSSRC = previous?.localSSRC ?? SSRC(0)
        extensions = HeaderExtensionMap()
        formats = []
        publications = []
        seats = []
        var taken: Set<MediaSource> = []
        for media in negotiated.media {
            guard let mid = ShortID(media.mid) else { continue }
            switch media.role {
            case .publication(let offered):
                add(media)
                let source = Self.source(of: media, offered, named: sources[media.mid], taken: taken)
                taken.insert(source)
                var setup = Self.publication(mid, source.source, offered, media)
                let known = previous?.publications.first { $0.mid == mid && $0.source == setup.source }
                // What was allowed before stays, and is silent: its streams go on if it is allowed again.
                guard known != nil || permissions.publish.contains(source) else { continue }
                setup.order = known?.order ?? order
                publications.append(setup)
            case .seat(let seat):
                add(media)
                guard permissions.subscribe else { continue }
                var setup = previous?.seat(mid, seat) ?? Self.seat(mid, seat, media, using: &generator)
                setup.isActive = true
                seats.append(setup)
            case .inactive:
                // Its SSRC comes back with the m-line: no number of it may be used twice under one key.
                guard let held = media.heldSeat, var known = previous?.seat(mid, held) else { continue }
                known.isActive = false
                seats.append(known)
            case .rejected: continue
            }
        }
    }

    /// The seat of an earlier negotiation.
    private func seat(_ mid: ShortID, _ answered: AnsweredSeat) -> SeatSetup? {
        seats.first { $0.mid == mid && $0.ssrc == answered.ssrc }
    }

    /// Ids and payload types mean the same in all m-lines of a bundle (RFC 8843 sections 9.1 and 10).
    private mutating func add(_ media: NegotiatedMedia) {
        for mapping in media.extensions { _ = extensions.map(mapping.kind, to: mapping.id) }
        for format in media.formats {
            let known = PeerFormat(
                format: format.codec, payloadType: format.payloadType, rtxPayloadType: format.rtxPayloadType)
            if !formats.contains(known) { formats.append(known) }
        }
    }

    /// The source that an m-line carries: as named, else as its msid says, else by kind and order.
    private static func source(
        of media: NegotiatedMedia, _ offered: OfferedPublication, named: MediaSource?, taken: Set<MediaSource>
    ) -> MediaSource {
        let isVideo = media.kind == .video
        let named =
            named
            ?? offered.msid.flatMap { MediaSource(rawValue: $0.track) ?? MediaSource(rawValue: $0.stream) }
        if let named, named.source.isVideo == isVideo { return named }
        if isVideo { return taken.contains(.camera) ? .screen : .camera }
        return taken.contains(.microphone) ? .screenAudio : .microphone
    }

    private static func publication(
        _ mid: ShortID, _ source: Source, _ offered: OfferedPublication, _ media: NegotiatedMedia
    ) -> PublicationSetup {
        var feedback: FeedbackOptions = []
        for format in media.formats { feedback.formUnion(format.feedback) }
        return PublicationSetup(
            mid: mid, source: source, rids: offered.rids.compactMap { ShortID($0) },
            streams: offered.streams.map { PublicationSetup.Stream(ssrc: $0.ssrc, rtxSSRC: $0.rtxSSRC) },
            feedback: feedback)
    }

    private static func seat(
        _ mid: ShortID, _ seat: AnsweredSeat, _ media: NegotiatedMedia,
        using generator: inout some RandomNumberGenerator
    ) -> SeatSetup {
        var setup = SeatSetup(
            mid: mid, isVideo: media.kind == .video, ssrc: seat.ssrc, rtxSSRC: seat.rtxSSRC,
            firstSequence: .random(in: 0..<0x8000, using: &generator),
            firstRTXSequence: .random(in: 0..<0x8000, using: &generator))
        for format in media.formats { setup.feedback.formUnion(format.feedback) }
        return setup
    }
}
