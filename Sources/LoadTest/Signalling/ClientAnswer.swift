import Transport
import Wire

/// What an answer says that a client needs.
struct ClientAnswer {
    struct Seat {
        var mid: String
        var isVideo: Bool
        var ssrc: SSRC
        var rtxSSRC: SSRC?
    }

    enum Failure: Error {
        /// A line that can't be read, or something that must be there and isn't: what.
        case unusable(String)
    }

    var remote: RemoteICECredentials
    var fingerprints: [CertificateFingerprint]
    /// Host candidates over UDP, in the order of the answer.
    var candidates: [(address: String, port: UInt16)]
    var seats: [Seat]

    init(_ text: String) throws(Failure) {
        let description: SessionDescription
        do {
            description = try SessionDescription.parse(text)
        } catch {
            throw .unusable("\(error)")
        }
        guard let first = description.media.first(where: { !$0.isRejected }) else {
            throw .unusable("no m-line was accepted")
        }
        let transport = description.effectiveTransport(of: first)
        guard let ufrag = transport.iceUfrag, let password = transport.icePwd else {
            throw .unusable("no ICE credentials")
        }
        remote = RemoteICECredentials(ufrag: ufrag, password: password)
        fingerprints = transport.fingerprints.compactMap { line in
            CertificateFingerprint.Algorithm(rawValue: line.algorithm).flatMap {
                CertificateFingerprint(algorithm: $0, digest: line.bytes)
            }
        }
        candidates = first.candidates.filter { $0.transport == .udp && $0.component == 1 }
            .map { ($0.address, $0.port) }
        seats = description.media.compactMap { media in
            guard !media.isRejected, media.direction == .sendonly, let mid = media.mid,
                let source = media.sources.first
            else { return nil }
            let pair = media.sourceGroups.first { $0.semantics == "FID" }?.ssrcs
            return Seat(
                mid: mid, isVideo: media.kind == .video, ssrc: pair?.first ?? source.ssrc,
                rtxSSRC: pair?.count == 2 ? pair?[1] : nil)
        }
    }
}
