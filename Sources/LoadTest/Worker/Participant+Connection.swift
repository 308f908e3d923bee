import EventLoop
import FixedCollections
import Transport
import Wire

/// The media connection: offered, made, dropped.
extension Participant {
    /// Describes a connection that isn't there yet: with new secrets and SSRCs.
    func makeOffer(_ shared: LoadShared) -> String {
        let credentials = RemoteICECredentials(
            ufrag: ICEText.random(8, using: &random), password: ICEText.random(24, using: &random))
        var offer = ClientOffer(
            credentials: credentials, fingerprint: shared.context.fingerprint,
            origin: random.next() >> 2, plan: plan)
        if plan.sendsAudio { offer.audio = .init(ssrc: SSRC(freshSSRC(0)), rtxSSRC: nil) }
        if plan.sendsVideo {
            offer.video = (0..<plan.media.encodings).map { encoding in
                .init(
                    ssrc: SSRC(freshSSRC(1 + 2 * encoding)),
                    rtxSSRC: plan.media.usesRTX ? SSRC(freshSSRC(2 + 2 * encoding)) : nil)
            }
        }
        self.offer = offer
        return offer.description.write()
    }

    private func freshSSRC(_ index: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: random.next() & ~15) | UInt32(index)
    }

    /// Connects as an answer says. Returns whether a socket was opened, which is then to be watched.
    func connect(_ text: String, _ shared: LoadShared, now: Instant) -> Bool {
        guard state == .joining || (state == .connecting && disturbance != nil), let offer else {
            return false
        }
        do {
            let answer = try ClientAnswer(text)
            guard let address = answer.address else {
                throw ClientAnswer.Failure.unusable("no address that can be used")
            }
            socket = try Self.openSocket(towards: address)
            var configuration = ClientTransportConfiguration(
                server: address, local: offer.credentials, remote: answer.remote,
                fingerprints: answer.fingerprints, context: shared.context)
            configuration.receiverLimits.maximumStreams = max(8, 2 * answer.seats.count + 8)
            transport = try ClientTransport(configuration: configuration, now: now)
            server = address
            seats = answer.seats.map {
                SeatReceiver(
                    mid: $0.mid, isVideo: $0.isVideo, ssrc: $0.ssrc, rtxSSRC: $0.rtxSSRC,
                    clockRate: $0.isVideo ? 90_000 : 48_000)
            }
        } catch {
            shared.totals.errors["answer: \(error)", default: 0] += 1
            leave(shared, now: now)
            return false
        }
        state = .connecting
        (answeredAt, checkedAt) = (now, nil)
        handleTimeout(shared, now: now)
        return socket != nil
    }

    static func openSocket(towards server: SocketAddress) throws -> UDPSocket {
        let any = server.isIPv4 ? SocketAddress(ipv4: 0, port: 0) : SocketAddress(high: 0, low: 0, port: 0)
        return try UDPSocket.open(
            any,
            options: UDPSocket.Options(
                receiveBuffer: 2 << 20, sendBuffer: 1 << 20, coalescesReceived: true))
    }

    /// Drops everything that belongs to the connection; the server isn't told.
    func forgetMedia() {
        transport = nil
        socket = nil
        feedback = nil
        seats = []
        (audio, audioStream, video, videoStreams, sealers) = (nil, nil, [], [], [:])
    }
}

extension ClientAnswer {
    /// The first candidate that is an address.
    var address: SocketAddress? {
        candidates.lazy.compactMap { SocketAddress(host: $0.address, port: $0.port) }.first
    }
}

/// Strings of `ice-char` (RFC 8839 section 5.4).
enum ICEText {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func random(_ count: Int, using random: inout SeededRandom) -> String {
        String(decoding: (0..<count).map { _ in alphabet[Int(random.next() & 63)] }, as: UTF8.self)
    }
}
