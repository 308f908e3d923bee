@testable import Wire

/// A small valid offer; tests append lines to it or replace some.
enum SmallOffer {
    static let session = [
        "v=0", "o=- 1 1 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0 1", "a=ice-ufrag:abcd",
        "a=ice-pwd:abcdefghijklmnopqrstuv",
        "a=fingerprint:sha-256 " + Array(repeating: "AB", count: 32).joined(separator: ":"),
        "a=setup:actpass",
    ]

    static let audio = [
        "m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=mid:0", "a=sendonly", "a=rtcp-mux", "a=rtpmap:111 opus/48000/2",
    ]

    static let video = [
        "m=video 9 UDP/TLS/RTP/SAVPF 96 97", "a=mid:1", "a=recvonly", "a=rtcp-mux", "a=rtpmap:96 VP8/90000",
        "a=rtcp-fb:96 nack", "a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96",
    ]

    static var lines: [String] { session + audio + video }

    /// The offer with the first line that starts with `prefix` replaced; nil removes it.
    static func replacing(_ prefix: String, with replacement: String?) -> [String] {
        var result = lines
        guard let index = result.firstIndex(where: { $0.hasPrefix(prefix) }) else { return [] }
        result.remove(at: index)
        if let replacement { result.insert(replacement, at: index) }
        return result
    }
}

extension [String] {
    /// The lines as a description.
    var sdp: String { map { $0 + "\r\n" }.joined() }

    /// The number, from 1, of the first line that starts with `prefix`.
    func line(of prefix: String) -> Int {
        (firstIndex { $0.hasPrefix(prefix) } ?? -1) + 1
    }
}

/// The error of parsing; nil if there is none.
func parseError(_ text: String) -> SDPError? {
    do throws(SDPError) {
        _ = try SessionDescription.parse(text)
        return nil
    } catch {
        return error
    }
}
