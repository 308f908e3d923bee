import Testing

@testable import Wire

struct NegotiationTests {
    @Test(arguments: Offers.all)
    func `an answer is a valid description with an m-line for each offered one`(
        _ recorded: Offers.Named
    ) throws {
        let text = recorded.text
        let offer = try SessionDescription.parse(text)
        let session = try negotiate(text)
        let answer = try SessionDescription.parse(session.answer.write())
        #expect(answer == session.answer)
        #expect(answer.media.map(\.kind) == offer.media.map(\.kind))
        #expect(answer.media.map(\.mid) == offer.media.map(\.mid))
        #expect(answer.isICELite)
        #expect(answer.bundle == session.mids)
        for media in answer.media where !media.isRejected {
            #expect(media.hasRTCPMux)
            #expect(media.transport.setup == .passive)
            #expect(media.transport.iceUfrag == "srvu")
            #expect(media.transport.iceOptions.isEmpty)
            #expect(media.candidates.count == 2 && media.hasEndOfCandidates)
        }
    }

    @Test(arguments: Offers.seats)
    func `what is sent is a publication and what is received a seat`(_ recorded: Offers.Named) throws {
        let text = recorded.text
        let session = try negotiate(text)
        #expect(session.publications.count == 2)
        #expect(session.seats.map(\.stream) == [0, 1, 2, 3, 0, 1, 2].map { "seat-\($0)" })
        #expect(session.seats.map { $0.rtxSSRC != nil } == [false, false, false, false, true, true, true])
        let ssrcs = session.seats.map(\.ssrc) + session.seats.compactMap(\.rtxSSRC)
        #expect(Set(ssrcs).count == 10)
        let directions = session.answer.media.prefix(9).map(\.direction)
        #expect(directions == [.recvonly, .recvonly] + Array(repeating: .sendonly, count: 7))
        let video = session.answer.media[8]
        #expect(video.msids == [MSID(stream: "seat-2", track: "seat-2-video")])
        #expect(video.sources.map(\.cname) == ["rostrum", "rostrum"])
        #expect(video.sourceGroups.first?.ssrcs == video.sources.map(\.ssrc))
    }

    @Test
    func `a publication carries the streams that the offer declares`() throws {
        let chromium = try negotiate(Offers.chromiumSimulcast)
        #expect(chromium.publications[1].rids == ["r0", "r1", "r2"])
        #expect(chromium.publications[1].isSimulcast)
        #expect(chromium.publications[1].streams.isEmpty)
        let screen = OfferedPublication.Stream(ssrc: SSRC(1_710_945_939), rtxSSRC: SSRC(4_120_684_071))
        #expect(chromium.publications[3].streams == [screen])
        #expect(chromium.publications[3].msid?.stream == "d9e59136-5d26-412f-a0b2-f7be9b78d921")
        let firefox = try negotiate(Offers.firefoxSimulcast)
        #expect(
            firefox.publications[1].streams.map(\.ssrc.rawValue) == [235_968_007, 4_265_211_464, 140_488_089])
        #expect(
            firefox.publications[1].streams.map(\.rtxSSRC?.rawValue) == [
                2_391_153_709, 3_213_618_570, 46_594_213,
            ])
    }

    @Test(arguments: Offers.all.suffix(2))
    func `simulcast is answered by RID, as many encodings as are wanted`(_ recorded: Offers.Named) throws {
        let text = recorded.text
        let written = try negotiate(text).answer.write()
        #expect(written.contains("a=simulcast:recv r0;r1;r2\r\n"))
        #expect(written.contains("a=rid:r1 recv\r\n"))
        var local = LocalParameters.testing
        local.maxEncodings = 2
        #expect(try negotiate(text, local: local).answer.write().contains("a=simulcast:recv r0;r1\r\n"))
        local.videoExtensions.remove(.rid)
        #expect(try !negotiate(text, local: local).answer.write().contains("simulcast"))
    }

    @Test(arguments: Offers.seats)
    func `viewers are asked to report on their links only if somebody reads it`(
        _ recorded: Offers.Named
    ) throws {
        let asked = try negotiate(recorded.text)
        var local = LocalParameters.testing
        local.asksForLinkReports = false
        let unasked = try negotiate(recorded.text, local: local)
        let reports: FeedbackOptions = [.remb, .transportCC]
        #expect(asked.media.contains { $0.isSeat && !$0.formats[0].feedback.isDisjoint(with: reports) })
        for (before, after) in zip(asked.media, unasked.media) {
            guard before.isSeat else {
                #expect(before.formats == after.formats && before.extensions == after.extensions)
                continue
            }
            #expect(after.formats.map(\.feedback) == before.formats.map { $0.feedback.subtracting(reports) })
            #expect(after.extensions == before.extensions.filter { $0.kind != .transportCC })
            let section = unasked.answer.media[after.index]
            let lines = section.formats.flatMap(\.feedback).map(\.type)
            #expect(!lines.contains("transport-cc") && !lines.contains("goog-remb"))
            #expect(section.extensions.count == after.extensions.count)
        }
    }

    @Test
    func `data channels are refused with port 0 and leave their place`() throws {
        let session = try negotiate(Offers.chromiumSimulcast)
        #expect(session.media[6].role == .rejected)
        let section = try #require(session.answer.media.last)
        #expect(section.isRejected && section.otherFormats == ["webrtc-datachannel"])
        #expect(session.mids == ["0", "1", "2", "3", "4", "5"])
    }

    @Test
    func `seats beyond the limit are refused with port 0`() throws {
        var local = LocalParameters.testing
        local.maxAudioSeats = 2
        local.maxVideoSeats = 1
        let session = try negotiate(Offers.chromiumSeats, local: local)
        #expect(session.seats.map(\.stream) == ["seat-0", "seat-1", "seat-0"])
        #expect(session.mids == ["0", "1", "2", "3", "6"])
        #expect(
            session.answer.media.map(\.isRejected) == [
                false, false, false, false, true, true, false, true, true,
            ])
    }

    @Test
    func `an m-line offered sendrecv is a publication, an inactive one stays inactive`() throws {
        let both = try negotiate(SmallOffer.replacing("a=sendonly", with: "a=sendrecv").sdp)
        #expect(both.publications.count == 1 && both.answer.media[0].direction == .recvonly)
        let idle = try negotiate(SmallOffer.replacing("a=recvonly", with: "a=inactive").sdp)
        #expect(idle.media[1].role == .inactive && idle.answer.media[1].direction == .inactive)
        #expect(idle.mids == ["0", "1"])
    }

    @Test
    func `extensions keep the offerer's ids and flow in the direction of the media`() throws {
        let session = try negotiate(Offers.firefoxSimulcast)
        let audio = session.media[0].extensions
        #expect(audio.map(\.kind) == [.audioLevel, .mid, .transportCC])
        #expect(audio.map(\.id) == [1, 3, 7])
        let publication = session.media[1]
        #expect(!publication.extensions.map(\.kind).contains(.playoutDelay))
        #expect(publication.extensionMap.id(of: .rid) == 9)
        let answered = session.answer.media[1].extensions.first { $0.id == 9 }
        #expect(answered?.direction == .recvonly)
        let seat = session.media[3]
        #expect(seat.extensions.map(\.kind).contains(.playoutDelay))
        #expect(!seat.extensions.map(\.kind).contains(.rid))
    }

    @Test
    func `ids above 14 are taken only where both header forms may be mixed`() throws {
        let mid = HeaderExtensionKind.mid.uri.description
        let lines = SmallOffer.lines + ["a=extmap:16 \(mid)"]
        #expect(try negotiate(lines.sdp).media[1].extensions.isEmpty)
        let mixed = try negotiate((lines + ["a=extmap-allow-mixed"]).sdp)
        #expect(mixed.media[1].extensions == [NegotiatedExtension(id: 16, kind: .mid)])
        #expect(mixed.answer.media[1].allowsMixedExtensions)
    }

    @Test
    func `the bitrate limit is answered for published video`() throws {
        var local = LocalParameters.testing
        local.maxVideoBitrate = Bitrate(bitsPerSecond: 2_500_000)
        let session = try negotiate(Offers.chromiumSeats, local: local)
        let rates = session.answer.media.map(\.maxBitrate?.bitsPerSecond)
        #expect(rates == [nil, 2_500_000] + Array(repeating: nil, count: 7))
        let limited = try negotiate((SmallOffer.lines + ["b=TIAS:800000"]).sdp, local: local)
        #expect(limited.media[1].maxBitrate == Bitrate(bitsPerSecond: 800_000))
    }

    @Test
    func `the remote transport is the first accepted m-line's`() throws {
        let chromium = try negotiate(Offers.chromiumSimulcast)
        #expect(chromium.remoteUfrag == "Xd8t" && chromium.remotePwd == "Mfbl73IY10CD7wKmhgZnuwbm")
        let aiortc = try negotiate(Offers.aiortc)
        #expect(aiortc.remoteFingerprints.map(\.algorithm) == ["sha-256", "sha-384", "sha-512"])
    }
}
