import MediaWorker
import Transport

/// An SDP offer as a browser makes it: m-lines that send a source, and seats.
struct TestOffer {
    struct Section {
        enum Content: Equatable {
            /// Sends from this source, under this SSRC; video has one for retransmissions too, the next number.
            case source(MediaSource, ssrc: UInt32)
            case seat(MediaKind)
            /// Was something before.
            case removed(MediaKind)
        }

        var mid: String
        var content: Content

        var isVideo: Bool {
            switch content {
            case .source(let source, _): source == .camera || source == .screen
            case .seat(let kind), .removed(let kind): kind == .video
            }
        }
    }

    /// Tells one peer connection from the next.
    var origin: UInt64
    var version = 1
    var ufrag = "peer"
    var fingerprint: CertificateFingerprint
    var sections: [Section] = []

    static let audioType: UInt8 = 111
    static let videoType: UInt8 = 96
    static let midID: UInt8 = 4
    static let levelID: UInt8 = 1

    /// Adds an m-line behind the others; mids count up.
    mutating func add(_ content: Section.Content) {
        sections.append(Section(mid: "\(sections.count)", content: content))
    }

    var sdp: String {
        let bundle = sections.map(\.mid).joined(separator: " ")
        var lines = [
            "v=0", "o=- \(origin) \(version) IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE \(bundle)",
        ]
        for section in sections { lines += self.lines(of: section) }
        return lines.map { $0 + "\r\n" }.joined()
    }

    private func lines(of section: Section) -> [String] {
        let hash = fingerprint.digest.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        let head = section.isVideo ? "m=video 9 UDP/TLS/RTP/SAVPF 96 97" : "m=audio 9 UDP/TLS/RTP/SAVPF 111"
        return [
            head, "c=IN IP4 0.0.0.0", "a=ice-ufrag:\(ufrag)", "a=ice-pwd:passwordpasswordpassword",
            "a=fingerprint:sha-256 \(hash.joined(separator: ":"))", "a=setup:actpass", "a=mid:\(section.mid)",
            "a=extmap:\(Self.midID) urn:ietf:params:rtp-hdrext:sdes:mid",
        ] + (section.isVideo ? Self.videoLines : Self.audioLines) + ["a=rtcp-mux"] + direction(of: section)
    }

    private static let audioLines = [
        "a=extmap:\(levelID) urn:ietf:params:rtp-hdrext:ssrc-audio-level", "a=rtpmap:111 opus/48000/2",
    ]

    private static let videoLines = [
        "a=rtpmap:96 VP8/90000", "a=rtcp-fb:96 nack", "a=rtcp-fb:96 nack pli", "a=rtpmap:97 rtx/90000",
        "a=fmtp:97 apt=96",
    ]

    private func direction(of section: Section) -> [String] {
        switch section.content {
        case .removed: return ["a=inactive"]
        case .seat: return ["a=recvonly"]
        case .source(let source, let ssrc):
            let lines = ["a=sendonly", "a=msid:- \(source.rawValue)"]
            guard section.isVideo else { return lines + ["a=ssrc:\(ssrc) cname:test"] }
            return lines + [
                "a=ssrc-group:FID \(ssrc) \(ssrc + 1)", "a=ssrc:\(ssrc) cname:test",
                "a=ssrc:\(ssrc + 1) cname:test",
            ]
        }
    }
}
