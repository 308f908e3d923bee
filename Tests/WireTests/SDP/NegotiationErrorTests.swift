import Testing

@testable import Wire

struct NegotiationErrorTests {
    private func error(_ prefix: String, _ replacement: String?) -> NegotiationError? {
        negotiationError(SmallOffer.replacing(prefix, with: replacement))
    }

    @Test
    func `DTLS needs a strong fingerprint and an offerer that can be the client`() {
        let weak = "a=fingerprint:sha-1 " + Array(repeating: "AB", count: 20).joined(separator: ":")
        #expect(error("a=fingerprint", nil) == .invalidOffer(line: 9, reason: .missingFingerprint))
        #expect(error("a=fingerprint", weak) == .invalidOffer(line: 8, reason: .weakFingerprint))
        #expect(error("a=setup", "a=setup:passive") == .invalidOffer(line: 9, reason: .wrongSetup))
        #expect(error("a=setup", "a=setup:holdconn") == .invalidOffer(line: 9, reason: .wrongSetup))
        #expect(error("a=setup", "a=setup:active") == nil)
        #expect(error("a=setup", nil) == nil)
    }

    @Test
    func `ICE needs credentials and an end that checks`() {
        #expect(error("a=ice-ufrag", nil) == .invalidOffer(line: 9, reason: .missingICECredentials))
        #expect(error("a=ice-pwd", nil) == .invalidOffer(line: 9, reason: .missingICECredentials))
        #expect(error("s=", "a=ice-lite") == .invalidOffer(line: 3, reason: .iceLiteOffer))
    }

    @Test
    func `every m-line is bundled, muxed and over DTLS`() {
        #expect(error("a=group", nil) == .invalidOffer(line: 9, reason: .notBundled))
        #expect(error("a=group", "a=group:BUNDLE 0") == .invalidOffer(line: 15, reason: .notBundled))
        #expect(error("a=rtcp-mux", nil) == .invalidOffer(line: 10, reason: .missingRTCPMux))
        let plain = error("m=audio", "m=audio 9 RTP/AVP 111")
        #expect(plain == .invalidOffer(line: 10, reason: .unsupportedProtocol))
    }

    @Test
    func `an m-line without a mid is refused`() {
        var lines = SmallOffer.replacing("a=mid:1", with: nil)
        lines[4] = "a=group:BUNDLE 0"
        #expect(negotiationError(lines) == .invalidOffer(line: 15, reason: .missingMID))
    }

    @Test
    func `an offer of which nothing can be accepted is refused`() {
        let lines =
            SmallOffer.session.filter { !$0.hasPrefix("a=group") } + ["m=application 9 UDP/DTLS/SCTP x"]
        #expect(negotiationError(lines) == .invalidOffer(line: 9, reason: .nothingAccepted))
    }

    @Test
    func `an SSRC belongs to one m-line`() {
        let lines = SmallOffer.session + SmallOffer.audio + ["a=ssrc:7 cname:x"] + SmallOffer.video
        #expect(negotiationError(lines) == nil)
        let twice = lines + ["a=ssrc:7 cname:x"]
        #expect(negotiationError(twice) == .invalidOffer(line: 16, reason: .duplicateSSRC))
    }

    @Test
    func `a generator that repeats itself still gives SSRCs that differ`() throws {
        var generator = StuckGenerator()
        let offer = try SessionDescription.parse(Offers.chromiumSeats)
        let session = try Negotiation.answer(offer, previous: nil, local: .testing, using: &generator)
        #expect(Set(session.seats.map(\.ssrc) + session.seats.compactMap(\.rtxSSRC)).count == 10)
        #expect(!session.seats.map(\.ssrc.rawValue).contains(0))
    }

    @Test
    func `an error reads as a sentence with its line`() {
        let wrong = NegotiationError.invalidOffer(line: 9, reason: .wrongSetup)
        #expect("\(wrong)" == "line 9: a=setup must be actpass or active")
        #expect("\(NegotiationError.codecUnsupported(mid: "1", line: 3))".hasPrefix("line 3: no codec"))
    }
}

private struct StuckGenerator: RandomNumberGenerator {
    mutating func next() -> UInt64 { .max }
}
