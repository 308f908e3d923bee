public import Configuration
public import Meeting

/// What the control plane needs of the configuration, and the API's own times, which tests shorten.
public struct ControlSettings: Sendable {
    /// What the server calls itself, and its version.
    public var name: String
    public var version = ""
    /// An address; nil for all of them.
    public var host: String?
    /// 0: any free one.
    public var port: UInt16
    /// The certificate of the port; nil: it speaks plain HTTP.
    public var tls: CertificateFiles?
    /// Origins whose pages may use the API; `*`: any.
    public var origins: [String]
    public var keys: [APIKey]
    /// The key that signs guests' call tokens; nil: there are no guests.
    public var guestKeyID: String?
    /// Whether /metrics wants an API key.
    public var metricsNeedKey: Bool
    /// Whether a session may exist that isn't a group.
    public var allowsAdHoc: Bool
    /// Serve the pages from here; nil for those in the binary.
    public var webDirectory: String?
    public var maxSessions: Int
    /// Participants of all sessions.
    public var maxParticipants: Int
    /// Connected participants of one media thread.
    public var maxTransports: Int
    public var maxVideoSeats: Int
    public var meeting: MeetingLimits
    /// What sessions begin with that say nothing else.
    public var session: SessionSettings
    public var socket: SocketLimits
    public var authTokenSeconds: Int64 = 1_800
    public var callTokenSeconds: Int64 = 300
    /// How often time-outs are checked.
    public var tickMs: Int64 = 500
    /// How often sockets are looked for whose auth token has expired.
    public var expiryMs: Int64 = 1_000
    /// How often the store is rid of what nobody needs any more.
    public var cleaningMs: Int64 = 60_000
    /// How long a session that a back end made is there while nobody is in it.
    public var unusedSessionMs: Int64 = 86_400_000
    /// How long sockets get to take their close frames when the server stops.
    public var closeMs: Int64 = 2_000
    /// How long meetings may go on where a drain doesn't say so.
    public var drainSeconds: Int

    public init(_ settings: Settings = Settings()) {
        name = settings.server.name
        host = settings.http.host.isEmpty ? nil : settings.http.host
        port = UInt16(clamping: settings.http.port)
        let http = settings.http
        tls =
            http.usesTLS
            ? CertificateFiles(certificate: http.tlsCertificate, privateKey: http.tlsPrivateKey) : nil
        origins = http.cors
        keys = settings.auth.keys
        guestKeyID = settings.web.guestKey.isEmpty ? nil : settings.web.guestKey
        metricsNeedKey = http.metricsNeedKey
        allowsAdHoc = settings.sessions.adHoc
        webDirectory = settings.web.directory.isEmpty ? nil : settings.web.directory
        maxSessions = settings.limits.maxSessions
        maxParticipants = settings.limits.maxParticipants
        maxTransports = settings.media.maxTransports
        maxVideoSeats = settings.sessions.maxVideoSeats
        meeting = MeetingLimits(maxParticipants: settings.sessions.maxParticipants)
        session = SessionSettings(settings.sessions)
        drainSeconds = Int(settings.server.drain / .seconds(1))
        socket = SocketLimits()
        socket.requestsPerSecond = settings.limits.socketRequestsPerSecond
        socket.requestBurst = settings.limits.socketRequestBurst
        socket.queuedMessages = settings.limits.socketQueueMessages
        socket.queuedBytes = settings.limits.socketQueueBytes
    }
}

extension SessionSettings {
    init(_ settings: Settings.Sessions) {
        self.init(maxParticipants: settings.maxParticipants)
        maxVideoSeats = settings.maxVideoSeats
        maxAudible = settings.maxAudible
        if settings.maxBitrateUpBps > 0 { maxBitrateUpBps = settings.maxBitrateUpBps }
        if settings.maxBitrateDownBps > 0 { maxBitrateDownBps = settings.maxBitrateDownBps }
    }
}
