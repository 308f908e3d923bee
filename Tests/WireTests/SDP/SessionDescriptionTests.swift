import Testing

@testable import Wire

struct SessionDescriptionTests {
    @Test(arguments: Offers.all)
    func `what real clients offer survives writing and parsing`(_ recorded: Offers.Named) throws {
        let text = recorded.text
        let offer = try SessionDescription.parse(text)
        let written = offer.write()
        #expect(try SessionDescription.parse(written) == offer)
        #expect(try SessionDescription.parse(written).write() == written)
        #expect(written.utf8.count { $0 == 0x0a } == written.utf8.count { $0 == 0x0d })
    }

    @Test(arguments: Offers.all)
    func `CRLF and LF mean the same`(_ recorded: Offers.Named) throws {
        let text = recorded.text
        let crlf = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
        #expect(try SessionDescription.parse(crlf) == SessionDescription.parse(text))
    }

    @Test
    func `Chromium's simulcast offer is read in all its parts`() throws {
        let offer = try SessionDescription.parse(Offers.chromiumSimulcast)
        #expect(offer.bundle == ["0", "1", "2", "3", "4", "5", "6"])
        #expect(offer.allowsMixedExtensions)
        #expect(offer.media.map(\.kind) == [.audio, .video, .audio, .video, .audio, .video, .application])
        let video = offer.media[1]
        #expect(video.direction == .sendonly)
        #expect(video.mid == "1")
        #expect(video.rids.map(\.id) == ["r0", "r1", "r2"])
        #expect(video.simulcast?.send.map { $0.map(\.rid) } == [["r0"], ["r1"], ["r2"]])
        #expect(video.hasRTCPMux && video.hasReducedSizeRTCP)
        let format = try #require(video.format(PayloadType(102)))
        #expect(format.name == "H264" && format.clockRate == 90_000)
        #expect(format.parameters["profile-level-id"] == "42001f")
        #expect(format.feedback.map(\.text).contains("nack pli"))
        #expect(
            video.extensions.contains(ExtensionMapping(id: 10, uri: HeaderExtensionKind.rid.uri.description)))
        let screen = offer.media[3]
        #expect(
            screen.sourceGroups == [
                SourceGroup(semantics: "FID", ssrcs: [SSRC(1_710_945_939), SSRC(4_120_684_071)])
            ])
        #expect(screen.sources.first?.cname == "6wV5arYZQkZGhWQu")
        #expect(screen.sources.first?.msid == screen.msids.first)
        let audio = offer.media[0]
        #expect(audio.format(PayloadType(63))?.parameters.text == "111/111")
        #expect(audio.format(PayloadType(111))?.channels == 2)
        #expect(audio.transport.setup == .actpass)
        #expect(audio.transport.fingerprints.first?.bytes.count == 32)
        #expect(audio.candidates.count == 8)
        #expect(audio.candidates.last?.tcpType == .active)
        #expect(offer.media[6].otherFormats == ["webrtc-datachannel"])
    }

    @Test
    func `Firefox's session-level fingerprint holds for every m-section`() throws {
        let offer = try SessionDescription.parse(Offers.firefoxSimulcast)
        let effective = offer.media.map { offer.effectiveTransport(of: $0) }
        #expect(effective.allSatisfy { $0.fingerprints == offer.transport.fingerprints })
        #expect(offer.transport.fingerprints.first?.bytes.first == 0x0e)
        #expect(offer.media[1].isBundleOnly && !offer.media[1].isRejected)
        #expect(offer.media[0].extensions[1].direction == .recvonly)
    }

    @Test
    func `feedback and formats of payload types outside the m-line are dropped`() throws {
        let lines = SmallOffer.lines + ["a=rtcp-fb:120 nack", "a=rtpmap:121 VP9/90000", "a=fmtp:122 x=1"]
        let offer = try SessionDescription.parse(lines.sdp)
        #expect(offer == (try SessionDescription.parse(SmallOffer.lines.sdp)))
        #expect(!offer.write().contains(":12"))
    }

    @Test
    func `attributes that nobody knows are dropped`() throws {
        let lines = SmallOffer.lines + ["a=x-google-flag:conference", "a=", "a=:", "a=fmtp-unknown"]
        #expect(try SessionDescription.parse(lines.sdp) == SessionDescription.parse(SmallOffer.lines.sdp))
    }

    @Test
    func `every modelled attribute survives writing and parsing`() throws {
        let lines =
            SmallOffer.lines + [
                "b=TIAS:500000", "a=ice-options:trickle renomination", "a=extmap:3/sendonly urn:x",
                "a=bundle-only",
                "a=rtcp-fb:* ccm fir", "a=rid:a send pt=96,97;max-width=320;max-fps=15", "a=rid:b recv",
                "a=simulcast:send a,~c;d recv b", "a=msid:- t", "a=ssrc:1 cname:x y", "a=ssrc:2 label:z",
                "a=ssrc-group:SIM 1 2", "a=candidate:f 1 TCP 77 ::1 9 typ host tcptype passive generation 0",
                "a=candidate:f 1 ssltcp 77 ::1 9 typ host", "a=end-of-candidates", "a=extmap-allow-mixed",
            ]
        let offer = try SessionDescription.parse(lines.sdp)
        let video = try #require(offer.media.last)
        #expect(video.maxBitrate == Bitrate(bitsPerSecond: 500_000))
        #expect(video.rids[0].payloadTypes == [PayloadType(96), PayloadType(97)])
        #expect(video.rids[0].restrictions.text == "max-width=320;max-fps=15")
        #expect(video.simulcast?.send[0][1] == Simulcast.Alternative(rid: "c", isPaused: true))
        #expect(video.candidates.map(\.tcpType) == [.passive])
        #expect(try SessionDescription.parse(offer.write()) == offer)
    }

    @Test
    func `empty lines are allowed at the end only`() throws {
        #expect(parseError(SmallOffer.lines.sdp + "\r\n\n\r\n") == nil)
        #expect(parseError((SmallOffer.session + [""] + SmallOffer.audio).sdp)?.line == 10)
    }
}
