public import Configuration
public import Meeting

/// What the control plane needs of the configuration, and the API's own times, which tests shorten.
public struct ControlSettings: Sendable {
    /// An address; nil for all of them.
    public var host: String?
    /// 0: any free one.
    public var port: UInt16
    /// Origins whose pages may use the API; `*`: any.
    public var origins: [String]
    public var keys: [APIKey]
    /// The key that signs guests' call tokens; nil: there are no guests.
    public var guestKeyID: String?
    /// Whether a session may exist that isn't a group.
    public var allowsAdHoc: Bool
    /// Serve the pages from here; nil for those in the binary.
    public var webDirectory: String?
    public var maxSessions: Int
    /// Participants of all sessions.
    public var maxParticipants: Int
    public var meeting: MeetingLimits
    public var socket: SocketLimits
    public var authTokenSeconds: Int64 = 1_800
    public var callTokenSeconds: Int64 = 300
    /// How often time-outs are checked.
    public var tickMs: Int64 = 500
    /// How often the store is rid of what nobody needs any more.
    public var cleaningMs: Int64 = 60_000
    /// How long a session that a back end made is there while nobody is in it.
    public var unusedSessionMs: Int64 = 86_400_000
    /// How long sockets get to take their close frames when the server stops.
    public var drainMs: Int64 = 2_000

    public init(_ settings: Settings = Settings()) {
        host = settings.http.host.isEmpty ? nil : settings.http.host
        port = UInt16(clamping: settings.http.port)
        origins = settings.http.cors
        keys = settings.auth.keys
        guestKeyID = settings.web.guestKey.isEmpty ? nil : settings.web.guestKey
        allowsAdHoc = settings.sessions.adHoc
        webDirectory = settings.web.directory.isEmpty ? nil : settings.web.directory
        maxSessions = settings.limits.maxSessions
        maxParticipants = settings.limits.maxParticipants
        meeting = MeetingLimits(maxParticipants: settings.sessions.maxParticipants)
        socket = SocketLimits()
        socket.requestsPerSecond = settings.limits.socketRequestsPerSecond
        socket.requestBurst = settings.limits.socketRequestBurst
        socket.queuedMessages = settings.limits.socketQueueMessages
        socket.queuedBytes = settings.limits.socketQueueBytes
    }
}
