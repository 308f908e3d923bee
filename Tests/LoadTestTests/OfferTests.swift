import FixedCollections
import Testing
import Transport
import Wire

@testable import LoadTest

struct OfferTests {
    /// As a server that offers writes it: one voice and one picture that it sends.
    private static let offer = [
        "v=0", "o=- 17 1 IN IP4 192.0.2.7", "s=room", "t=0 0", "a=group:BUNDLE 0 1", "a=ice-lite",
        "a=ice-ufrag:serv", "a=ice-pwd:serverserverserverserver",
        "a=fingerprint:sha-256 " + Array(repeating: "5A", count: 32).joined(separator: ":"),
        "a=setup:actpass",
        "m=audio 9 UDP/TLS/RTP/SAVPF 111", "c=IN IP4 192.0.2.7", "a=sendonly", "a=mid:0", "a=rtcp-mux",
        "a=rtpmap:111 opus/48000/2", "a=ssrc:1001 cname:server",
        "a=candidate:1 1 udp 2015363327 192.0.2.7 5000 typ host",
        "m=video 9 UDP/TLS/RTP/SAVPF 96 97", "c=IN IP4 192.0.2.7", "a=sendonly", "a=mid:1", "a=rtcp-mux",
        "a=rtpmap:96 VP8/90000", "a=rtcp-fb:96 nack", "a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96",
        "a=ssrc-group:FID 2001 2002", "a=ssrc:2001 cname:server", "a=ssrc:2002 cname:server", "",
    ].joined(separator: "\r\n")

    private func makeOffer() throws -> ClientOffer {
        let context = try DTLSContext(certificate: .generate(), suites: [.aes128GCM], role: .active)
        let plan = ParticipantPlan(number: 0, session: "s", uid: "u", joinAt: Instant(nanoseconds: 0))
        return ClientOffer(
            credentials: RemoteICECredentials(ufrag: "mine", password: "minemineminemineminemine"),
            fingerprint: context.fingerprint, origin: 5, plan: plan)
    }

    @Test func `everything that a server offers is taken, and connected to from here`() throws {
        let text = try #require(try makeOffer().answer(to: Self.offer))
        let answer = try SessionDescription.parse(text)
        #expect(answer.media.map(\.direction) == [.recvonly, .recvonly])
        #expect(answer.media.map(\.mid) == ["0", "1"])
        #expect(answer.media.map(\.formats.count) == [1, 2])
        #expect(answer.media.allSatisfy { $0.sources.isEmpty && $0.candidates.isEmpty })
        for media in answer.media {
            let transport = answer.effectiveTransport(of: media)
            #expect(transport.iceUfrag == "mine")
            #expect(transport.setup == .active)
            #expect(transport.fingerprints.count == 1)
        }
        #expect(!text.contains("serv"))
    }

    @Test func `an offer tells what is received as an answer does`() throws {
        let offered = try ClientAnswer(Self.offer)
        #expect(offered.remote.ufrag == "serv")
        #expect(offered.seats.map(\.ssrc) == [SSRC(1_001), SSRC(2_001)])
        #expect(offered.seats[1].rtxSSRC == SSRC(2_002))
        #expect(offered.candidates.map(\.port) == [5_000])
    }

    @Test func `what isn't SDP has no answer`() throws {
        #expect(try makeOffer().answer(to: "hello") == nil)
    }

    @Test func `the forwarder that is driven is chosen by name`() throws {
        let flags = try LoadFlags.parse(["--forwarder", "janus"], environment: [:], read: { _ in nil })
        #expect(flags.forwarder == .janus)
        #expect(throws: LoadError.self) {
            try LoadFlags.parse(["--forwarder", "other"], environment: [:], read: { _ in nil })
        }
    }
}
