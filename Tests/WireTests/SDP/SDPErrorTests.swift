import Testing
import TestSupport

@testable import Wire

struct SDPErrorTests {
    /// A line that is wrong, and why.
    struct Case: Sendable, CustomTestStringConvertible {
        var line: String
        var reason: SDPError.Reason
        var testDescription: String { String(line.prefix(60)) }
    }

    static let cases: [Case] = [
        Case(line: "m=video 9 UDP/TLS/RTP/SAVPF 128", reason: .badPayloadType),
        Case(line: "m=video 9 UDP/TLS/RTP/SAVPF VP8", reason: .badPayloadType),
        Case(line: "m=video 9 UDP/TLS/RTP/SAVPF 96 96", reason: .duplicate("payload type")),
        Case(line: "m=video 65536 UDP/TLS/RTP/SAVPF 96", reason: .malformed("m= line")),
        Case(line: "m=video 9 UDP/TLS/RTP/SAVPF", reason: .malformed("m= line")),
        Case(line: "m=application 9 UDP/DTLS/SCTP  ", reason: .malformed("m= line")),
        Case(line: "a=mid:0", reason: .malformed("a=mid")),
        Case(line: "a=rtpmap:128 VP8/90000", reason: .badPayloadType),
        Case(line: "a=rtpmap:96 VP8", reason: .malformed("a=rtpmap")),
        Case(line: "a=rtpmap:96 VP8/0", reason: .malformed("a=rtpmap")),
        Case(line: "a=rtpmap:96 VP8/99999999999", reason: .malformed("a=rtpmap")),
        Case(line: "a=rtpmap:96 VP9/90000", reason: .duplicate("a=rtpmap")),
        Case(line: "a=fmtp:96 =1", reason: .malformed("a=fmtp")),
        Case(line: "a=rtcp-fb:96", reason: .malformed("a=rtcp-fb")),
        Case(line: "a=rtcp-fb:-1 nack", reason: .badPayloadType),
        Case(line: "a=extmap:0 urn:x", reason: .malformed("a=extmap")),
        Case(line: "a=extmap:256 urn:x", reason: .malformed("a=extmap")),
        Case(line: "a=extmap:1/sideways urn:x", reason: .malformed("a=extmap")),
        Case(line: "a=ssrc:4294967296 cname:x", reason: .malformed("a=ssrc")),
        Case(line: "a=ssrc-group:FID 1 x", reason: .malformed("a=ssrc-group")),
        Case(line: "a=rid:r! send", reason: .malformed("a=rid")),
        Case(line: "a=rid:12345678901234567 send", reason: .malformed("a=rid")),
        Case(line: "a=rid:r send pt=200", reason: .badPayloadType),
        Case(line: "a=simulcast:send", reason: .malformed("a=simulcast")),
        Case(line: "a=simulcast:send a;;b", reason: .malformed("a=simulcast")),
        Case(line: "a=msid:", reason: .malformed("msid")),
        Case(line: "a=candidate:1 1 udp x 1.2.3.4 9 typ host", reason: .malformed("a=candidate")),
        Case(line: "a=candidate:", reason: .malformed("a=candidate")),
        Case(line: "a=ice-ufrag:abc", reason: .malformed("a=ice-ufrag")),
        Case(line: "a=ice-pwd:short", reason: .malformed("a=ice-pwd")),
        Case(line: "a=fingerprint:", reason: .malformed("a=fingerprint")),
        Case(line: "a=fingerprint:sha-256 AB:CD", reason: .malformed("a=fingerprint")),
        Case(line: "a=fingerprint:sha-999 AB:C", reason: .malformed("a=fingerprint")),
        Case(line: "a=fingerprint:sha-999 AB-CD", reason: .malformed("a=fingerprint")),
        Case(line: "a=setup:maybe", reason: .malformed("a=setup")),
        Case(line: "b=TIAS:fast", reason: .malformed("b=TIAS")),
        Case(line: "q=1", reason: .notALine),
        Case(line: "nonsense", reason: .notALine),
        Case(line: "a", reason: .notALine),
        Case(line: "a=x\u{7}y", reason: .controlCharacter),
        Case(line: "a=x\ty", reason: .controlCharacter),
        Case(line: "a=x\ry", reason: .controlCharacter),
    ]

    @Test(arguments: cases)
    func `a wrong line is named with its number and reason`(_ wrong: Case) {
        let lines = SmallOffer.lines + [wrong.line, "a=unknown"]
        #expect(parseError(lines.sdp) == SDPError(line: SmallOffer.lines.count + 1, reason: wrong.reason))
    }

    @Test
    func `version, origin and media must be there`() {
        #expect(parseError("") == SDPError(line: 1, reason: .noVersion))
        #expect(
            parseError(SmallOffer.replacing("v=", with: "v=1").sdp) == SDPError(line: 1, reason: .noVersion))
        #expect(parseError(SmallOffer.replacing("o=", with: nil).sdp) == SDPError(line: 2, reason: .noOrigin))
        let badOrigin = SmallOffer.replacing("o=", with: "o=- x 1 IN IP4 127.0.0.1")
        #expect(parseError(badOrigin.sdp) == SDPError(line: 2, reason: .noOrigin))
        let session = SmallOffer.replacing("a=group", with: nil).prefix(8)
        #expect(parseError(Array(session).sdp) == SDPError(line: 8, reason: .noMedia))
    }

    @Test
    func `a mid belongs to one m-line, and a bundle to known mids`() {
        let twice = SmallOffer.replacing("a=mid:1", with: "a=mid:0")
        #expect(parseError(twice.sdp) == SDPError(line: 16, reason: .duplicateMID))
        let unknown = SmallOffer.replacing("a=group", with: "a=group:BUNDLE 0 1 2")
        #expect(parseError(unknown.sdp) == SDPError(line: 5, reason: .unknownMID))
        let repeated = SmallOffer.replacing("a=group", with: "a=group:BUNDLE 0 1 0")
        #expect(parseError(repeated.sdp) == SDPError(line: 5, reason: .duplicate("mid in the group")))
    }

    @Test
    func `values that must be unique are refused at the second`() {
        let count = SmallOffer.lines.count
        let extensions = SmallOffer.lines + ["a=extmap:1 urn:x", "a=extmap:1 urn:y"]
        #expect(parseError(extensions.sdp) == SDPError(line: count + 2, reason: .duplicate("extension id")))
        let rids = SmallOffer.lines + ["a=rid:a send", "a=rid:a send"]
        #expect(parseError(rids.sdp) == SDPError(line: count + 2, reason: .duplicate("RID")))
    }

    @Test
    func `numbers of m-lines, fingerprints and feedback are bounded`() {
        let media = (0..<300).map { "m=audio 9 UDP/TLS/RTP/SAVPF \($0 % 128)" }
        let head = Array(SmallOffer.lines.prefix(2))
        #expect(parseError((head + media.prefix(256)).sdp) == nil)
        #expect(parseError((head + media).sdp) == SDPError(line: 259, reason: .tooManyMedia))
        let fingerprints = Array(repeating: "a=fingerprint:sha-999 AB", count: 70)
        let manyFingerprints = parseError((SmallOffer.lines + fingerprints).sdp)
        #expect(manyFingerprints == SDPError(line: SmallOffer.lines.count + 65, reason: .tooManyFingerprints))
        let feedback = (0..<40).map { "a=rtcp-fb:96 x\($0)" }
        let manyFeedbacks = parseError((SmallOffer.lines + feedback).sdp)
        #expect(manyFeedbacks == SDPError(line: SmallOffer.lines.count + 32, reason: .tooMany("a=rtcp-fb")))
        let extensions = (1...40).map { "a=extmap:\($0) urn:x" }
        let manyExtensions = parseError((SmallOffer.session + extensions).sdp)
        #expect(manyExtensions == SDPError(line: SmallOffer.session.count + 33, reason: .tooMany("a=extmap")))
    }

    @Test
    func `length and number of lines are bounded`() {
        let lines = SmallOffer.lines.sdp
        let many = lines + String(repeating: "a=\n", count: 20_000)
        #expect(parseError(many) == SDPError(line: 10_001, reason: .tooManyLines))
        let long = lines + String(repeating: "a=x\r\n", count: 100_000)
        #expect(parseError(long)?.reason == .tooLong)
        let oneLine = lines + "a=" + String(repeating: "x", count: 200_000)
        #expect(parseError(oneLine) == SDPError(line: SmallOffer.lines.count + 1, reason: .tooLong))
        let fits = lines + String(repeating: "a=\n", count: 10_000 - SmallOffer.lines.count)
        #expect(parseError(fits) == nil)
    }

    @Test
    func `an error reads as a sentence with its line`() {
        #expect("\(SDPError(line: 7, reason: .malformed("a=ssrc")))" == "line 7: malformed a=ssrc")
    }

    @Test(arguments: Offers.all)
    func `an offer cut anywhere is refused with a line or read as what is left`(_ recorded: Offers.Named) {
        let text = recorded.text
        let bytes = Array(text.utf8)
        let lineCount = bytes.count { $0 == 0x0a }
        var refused = 0
        for length in stride(from: 0, to: bytes.count, by: bytes.count / 80) {
            guard let error = parseError(String(decoding: bytes[..<length], as: UTF8.self)) else { continue }
            refused += 1
            #expect((1...lineCount).contains(error.line))
        }
        #expect(refused > 10)
    }

    @Test
    func `an m-section cut at any byte is refused with a line or read as what is left`() throws {
        let sections = Offers.firefoxSimulcast.split(separator: "\nm=")
        // The simulcast section: the one with the most kinds of lines.
        let head = "v=0\no=- 1 1 IN IP4 127.0.0.1\nm="
        let bytes = Array((head + sections[2]).utf8)
        let lineCount = bytes.count { $0 == 0x0a } + 1
        var refused = 0
        for length in 0..<bytes.count {
            guard let error = parseError(String(decoding: bytes[..<length], as: UTF8.self)) else { continue }
            refused += 1
            #expect((1...lineCount).contains(error.line))
        }
        #expect(refused > 100)
    }

    @Test
    func `an offer with any bytes replaced never traps`() {
        let bytes = Array(Offers.firefoxSimulcast.utf8)
        var generator = SeededGenerator(seed: 7)
        var refused = 0
        for _ in 0..<150 {
            var mutated = bytes
            for _ in 0..<3 {
                mutated[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
                    in: 0...255, using: &generator)
            }
            if let error = parseError(String(decoding: mutated, as: UTF8.self)) {
                refused += 1
                #expect(error.line >= 1)
            }
        }
        #expect(refused > 10)
    }
}
