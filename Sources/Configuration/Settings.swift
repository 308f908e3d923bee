/// Everything that can be configured, with its default. `Setting.all` holds the names, ranges and explanations.
public struct Settings: Sendable, Equatable {
    public var server = Server()
    public var http = HTTP()
    public var media = Media()
    public var auth = Auth()
    public var sessions = Sessions()
    public var storage = Storage()
    public var limits = Limits()
    public var log = Log()
    public var web = Web()

    public init() {}

    public struct Server: Sendable, Equatable {
        public var name = "rostrum"
        public var drain = Duration.seconds(30)
    }

    public struct HTTP: Sendable, Equatable {
        public var host = ""
        public var port = 8080
        public var cors: [String] = []
        /// Empty, as is the next one: no TLS.
        public var tlsCertificate = ""
        public var tlsPrivateKey = ""
        public var metricsNeedKey = false

        public var usesTLS: Bool { !tlsCertificate.isEmpty }
    }

    public struct Media: Sendable, Equatable {
        public var host = ""
        public var port = 3478
        public var tcp = true
        public var estimateBandwidth = false
        public var ipv6 = Switch.auto
        public var advertise: [String] = []
        public var advertiseLoopback = false
        /// 0: a worker for each core but one.
        public var workers = 0
        public var spreadAbove = 0.7
        public var maxTransports = 2_000
        public var maxSeats = 65_536
        public var maxPackets = 65_536
        public var maxCoalesce = Duration.milliseconds(5)
        public var socketBufferBytes = 4 * 1024 * 1024
        public var segmentationOffload = Switch.auto
        public var sealer = Sealer.auto
        public var cacheVideo = Duration.milliseconds(2_000)
        public var cacheAudio = Duration.milliseconds(1_000)
    }

    public struct Auth: Sendable, Equatable {
        public var keys: [APIKey] = []
    }

    public struct Sessions: Sendable, Equatable {
        public var adHoc = false
        public var maxParticipants = 50
        public var maxVideoSeats = 25
        public var maxAudible = 5
        /// 0, as in the next: no limit.
        public var maxBitrateUpBps = 0
        public var maxBitrateDownBps = 0
    }

    public struct Storage: Sendable, Equatable {
        /// A file, or `:memory:`. Empty: nothing is said, and the server doesn't start.
        public var path = ""
    }

    public struct Limits: Sendable, Equatable {
        public var maxSessions = 10_000
        public var maxParticipants = 10_000
        public var socketRequestsPerSecond = 50
        public var socketRequestBurst = 100
        public var socketQueueMessages = 1_000
        public var socketQueueBytes = 4 * 1024 * 1024
    }

    public struct Log: Sendable, Equatable {
        public var level = Level.info
        public var format = Format.text
    }

    public struct Web: Sendable, Equatable {
        /// Empty: the pages in the binary.
        public var directory = ""
        /// Id of the API key that signs guests' call tokens. Empty: there are no guests.
        public var guestKey = ""
    }

    /// Used if it works, or not at all.
    public enum Switch: String, CaseIterable, Sendable {
        case auto, off
    }

    public enum Sealer: String, CaseIterable, Sendable {
        case auto, multiBuffer, openSSL
    }

    public enum Level: String, CaseIterable, Sendable {
        case error, warning, info, debug
    }

    public enum Format: String, CaseIterable, Sendable {
        case text, json
    }

    /// Whether the key of `Config/dev.json` is among the keys: it is public, so the server says so when it starts.
    public var usesDevelopmentKey: Bool {
        auth.keys.contains { $0.id == APIKey.developmentID }
    }
}
