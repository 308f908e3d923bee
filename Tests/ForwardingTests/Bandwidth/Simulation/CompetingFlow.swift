/// Traffic of somebody else through the same bottleneck.
enum Competitor {
    /// A constant rate, from and until (in seconds).
    case constant(rate: Double, from: Double, until: Double)
    /// A download with Reno's congestion control, from and until (in seconds).
    case reno(from: Double, until: Double)
}

/// Sends as its kind tells.
struct CompetingFlow {
    private static let size = 1_500

    private let kind: Competitor
    private let index: Int
    private var credit = 0.0
    private var lastTime: Int64 = 0
    // Reno's window and what it knows, in packets.
    private var window = 10.0
    private var threshold = Double.infinity
    private var inFlight: Set<Int> = []
    private var next = 0
    private var recoverUntil = -1
    private(set) var received = 0

    init(_ kind: Competitor, index: Int) {
        self.kind = kind
        self.index = index
    }

    mutating func send(at time: Int64) -> [LinkPacket] {
        let seconds = Double(time) / 1e9
        defer { lastTime = time }
        switch kind {
        case .constant(let rate, let from, let until):
            guard seconds >= from, seconds < until else { return [] }
            credit += rate * Double(time - lastTime) / 8e9
            var packets: [LinkPacket] = []
            while credit >= Double(Self.size) {
                credit -= Double(Self.size)
                packets.append(take())
            }
            return packets
        case .reno(let from, let until):
            guard seconds >= from, seconds < until else { return [] }
            var packets: [LinkPacket] = []
            while Double(inFlight.count) < window {
                let packet = take()
                inFlight.insert(packet.number)
                packets.append(packet)
            }
            return packets
        }
    }

    private mutating func take() -> LinkPacket {
        next += 1
        return LinkPacket(flow: index, number: next, bytes: Self.size)
    }

    /// An acknowledgement has come back.
    mutating func acknowledge(_ number: Int) {
        received += 1
        guard inFlight.remove(number) != nil else { return }
        window += window < threshold ? 1 : 1 / window
        // What is three packets behind is lost.
        let lost = inFlight.filter { $0 < number - 3 }
        guard !lost.isEmpty else { return }
        inFlight.subtract(lost)
        guard (lost.max() ?? 0) > recoverUntil else { return }
        recoverUntil = next
        threshold = max(window / 2, 2)
        window = threshold
    }
}
