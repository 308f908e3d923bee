import Testing

@testable import Wire

struct CodecNegotiationTests {
    @Test
    func `a publication keeps the offerer's order, each format with its retransmissions`() throws {
        let session = try negotiate(Offers.chromiumSimulcast)
        let formats = session.media[1].formats
        #expect(formats.map(\.payloadType.rawValue) == [96, 102, 104, 108, 114, 116, 39, 45, 98, 100])
        #expect(
            formats.map { $0.rtxPayloadType?.rawValue } == [97, 103, 107, 109, 115, 117, 40, 46, 99, 101])
        let h264 = CodecFormat(codec: .h264, profile: 0x42e0, packetizationMode: 1)
        #expect(formats.map(\.codec)[3] == h264)
        #expect(formats.map(\.codec).last == CodecFormat(codec: .vp9, profile: 2))
        #expect(formats[0].feedback == [.nack, .pli, .fir, .remb, .transportCC])
        #expect(Set(formats.map(\.codec)).count == formats.count)
    }

    @Test
    func `a seat has the server's order and the offerer's payload types`() throws {
        var local = LocalParameters.testing
        local.codecs = [.av1, .vp8, .opus]
        let session = try negotiate(Offers.chromiumSeats, local: local)
        let seat = try #require(session.media.last)
        #expect(seat.formats.map(\.codec.codec) == [.av1, .av1, .vp8])
        #expect(session.media[1].formats.map(\.codec.codec) == [.vp8, .av1])
        #expect(session.answer.media.last?.formats.first?.payloadType == seat.formats.first?.payloadType)
    }

    @Test
    func `forward error correction of video is never answered`() throws {
        for text in Offers.all.map(\.text) {
            let names = try negotiate(text).answer.media.filter { $0.kind == .video }.flatMap(\.formats)
                .map { $0.name.lowercased() }
            #expect(Set(names).isSubset(of: ["vp8", "vp9", "h264", "av1", "rtx"]))
        }
    }

    @Test
    func `RED comes after the Opus that it carries`() throws {
        let session = try negotiate(Offers.chromiumSimulcast)
        #expect(session.media[0].formats.map(\.codec.codec) == [.opus, .red])
        let audio = session.answer.media[0]
        #expect(audio.formats.map(\.parameters.text) == ["minptime=10;useinbandfec=1", "111/111"])
        var lines = SmallOffer.replacing("m=audio", with: "m=audio 9 UDP/TLS/RTP/SAVPF 63 64 111")
        lines.insert(
            contentsOf: ["a=rtpmap:63 red/48000/2", "a=fmtp:63 111/111"], at: lines.line(of: "m=audio"))
        lines.insert(contentsOf: ["a=rtpmap:64 red/48000/2", "a=fmtp:64 9/9"], at: lines.line(of: "m=audio"))
        #expect(try negotiate(lines.sdp).media[0].formats.map(\.payloadType.rawValue) == [111, 63])
    }

    @Test
    func `feedback is answered only as offered and only as far as it is used`() throws {
        let lines = SmallOffer.lines + ["a=rtcp-fb:* ccm fir", "a=rtcp-fb:96 ccm tmmbr"]
        let session = try negotiate(lines.sdp)
        #expect(session.media[1].formats[0].feedback == [.nack, .fir])
        let answered = session.answer.media[1].formats
        #expect(answered.map { $0.feedback.map(\.text) } == [["ccm fir", "nack"], []])
    }

    @Test(arguments: [
        ("42e01f", 0x42e0), ("42c015", 0x42e0), ("4d801f", 0x42e0), ("42001f", 0x4200), ("4d001f", 0x4d00),
        ("64001f", 0x6400), ("640c1f", 0x640c),
    ])
    func `H264 profiles that mean the same are one format, whatever the level`(_ text: String, _ profile: Int)
    {
        var format = MediaFormat(payloadType: PayloadType(96), name: "h264", clockRate: 90_000)
        format.parameters = FormatParameters([
            .init(name: "profile-level-id", value: text), .init(name: "packetization-mode", value: "1"),
        ])
        let expected = CodecFormat(codec: .h264, profile: UInt16(profile), packetizationMode: 1)
        #expect(CodecFormat(format, kind: .video) == expected)
    }

    @Test(arguments: [
        "H264/90000 profile-level-id=zz", "VP9/90000 profile-id=9", "VP8/8000 x", "opus/48000 x",
    ])
    func `a format with wrong parameters is no codec`(_ text: String) {
        let parts = text.split(separator: " ")
        let name = parts[0].split(separator: "/")
        var format = MediaFormat(
            payloadType: PayloadType(96), name: String(name[0]), clockRate: UInt32(name[1]) ?? 0)
        let parameter = parts[1].split(separator: "=").map(String.init)
        format.parameters = FormatParameters([.init(name: parameter[0], value: parameter.last)])
        #expect(CodecFormat(format, kind: .video) == nil)
    }

    @Test
    func `an m-line without a known codec is named`() {
        var local = LocalParameters.testing
        local.codecs = [.opus, .h264]
        let line = SmallOffer.lines.line(of: "m=video")
        #expect(negotiationError(SmallOffer.lines, local: local) == .codecUnsupported(mid: "1", line: line))
    }
}
