public import FixedCollections
import JSON
public import Transport

/// What a run is like: read from a file, then from flags, which win.
public struct Scenario: Codable, Sendable, Equatable {
    /// How many participants send each kind of media, per session.
    public struct Publishers: Codable, Sendable, Equatable {
        public var audio: Int?
        public var video: Int?
    }

    /// What the first one of each session does as its moderator, a minute in the whole run.
    public struct Moderator: Codable, Sendable, Equatable {
        public var mutes: Double?
        public var removals: Double?
        public var hands: Double?
        public var messages: Double?
    }

    /// What happens to participants, a minute in the whole run.
    public struct Chaos: Codable, Sendable, Equatable {
        public var sockets: Double?
        public var transports: Double?
        public var addresses: Double?
    }

    /// Calls between two users each, a minute in the whole run, instead of sessions that are joined.
    public struct Ringing: Codable, Sendable, Equatable {
        public var calls: Double
        public var talkSeconds: Double?
    }

    /// Receive-only m-lines of each participant. Whoever is seen on the k-th of video is heard on the k-th of audio: with fewer
    /// of audio than of video some aren't heard.
    public struct Seats: Codable, Sendable, Equatable {
        public var audio: Int?
        public var video: Int?
    }

    /// For a person who chooses a scenario.
    public var description: String?
    public var sessions: Int?
    /// Per session.
    public var participants: Int?
    public var publishers: Publishers?
    public var seats: Seats?
    /// Whether those that send video have seats too; default true.
    public var publishersWatch: Bool?
    /// Encodings of a camera, 1 to 3.
    public var simulcast: Int?
    public var temporalLayers: Int?
    /// Of VP9, 1 to 3.
    public var spatialLayers: Int?
    public var codec: VideoCodec?
    /// Lines that participants show of each picture at the most, one after the other in turn.
    public var viewports: [Int]?
    public var bitrateBps: Int?
    public var framesPerSecond: Int?
    public var audioBitrateBps: Int?
    /// Whether silence is sent sparsely.
    public var dtx: Bool?
    public var transportCC: Bool?
    public var retransmission: Bool?
    /// How many talk at a time, by turns; absent: all, all the time.
    public var speakers: Int?
    /// Of each turn, one right behind the other; absent: as people talk.
    public var turnSeconds: Double?
    /// Of the part that is measured.
    public var durationSeconds: Double?
    /// Between the last join and the part that is measured.
    public var settleSeconds: Double?
    /// Joins a second.
    public var ramp: Double?
    /// Participants that leave, and others that come in their place, a minute.
    public var churn: Double?
    public var srtpSuite: String?
    /// Places of each session: the first who comes sets the limit, the others come after that.
    public var places: Int?
    /// Everybody's own network.
    public var network: NetworkPlan?
    /// Hands raised and lowered a second, by one participant after the other.
    public var requests: Double?
    public var moderator: Moderator?
    public var chaos: Chaos?
    public var ringing: Ringing?
    /// tile, spotlight or sidebar.
    public var layout: String?
    /// See `Expectation`.
    public var expect: String?

    public init() {}

    /// Reads a scenario's file. Unknown fields are errors.
    public static func read(_ text: [UInt8]) throws(LoadError) -> Scenario {
        do {
            return try JSON.decode(Scenario.self, from: text)
        } catch {
            throw .invalid("the scenario: \(error.description)")
        }
    }

    /// The media plan of everybody.
    var media: MediaPlan {
        var media = MediaPlan()
        if let bitrateBps { media.videoBitsPerSecond = bitrateBps }
        if let framesPerSecond { media.framesPerSecond = framesPerSecond }
        if let temporalLayers { media.temporalLayers = temporalLayers }
        if let codec { media.codec = codec }
        if let spatialLayers { media.spatialLayers = spatialLayers }
        if let simulcast { media.encodings = simulcast }
        if let audioBitrateBps { media.audioBitsPerSecond = audioBitrateBps }
        if let dtx { media.usesDTX = dtx }
        if let transportCC { media.usesTransportCC = transportCC }
        if let retransmission { media.usesRTX = retransmission }
        return media
    }

    public var duration: Duration { .milliseconds(Int64((durationSeconds ?? 10) * 1_000)) }
    public var settling: Duration { .milliseconds(Int64((settleSeconds ?? 2) * 1_000)) }

    /// Between two joins.
    var spacing: Duration { .nanoseconds(Int64(1e9 / (ramp ?? 20))) }

    /// Refuses what makes no sense: the first field that is wrong, and why.
    public func check() throws(LoadError) {
        try within("sessions", sessions, 1...10_000)
        try within("participants", participants, 1...100_000)
        try checkSenders("audio", publishers?.audio)
        try checkSenders("video", publishers?.video)
        try within("seats.audio", seats?.audio, 0...100)
        try within("seats.video", seats?.video, 0...100)
        try within("simulcast", simulcast, 1...3)
        try within("temporalLayers", temporalLayers, 1...3)
        try within("spatialLayers", spatialLayers, 1...3)
        for lines in viewports ?? [] { try within("viewports", lines, 1...10_000) }
        guard spatialLayers ?? 1 == 1 || (codec == .vp9 && simulcast ?? 1 == 1) else {
            throw .invalid("spatialLayers are for VP9 without simulcast")
        }
        guard temporalLayers ?? 1 == 1 || codec?.tellsTemporalLayers ?? true else {
            throw .invalid(
                "temporalLayers are for VP8 and VP9: H264 and AV1 are sent without a dependency descriptor")
        }
        try within("bitrateBps", bitrateBps, 20_000...50_000_000)
        try within("framesPerSecond", framesPerSecond, 1...120)
        try within("audioBitrateBps", audioBitrateBps, 12_000...510_000)
        try within("places", places, 1...100_000)
        try within("speakers", speakers, 0...1_000)
        guard (durationSeconds ?? 1) > 0, (settleSeconds ?? 0) >= 0, turnSeconds ?? 1 >= 0.1 else {
            throw .invalid("durationSeconds must be more than 0, settleSeconds not less, turnSeconds 0.1")
        }
        guard (ramp ?? 1) > 0, (churn ?? 0) >= 0 else {
            throw .invalid("ramp must be more than 0, churn not less")
        }
        guard (0...100).contains(network?.lossPercent ?? 0), (0...10_000).contains(network?.delayMs ?? 0),
            (0...10_000).contains(network?.jitterMs ?? 0), (network?.rateBps ?? 10_000) >= 10_000
        else {
            throw .invalid(
                "network: 0 to 100 % of loss, 0 to 10,000 ms of delay and jitter, at least 10 kbit/s")
        }
        guard (0...100).contains(requests ?? 0) else {
            throw .invalid("requests must be from 0 to 100 a second")
        }
        let rates = [
            moderator?.mutes, moderator?.removals, moderator?.hands, moderator?.messages, chaos?.sockets,
            chaos?.transports, chaos?.addresses, ringing?.calls,
        ]
        guard rates.allSatisfy({ (0...60_000).contains($0 ?? 0) }), ringing?.talkSeconds ?? 1 > 0 else {
            throw .invalid("rates must be from 0 to 60,000 a minute, talkSeconds more than 0")
        }
        guard ringing == nil || (participants ?? 2) * (sessions ?? 1) % 2 == 0 else {
            throw .invalid("those who call each other are pairs: participants must be even")
        }
        guard layout.map({ ["tile", "spotlight", "sidebar"].contains($0) }) ?? true else {
            throw .invalid("layout must be tile, spotlight or sidebar")
        }
        _ = try suites()
    }

    private func checkSenders(_ kind: String, _ count: Int?) throws(LoadError) {
        try within("publishers.\(kind)", count, 0...100_000)
        let people = participants ?? 2
        guard let count, count > people else { return }
        throw .invalid(
            "publishers.\(kind) is \(count), but there are \(people) participants: change --publishers or --participants"
        )
    }

    private func within(_ name: String, _ value: Int?, _ range: ClosedRange<Int>) throws(LoadError) {
        guard let value, !range.contains(value) else { return }
        throw .invalid("\(name) must be from \(range.lowerBound) to \(range.upperBound)")
    }

    /// The SRTP suites that are offered.
    public func suites() throws(LoadError) -> [SRTPSuite] {
        guard let srtpSuite else { return [.aes128GCM, .aes256GCM, .aes128CMSHA1] }
        switch srtpSuite {
        case "AEAD_AES_128_GCM": return [.aes128GCM]
        case "AEAD_AES_256_GCM": return [.aes256GCM]
        case "AES_CM_128_HMAC_SHA1_80": return [.aes128CMSHA1]
        default:
            throw .invalid(
                "srtpSuite must be AEAD_AES_128_GCM, AEAD_AES_256_GCM or AES_CM_128_HMAC_SHA1_80")
        }
    }
}

extension Scenario {
    /// Everybody who comes in the course of the run, in the order of coming.
    ///
    /// - Parameter name: begins the session's ids; two runs at once must differ in it.
    public func plans(name: String, start: Instant) -> [ParticipantPlan] {
        var plans: [ParticipantPlan] = []
        let people = participants ?? 2
        // Publishers come first, session by session in turn, so that watchers have something to see.
        for place in 0..<people {
            for session in 0..<(sessions ?? 1) {
                let at = start + spacing * plans.count
                plans.append(
                    plan(number: plans.count, place: place, session: "\(name)-\(session)", joinAt: at))
            }
        }
        addChurn(to: &plans)
        return plans
    }

    /// When the last of those who come first has been asked to join.
    public func rampEnd(start: Instant) -> Instant {
        start + spacing * ((participants ?? 2) * (sessions ?? 1))
    }

    private func plan(number: Int, place: Int, session: String, joinAt: Instant) -> ParticipantPlan {
        var plan = ParticipantPlan(
            number: number, session: session, uid: ParticipantPlan.uid(number), joinAt: joinAt)
        if place == 0, let places {
            plan.scope = "owner"
            plan.places = places
        }
        plan.awaitsPlaces = places != nil && place > 0
        plan.sendsAudio = place < publishers?.audio ?? 0
        plan.sendsVideo = place < publishers?.video ?? 0
        if publishersWatch != false || !(plan.sendsVideo || plan.sendsAudio) {
            plan.videoSeats = seats?.video ?? 4
            // As the client module asks for them: a voice for each picture, and three of people who aren't seen.
            plan.audioSeats = seats?.audio ?? plan.videoSeats + 3
        }
        plan.layout = layout
        if let viewports, !viewports.isEmpty { plan.maxHeight = viewports[place % viewports.count] }
        if place == 0, moderator != nil { plan.scope = "owner" }
        plan.mayBeRemoved = moderator != nil && place > 0
        if let ringing {
            (plan.partner, plan.callsOthers) = (number ^ 1, number & 1 == 0)
            plan.talk = .milliseconds(Int64((ringing.talkSeconds ?? 4) * 1_000))
        }
        plan.media = media
        plan.network = network ?? NetworkPlan()
        return plan
    }

    /// Lets people who only watch leave, oldest first, and as many others come at the same moments.
    private func addChurn(to plans: inout [ParticipantPlan]) {
        guard let churn, churn > 0, let last = plans.last else { return }
        let spacing = Duration.nanoseconds(Int64(60e9 / churn))
        let end = last.joinAt + settling + duration
        var leavers = plans.indices.filter { !plans[$0].sendsAudio && !plans[$0].sendsVideo }[...]
        var at = last.joinAt + spacing
        while at < end, let index = leavers.popFirst() {
            plans[index].leaveAt = at
            var newcomer = plans[index]
            newcomer.number = plans.count
            newcomer.uid = ParticipantPlan.uid(plans.count)
            newcomer.joinAt = at
            newcomer.leaveAt = nil
            leavers.append(plans.count)
            plans.append(newcomer)
            at += spacing
        }
    }
}
