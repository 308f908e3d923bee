/// Which forwarder is driven: each has a `Signalling` of its own.
public enum Forwarder: String, Sendable, CaseIterable {
    case rostrum, janus
}

/// What a command line says: a scenario, changes to it, and how the tool itself works.
public struct LoadFlags: Sendable {
    public var scenario = Scenario()
    public var server = "http://127.0.0.1:8080"
    public var forwarder = Forwarder.rostrum
    public var key: LoadKey?
    public var fleet = FleetSettings()
    public var jsonPath: String?
    public var csvPath: String?
    public var htmlPath: String?
    public var serverProcess: Int?
    /// Begins the ids of sessions; by default one that no other run has.
    public var sessionName: String?
    /// No progress line.
    public var isQuiet = false
    /// A scenario by its file, or by its name in the folder of scenarios.
    public var scenarioName: String?
    /// What was changed that nobody asked for, a line each for a person.
    public internal(set) var notes: [String] = []

    public init() {}

    /// - Parameters:
    ///   - arguments: what stands behind `run`.
    ///   - read: the bytes of a scenario by file or name; nil if there is none.
    public static func parse(
        _ arguments: [String], environment: [String: String], read: (String) -> [UInt8]?
    ) throws(LoadError) -> LoadFlags {
        var flags = LoadFlags()
        if let text = environment["ROSTRUM_LOAD_KEY"], !text.isEmpty {
            guard let key = LoadKey(text) else { throw .invalid("ROSTRUM_LOAD_KEY must be ID:SECRET") }
            flags.key = key
        }
        if let text = environment["ROSTRUM_LOAD_SERVER"] { flags.server = text }
        let (given, scenario) = try split(arguments)
        if let name = scenario {
            guard let bytes = read(name) else {
                throw .invalid("there is no scenario \(name): no such file, and none in Config/load here")
            }
            flags.scenarioName = name
            flags.scenario = try Scenario.read(bytes)
        }
        let file = flags.scenario
        for (name, value) in given {
            if switches.contains(name) { flags.turn(name) } else { try flags.set(name, value) }
        }
        flags.fit(file, given: Set(given.map(\.name)))
        try flags.scenario.check()
        return flags
    }

    private mutating func turn(_ name: String) {
        switch name {
        case "--no-transport-cc": scenario.transportCC = false
        case "--no-rtx": scenario.retransmission = false
        case "--dtx": scenario.dtx = true
        case "--publishers-only-send": scenario.publishersWatch = false
        default: isQuiet = true
        }
    }

    private mutating func set(_ name: String, _ value: String) throws(LoadError) {
        switch name {
        case "--server": server = value
        case "--key":
            guard let key = LoadKey(value) else { throw .invalid("--key must be ID:SECRET") }
            self.key = key
        case "--forwarder":
            guard let forwarder = Forwarder(rawValue: value) else {
                throw .invalid("--forwarder must be rostrum or janus")
            }
            self.forwarder = forwarder
        case "--json": jsonPath = value
        case "--csv": csvPath = value
        case "--html": htmlPath = value
        case "--session": sessionName = value
        case "--server-pid": serverProcess = try Self.integer(name, value)
        case "--workers": fleet.workers = try Self.integer(name, value, 1...64)
        case "--seed": fleet.seed = UInt64(try Self.integer(name, value))
        case "--sample": fleet.sample = try Self.integer(name, value, 1...10_000)
        case "--expect": scenario.expect = value
        default: try setScenario(name, value)
        }
    }

    private mutating func setScenario(_ name: String, _ value: String) throws(LoadError) {
        switch name {
        case "--sessions": scenario.sessions = try Self.integer(name, value)
        case "--places": scenario.places = try Self.integer(name, value)
        case "--participants": scenario.participants = try Self.integer(name, value)
        case "--publishers":
            let pair = try Self.pair(name, value)
            scenario.publishers = Scenario.Publishers(audio: pair["audio"], video: pair["video"])
        case "--seats":
            let pair = try Self.pair(name, value)
            scenario.seats = Scenario.Seats(audio: pair["audio"], video: pair["video"])
        case "--simulcast": scenario.simulcast = try Self.integer(name, value)
        case "--temporal-layers": scenario.temporalLayers = try Self.integer(name, value)
        case "--bitrate": scenario.bitrateBps = try Self.bitrate(name, value)
        case "--audio-bitrate": scenario.audioBitrateBps = try Self.bitrate(name, value)
        case "--fps": scenario.framesPerSecond = try Self.integer(name, value)
        case "--speakers": scenario.speakers = try Self.integer(name, value)
        case "--turn": scenario.turnSeconds = try Self.number(name, value)
        case "--duration": scenario.durationSeconds = try Self.number(name, value)
        case "--settle": scenario.settleSeconds = try Self.number(name, value)
        case "--ramp": scenario.ramp = try Self.number(name, value)
        case "--churn": scenario.churn = try Self.number(name, value)
        case "--srtp-suite": scenario.srtpSuite = value
        case "--codec":
            guard let codec = VideoCodec(rawValue: value.uppercased()) else {
                throw .invalid("--codec must be VP8, VP9, H264 or AV1")
            }
            scenario.codec = codec
        case "--spatial-layers": scenario.spatialLayers = try Self.integer(name, value)
        case "--viewports":
            scenario.viewports = []
            for part in value.split(separator: ",") {
                scenario.viewports?.append(try Self.integer(name, String(part)))
            }
        case "--layout": scenario.layout = value
        case "--moderator":
            let rates = try Self.rates(name, value, ["mutes", "removals", "hands", "messages"])
            scenario.moderator = Scenario.Moderator(
                mutes: rates["mutes"], removals: rates["removals"], hands: rates["hands"],
                messages: rates["messages"])
        case "--chaos":
            let rates = try Self.rates(name, value, ["sockets", "transports", "addresses"])
            scenario.chaos = Scenario.Chaos(
                sockets: rates["sockets"], transports: rates["transports"], addresses: rates["addresses"])
        case "--calls":
            let calls = try Self.number(name, value)
            scenario.ringing = Scenario.Ringing(calls: calls, talkSeconds: scenario.ringing?.talkSeconds)
        case "--talk": scenario.ringing?.talkSeconds = try Self.number(name, value)
        case "--requests": scenario.requests = try Self.number(name, value)
        case "--loss", "--delay", "--jitter", "--rate": try setNetwork(name, value)
        default: throw Self.unknown(name)
        }
    }

    private mutating func setNetwork(_ name: String, _ value: String) throws(LoadError) {
        var network = scenario.network ?? NetworkPlan()
        switch name {
        case "--loss": network.lossPercent = try Self.number(name, value, ending: "%")
        case "--delay": network.delayMs = try Self.number(name, value, ending: "ms")
        case "--jitter": network.jitterMs = try Self.number(name, value, ending: "ms")
        default: network.rateBps = try Self.bitrate(name, value)
        }
        scenario.network = network
    }
}
