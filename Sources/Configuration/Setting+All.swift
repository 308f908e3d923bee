extension Setting {
    /// Every key, in the order in which help and documentation show them.
    public static let all: [Setting] = server + http + media + auth + sessions + storage + limits + log + web

    private static let server: [Setting] = [
        .text("server.name", \.server.name, "What this server calls itself in its log and its API."),
        .duration(
            "server.drainSeconds", \.server.drain, in: .seconds(1), 0...86_400,
            "How long meetings may go on after SIGTERM. Nobody joins meanwhile, and the server stops when the last one "
                + "has left. 0: it stops at once."),
    ]

    private static let http: [Setting] = [
        .text(
            "http.host", \.http.host, allowed: Address.allowed, check: Address.isEmptyOrAddress,
            "The address that HTTP and WebSocket listen on. Empty: every address."),
        .integer(
            "http.port", \.http.port, 0...65_535,
            "The TCP port of the API, the socket and the pages. 0: any free one."),
        .texts(
            "http.cors", \.http.cors, allowed: "a list of origins such as https://meet.example.org, or *",
            check: Origin.isOriginOrAny,
            "Origins whose pages may use the API, besides the server's own. A * allows all."),
        .text(
            "http.tlsCertificate", \.http.tlsCertificate, allowed: "a file, or empty",
            "The server's certificate in PEM, followed by those between it and the authority: the port speaks HTTPS "
                + "then, and only that. Read again at SIGHUP. Empty: no TLS."),
        .text(
            "http.tlsPrivateKey", \.http.tlsPrivateKey, allowed: "a file, or empty",
            "The private key of the certificate in PEM, without a password."),
        .flag("http.metricsNeedKey", \.http.metricsNeedKey, "Whether /metrics wants an API key."),
    ]

    private static let media: [Setting] = [
        .text(
            "media.host", \.media.host, allowed: Address.allowed, check: Address.isEmptyOrAddress,
            "The address that media is received on. Empty: every address."),
        .integer(
            "media.port", \.media.port, 0...65_535,
            "The one UDP port of all media, and the TCP port for those whose network has no UDP. 0: any free one."
        ),
        .flag(
            "media.estimateBandwidth", \.media.estimateBandwidth,
            "Whether the link to each viewer is estimated from its feedback, and obeyed; else everybody is sent what they "
                + "want, whether or not it gets through."),
        .flag("media.tcp", \.media.tcp, "Whether media may come over TCP (ICE-TCP, passive)."),
        .choice("media.ipv6", \.media.ipv6, "Whether IPv6 is used where the system has it."),
        .texts(
            "media.advertise", \.media.advertise, allowed: "a list of IP addresses",
            check: Address.isAddress,
            "Addresses that clients are told to send to, such as the public one behind a NAT. "
                + "Empty: those of the network interfaces."),
        .flag(
            "media.advertiseLoopback", \.media.advertiseLoopback,
            "Whether loopback addresses are told too. For development on one machine."),
        .integer(
            "media.workers", \.media.workers, 0...256,
            "Media threads. 0: one less than there are cores, and at least one."),
        .share(
            "media.spreadAbove", \.media.spreadAbove,
            "Share of its time that a session's media thread is busy from which on newcomers are served by other "
                + "threads too. 0: always, in turn. 1: never."),
        .integer(
            "media.maxTransports", \.media.maxTransports, 1...65_535,
            "Connected participants that one media thread takes at most."),
        .integer(
            "media.maxSeats", \.media.maxSeats, 16...16_777_216,
            "Seats of all viewers of one media thread together: a viewer with 9 pictures and 12 voices has 21."
        ),
        .integer(
            "media.maxPackets", \.media.maxPackets, 1_024...16_777_216,
            "Packets that one media thread keeps at most, to repeat lost ones and to start newcomers. They take "
                + "memory as they come."),
        .duration(
            "media.maxCoalesceMs", \.media.maxCoalesce, in: .milliseconds(1), 0...20,
            "How long a busy media thread may gather packets to send them together. "
                + "An idle one sends at once."),
        .integer(
            "media.socketBufferBytes", \.media.socketBufferBytes, 65_536...268_435_456,
            "Size of each media socket's send and receive buffer. The system may grant less."),
        .choice(
            "media.segmentationOffload", \.media.segmentationOffload,
            "Whether packets go to the kernel many at a time (UDP GSO) where it can."),
        .choice(
            "media.sealer", \.media.sealer,
            "What encrypts: multiBuffer is intel-ipsec-mb (x86-64), auto takes it where it is built in."),
        .duration(
            "media.cacheVideoMs", \.media.cacheVideo, in: .milliseconds(1), 0...10_000,
            "How much of each video is kept to repeat lost packets and to start newcomers."),
        .duration(
            "media.cacheAudioMs", \.media.cacheAudio, in: .milliseconds(1), 0...10_000,
            "How much of each voice is kept to repeat lost packets."),
    ]

    private static let auth: [Setting] = [
        .keys(
            "auth.keys", \.auth.keys,
            "API keys of back ends; their secrets also sign tokens. In the environment: id:secret,id:secret. "
                + "The id dev marks a development key, whose secret may be shorter.")
    ]

    private static let sessions: [Setting] = [
        .flag(
            "sessions.adHoc", \.sessions.adHoc,
            "Whether a session may exist that is no group: whoever has a token for any id meets there."),
        .integer(
            "sessions.maxParticipants", \.sessions.maxParticipants, 1...100_000,
            "Participants of a session, unless its own settings say otherwise."),
        .integer(
            "sessions.maxVideoSeats", \.sessions.maxVideoSeats, 0...200,
            "Pictures that one viewer receives at once; a session's own settings may say fewer."),
        .integer(
            "sessions.maxAudible", \.sessions.maxAudible, 0...1_000,
            "Voices that are forwarded at once, the loudest of a session, unless its own settings say otherwise."
        ),
        .integer(
            "sessions.maxBitrateUpBps", \.sessions.maxBitrateUpBps, 0...1_000_000_000_000,
            "Bits of video a second that each participant is asked to send at the most, unless its session's settings "
                + "say otherwise. 0: no limit."),
        .integer(
            "sessions.maxBitrateDownBps", \.sessions.maxBitrateDownBps, 0...1_000_000_000_000,
            "Bits a second that each participant is sent at the most, unless its session's settings say otherwise. "
                + "0: no limit."),
    ]

    private static let storage: [Setting] = [
        .text(
            "storage.path", \.storage.path, allowed: "a file, or :memory:",
            "The database of users, groups, messages and calls: a file, made if it is missing, in a folder that "
                + "exists. There is no default; :memory: keeps nothing when the server stops.")
    ]

    private static let limits: [Setting] = [
        .integer(
            "limits.maxSessions", \.limits.maxSessions, 1...1_000_000,
            "Sessions going on at once on this server."),
        .integer(
            "limits.maxParticipants", \.limits.maxParticipants, 1...1_000_000,
            "Participants of all sessions on this server together."),
        .integer(
            "limits.socketRequestsPerSecond", \.limits.socketRequestsPerSecond, 1...100_000,
            "Requests that one socket may make in a second, in the long run."),
        .integer(
            "limits.socketRequestBurst", \.limits.socketRequestBurst, 1...100_000,
            "Requests that one socket may make at once."),
        .integer(
            "limits.socketQueueMessages", \.limits.socketQueueMessages, 10...1_000_000,
            "Messages that may wait for a client that reads slowly, before it is disconnected."),
        .integer(
            "limits.socketQueueBytes", \.limits.socketQueueBytes, 262_144...1_073_741_824,
            "Bytes that may wait for a client that reads slowly, before it is disconnected."),
    ]

    private static let log: [Setting] = [
        .choice("log.level", \.log.level, "The least important lines that are written."),
        .choice("log.format", \.log.format, "How lines look: for people, or an object of JSON each."),
    ]

    private static let web: [Setting] = [
        .text(
            "web.directory", \.web.directory, allowed: "a directory, or empty",
            "Serves the pages from this directory instead of those in the binary. For work on the pages."),
        .text(
            "web.guestKey", \.web.guestKey, allowed: "the id of one of auth.keys, or empty",
            "The key that signs call tokens for whoever opens the page without one. For development. "
                + "Empty: nobody gets in without a token."),
    ]
}
