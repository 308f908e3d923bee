import FixedCollections
import JSON

/// The figures of a run: those that are shown, written as JSON, and compared with expectations. One name each.
public struct Report: Sendable {
    /// What a figure's number means.
    public enum Unit: String, Sendable {
        case count, perSecond, milliseconds, percent, megabits, seconds, megabytes, microseconds, ratio
    }

    public struct Figure: Sendable, Equatable {
        public var name: String
        public var label: String
        public var value: Double
        public var unit: Unit
        public var group: Group
    }

    /// What figures are about, in the order in which they are shown.
    public enum Group: String, Sendable, CaseIterable {
        case joining = "Joining"
        case traffic = "Traffic"
        case quality = "Quality"
        case meeting = "Who sits where, who speaks"
        case happenings = "What was done"
        case tool = "This tool"
        case server = "The server"
    }

    /// In the order in which they are shown.
    public private(set) var figures: [Figure] = []
    /// Of what is added next.
    private var group = Group.joining
    public let errors: [String: UInt64]
    public let windowSeconds: Double

    /// - Parameters:
    ///   - window: what was counted between two moments.
    ///   - whole: what was counted since the start: joins are seldom within the window.
    public init(
        window: Totals, whole: Totals, seconds: Double, joinedNow: Int, clientLoad: Double,
        server: ServerFigures, admission: AdmissionFigures? = nil
    ) {
        windowSeconds = seconds
        errors = whole.errors
        addJoining(whole, joinedNow)
        if let admission {
            add("refusedFull", "refused: full", UInt64(admission.refused))
            add("admissionErrors", "admitted or refused wrongly", UInt64(admission.errors))
        }
        group = .traffic
        addTraffic(window, seconds)
        group = .quality
        addQuality(window, seconds)
        group = .meeting
        addMeeting(window)
        group = .happenings
        addHappenings(window)
        group = .tool
        add("clientLoad", "client's busiest thread", clientLoad * 100, .percent)
        add("Lateness", "client's own lateness", window.lateness)
        add("droppedByClient", "dropped by the client", window.droppedByClient)
        group = .server
        addServer(server, window, seconds)
    }

    /// The figure of this name.
    public subscript(name: String) -> Double? {
        figures.first { $0.name == name }?.value
    }

    private mutating func addJoining(_ totals: Totals, _ joinedNow: Int) {
        add("participants", "participants connected", UInt64(joinedNow))
        add("joined", "joined", totals.joined)
        add("joinFailures", "joins that failed", totals.failedJoins)
        add("failures", "refusals and failures", totals.errors.values.reduce(0, +))
        add("missedEvents", "events that never came", totals.missedEvents)
        let join = totals.join
        add("Socket", "socket opened", join.socket)
        add("Answer", "join answered", join.answer)
        add("Ice", "ICE", join.ice)
        add("Dtls", "DTLS", join.dtls)
        add("Join", "joined and connected", join.total)
        add("FirstAudio", "first audio once somebody talks", join.firstAudio)
        add("FirstFrame", "first picture once a camera is on", join.firstFrame)
    }

    private mutating func addTraffic(_ totals: Totals, _ seconds: Double) {
        add("windowSeconds", "measured", seconds, .seconds)
        add("sentPackets", "packets sent", totals.sent)
        add("receivedPackets", "packets received", totals.received)
        add("sentPacketRate", "packets sent", Double(totals.sent) / seconds, .perSecond)
        add("receivedPacketRate", "packets received", Double(totals.received) / seconds, .perSecond)
        let bytes = totals.receivedAudio.bytes + totals.receivedVideo.bytes
        add("receivedMegabits", "received", Double(bytes) * 8 / 1e6 / seconds, .megabits)
        add(
            "sentMegabits", "sent",
            Double(totals.sentAudio.bytes + totals.sentVideo.bytes) * 8 / 1e6 / seconds, .megabits)
    }

    private mutating func addQuality(_ totals: Totals, _ seconds: Double) {
        let expected = Double(max(1, totals.expected))
        add(
            "lossBeforeRepair", "lost before repair", Double(totals.lostBeforeRepair) * 100 / expected,
            .percent)
        add("loss", "lost", Double(totals.lost) * 100 / expected, .percent)
        add("lostPackets", "packets lost", totals.lost)
        add("duplicates", "duplicates", totals.duplicates)
        add("fromCache", "from before a seat was taken", totals.fromCache)
        add("reordered", "out of order", totals.reordered)
        add("Delay", "delay", totals.delay, withTail: true)
        if let mean = totals.delay.mean {
            add("meanDelay", "delay, mean", Double(mean.wholeNanoseconds) / 1e6, .milliseconds)
        }
        add("Jitter", "jitter", totals.jitter)
        add("AudioDelay", "delay of audio", totals.audioDelay)
        add("VideoDelay", "delay of video", totals.videoDelay)
        add("RepairDelay", "delay of what was repaired", totals.repairDelay)
        add("nacksSent", "NACKs sent", totals.nacksSent)
        add("nacksReceived", "NACKs received", totals.nacksReceived)
        add("retransmissions", "retransmissions received", totals.retransmissionsReceived)
        add("keyFrameRequests", "key frames asked for", totals.keyFrameRequestsSent)
        add(
            "keyFrameRequestsReceived", "key frames that senders were asked for",
            totals.keyFrameRequestsReceived)
        add("earlyKeyFrameRequests", "of those, within a second of another", totals.earlyKeyFrameRequests)
        add("keyFramesSent", "key frames sent", totals.keyFramesSent)
        add("frames", "pictures received", totals.framesReceived)
        add("framesLost", "pictures lost", totals.framesLost)
        add("freezes", "freezes", totals.freezes)
        add("frozenSeconds", "frozen", Double(totals.frozenNanoseconds) / 1e9, .seconds)
        add("audioGaps", "gaps in voices", totals.audioGaps)
    }

    /// What the server decided, and how soon all knew.
    private mutating func addMeeting(_ totals: Totals) {
        add("seatChanges", "news of who sits where", totals.seatChanges)
        add("seatSwitches", "seats taken over", totals.seatSwitches)
        add("layerSwitches", "layers switched", totals.layerSwitches)
        add("wrongSeats", "seats of somebody else than told", totals.wrongSeats)
        let layers = totals.layers
        // All viewers may get the same one of several, so what isn't zero doesn't tell how many there are.
        let hasPictures = layers.encodings.contains { $0 > 0 }
        for (index, rid) in ClientOffer.rids.enumerated() where hasPictures {
            add("framesOf\(rid.uppercased())", "pictures of encoding \(rid)", layers.encodings[index])
        }
        for index in 0..<3 where layers.spatial[1...].contains(where: { $0 > 0 }) {
            add("framesOfS\(index)", "pictures of spatial layer \(index)", layers.spatial[index])
        }
        for index in 0..<3 where layers.temporal[1...].contains(where: { $0 > 0 }) {
            add("framesOfT\(index)", "pictures of temporal layer \(index)", layers.temporal[index])
        }
        add("speakerChanges", "news of who speaks", totals.speakerChanges)
        add("SpeakerNamed", "first word to named as speaker", totals.speakerNamed)
        add("SpeakerShown", "first word to shown in a seat", totals.speakerShown)
        add("SpeakerSeen", "told who speaks to picture of them", totals.speakerSeen)
        if let latest = totals.speakerSeen.percentile(1) {
            let label = "told who speaks to picture of them, at most"
            add("maxSpeakerSeen", label, Double(latest.wholeNanoseconds) / 1e6, .milliseconds)
        }
        add("events", "events", totals.events)
        add("Request", "request answered", totals.answers)
        add("FanOut", "others told", totals.fanOut)
    }

    mutating func add(_ name: String, _ label: String, _ value: Double, _ unit: Unit) {
        figures.append(Figure(name: name, label: label, value: value, unit: unit, group: group))
    }

    mutating func add(_ name: String, _ label: String, _ value: UInt64) {
        add(name, label, Double(value), .count)
    }

    /// Percentiles, if anything was recorded: `p50Delay`, `p95Delay`, …
    mutating func add(_ name: String, _ label: String, _ histogram: Histogram, withTail: Bool = false) {
        var shares: [(String, Double)] = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)]
        if withTail { shares.append(("p99.9", 0.999)) }
        for (prefix, share) in shares {
            guard let value = histogram.percentile(share) else { continue }
            add(prefix + name, "\(label), \(prefix)", Double(value.wholeNanoseconds) / 1e6, .milliseconds)
        }
    }
}

extension Report {
    /// A table for a person.
    public var text: String {
        var lines: [String] = []
        let width = figures.map(\.label.count).max() ?? 0
        for figure in figures {
            let gap = String(repeating: " ", count: width - figure.label.count + 2)
            lines.append("  " + figure.label + gap + figure.text)
        }
        for (code, count) in errors.sorted(by: { $0.key < $1.key }) {
            lines.append("  \(code): \(count) times")
        }
        return lines.joined(separator: "\n")
    }

    /// As JSON text: one object with figures by name, and `errors` by code. Nil if a figure isn't finite.
    public var json: [UInt8]? { try? value.text() }

    private var value: JSONValue {
        var object = JSONObject(figures.map { ($0.name, .number($0.value)) })
        let counts = errors.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.integer(Int64($0.value))) }
        object["errors"] = .object(JSONObject(counts))
        return .object(object)
    }
}

extension Report.Figure {
    /// Value and unit.
    public var text: String {
        switch unit {
        case .count: Decimals.text(value, 0)
        case .perSecond: Decimals.text(value, 0) + " /s"
        case .milliseconds: Decimals.text(value, value < 100 ? 2 : 1) + " ms"
        case .percent: value == 0 ? "0 %" : Decimals.text(value, value < 1 ? 3 : 1) + " %"
        case .megabits: Decimals.text(value, 1) + " Mbit/s"
        case .seconds: Decimals.text(value, 1) + " s"
        case .megabytes: Decimals.text(value, 0) + " MB"
        case .ratio: Decimals.text(value, 1)
        case .microseconds: Decimals.text(value, 2) + " µs"
        }
    }
}

/// Numbers with so many places behind the point, and thousands apart.
public enum Decimals {
    public static func text(_ value: Double, _ places: Int) -> String {
        guard value.isFinite else { return "\(value)" }
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let scaled = Int64((abs(value) * scale).rounded())
        let whole = scaled / Int64(scale)
        let digits = String(whole)
        var grouped = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { grouped += "," }
            grouped.append(digit)
        }
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard places > 0 else { return sign + grouped }
        let fraction = String(scaled % Int64(scale))
        return sign + grouped + "." + String(repeating: "0", count: places - fraction.count) + fraction
    }
}
