import Testing

@testable import Wire

struct RenegotiationTests {
    private static let newSeat = [
        "m=video 9 UDP/TLS/RTP/SAVPF 96", "a=mid:2", "a=recvonly", "a=rtcp-mux", "a=rtpmap:96 VP8/90000",
    ]

    /// The small offer with one more m-line.
    private func extended(_ section: [String]) -> [String] {
        let mid = section.first { $0.hasPrefix("a=mid:") }?.dropFirst(6) ?? ""
        return SmallOffer.replacing("a=group", with: "a=group:BUNDLE 0 1 \(mid)") + section
    }

    @Test
    func `seats keep SSRC, mid and msid when another is added`() throws {
        let first = try negotiate(SmallOffer.lines.sdp, seed: 1)
        let second = try negotiate(extended(Self.newSeat).sdp, previous: first, seed: 1)
        #expect(second.seats.count == 2)
        #expect(second.seats[0] == first.seats[0])
        #expect(second.seats[1].stream == "seat-1")
        #expect(second.seats[1].ssrc != first.seats[0].ssrc && second.seats[1].ssrc != first.seats[0].rtxSSRC)
        #expect(second.answer.origin.sessionID == first.answer.origin.sessionID)
        #expect(second.answer.origin.version == first.answer.origin.version + 1)
    }

    @Test
    func `a seat is the same after a time of being inactive`() throws {
        let first = try negotiate(SmallOffer.lines.sdp)
        let idle = try negotiate(
            SmallOffer.replacing("a=recvonly", with: "a=inactive").sdp, previous: first, seed: 2)
        #expect(idle.seats.isEmpty)
        let third = try negotiate(SmallOffer.lines.sdp, previous: idle, seed: 3)
        #expect(third.seats == first.seats)
    }

    @Test
    func `a stopped seat frees its number, and its m-line may be used again`() throws {
        let first = try negotiate(extended(Self.newSeat).sdp)
        var stopped = SmallOffer.replacing("m=video", with: "m=video 0 UDP/TLS/RTP/SAVPF 96 97")
        stopped[4] = "a=group:BUNDLE 0 2"
        let second = try negotiate((stopped + Self.newSeat).sdp, previous: first)
        #expect(second.media[1].role == .rejected)
        #expect(second.seats.map(\.number) == [1])
        var reused = SmallOffer.replacing("a=mid:1", with: "a=mid:3")
        reused[4] = "a=group:BUNDLE 0 3 2"
        let third = try negotiate((reused + Self.newSeat).sdp, previous: second, seed: 9)
        #expect(third.seats.map(\.number) == [0, 1])
        #expect(third.seats[0].ssrc != first.seats[0].ssrc)
        #expect(third.seats[1] == first.seats[1])
    }

    @Test
    func `m-lines can't vanish, change their kind or swap their mids`() throws {
        let first = try negotiate(SmallOffer.lines.sdp)
        var fewer = SmallOffer.session + SmallOffer.audio
        fewer[4] = "a=group:BUNDLE 0"
        #expect(negotiationError(fewer, previous: first) == .invalidOffer(line: 10, reason: .removedMedia))
        let swapped = SmallOffer.session + SmallOffer.video + SmallOffer.audio
        #expect(negotiationError(swapped, previous: first) == .invalidOffer(line: 10, reason: .changedMedia))
        let renamed = SmallOffer.lines.map { $0.replacingMID("1", with: "5") }
        #expect(negotiationError(renamed, previous: first) == .invalidOffer(line: 15, reason: .changedMedia))
    }

    @Test
    func `a mid isn't used again elsewhere`() throws {
        var stopped = SmallOffer.replacing("m=video", with: "m=video 0 UDP/TLS/RTP/SAVPF 96 97")
        stopped[4] = "a=group:BUNDLE 0"
        let first = try negotiate(stopped.sdp)
        var moved = SmallOffer.lines.map { $0.replacingMID("1", with: "5") }
        moved[4] = "a=group:BUNDLE 0 5 1"
        let again = Self.newSeat.map { $0.replacingMID("2", with: "1") }
        let line = moved.count + 1
        #expect(
            negotiationError(moved + again, previous: first) == .invalidOffer(line: line, reason: .reusedMID))
    }

    @Test
    func `changed ICE credentials are a restart`() throws {
        let first = try negotiate(SmallOffer.lines.sdp)
        #expect(!first.isICERestart)
        let same = try SessionDescription.parse(SmallOffer.lines.sdp)
        #expect(!Negotiation.isICERestart(same, previous: first))
        let restarted = SmallOffer.replacing("a=ice-ufrag", with: "a=ice-ufrag:wxyz")
        #expect(Negotiation.isICERestart(try SessionDescription.parse(restarted.sdp), previous: first))
        let second = try negotiate(restarted.sdp, previous: first)
        #expect(second.isICERestart && second.remoteUfrag == "wxyz")
        #expect(second.seats == first.seats)
        #expect(try !negotiate(restarted.sdp, previous: second).isICERestart)
    }

    @Test(arguments: [false, true])
    func `another certificate is refused, with or without a restart of ICE`(restarts: Bool) throws {
        let first = try negotiate(SmallOffer.lines.sdp)
        var lines = SmallOffer.lines
        let place = try #require(lines.firstIndex { $0.hasPrefix("a=fingerprint") })
        let original = lines[place]
        lines[place] = String(original.dropLast(2)) + (original.hasSuffix("00") ? "01" : "00")
        if restarts { lines = lines.map { $0.hasPrefix("a=ice-ufrag") ? "a=ice-ufrag:wxyz" : $0 } }
        let refused = NegotiationError.invalidOffer(line: place + 1, reason: .changedFingerprint)
        #expect(negotiationError(lines, previous: first) == refused)
        #expect(negotiationError(lines) == nil)
        // Nor may one more come.
        let more = SmallOffer.lines[...place] + [lines[place]] + SmallOffer.lines[(place + 1)...]
        let another = NegotiationError.invalidOffer(line: place + 2, reason: .changedFingerprint)
        #expect(negotiationError(Array(more), previous: first) == another)
    }
}

extension String {
    /// The line with one mid for another in `a=mid` and `a=group`.
    fileprivate func replacingMID(_ old: String, with new: String) -> String {
        if self == "a=mid:\(old)" { return "a=mid:\(new)" }
        guard hasPrefix("a=group:BUNDLE ") else { return self }
        let mids = dropFirst(15).split(separator: " ").map { $0 == old ? new : String($0) }
        return "a=group:BUNDLE \(mids.joined(separator: " "))"
    }
}
