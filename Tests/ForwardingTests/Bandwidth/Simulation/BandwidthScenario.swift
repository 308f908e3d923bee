/// A link and who uses it, and what must come out.
struct BandwidthScenario: Sendable, CustomStringConvertible {
    /// (from second, bits a second).
    var rates: [(from: Double, rate: Double)]
    var name: String
    var seconds = 40
    /// There and back, without queue, in milliseconds.
    var roundTrip = 50.0
    /// Seconds of the first rate that the queue holds.
    var queue = 0.3
    var loss = 0.0
    /// Milliseconds by which the way there gets longer.
    var detour = 0.0
    /// The second from which on there is loss and detour.
    var worsensAt = 0.0
    /// Mean length of a burst of losses.
    var burst = 1.0
    /// Chance that a feedback message is lost, and when all are (seconds).
    var feedbackLoss = 0.0
    var silence: ClosedRange<Double>?
    /// Milliseconds that a packet may be late at random.
    var jitter = 0.0
    /// Late packets are overtaken.
    var reorders = false
    var competitor: CompetitorKind = .none
    /// Bits a second that are wanted at the most.
    var demand = 20e6
    /// Forwarded: one video of so many bits a second that doesn't follow the estimate, sent or not sent; 0: an encoder does.
    var forwarded = 0.0
    var bars = BandwidthBars()

    enum CompetitorKind: Sendable {
        case none
        case constant(rate: Double, from: Double, until: Double)
        case reno(from: Double, until: Double)
        /// Another flow of the same kind, from a second on.
        case same(from: Double)
    }

    init(_ name: String, _ rate: Double, _ change: (inout BandwidthScenario) -> Void = { _ in }) {
        self.name = name
        rates = [(0, rate)]
        change(&self)
        // Steps and competitors need their time.
        if rates.count > 1 || seconds == 40 && hasCompetitor { seconds = 60 }
    }

    private var hasCompetitor: Bool {
        if case .none = competitor { return false }
        return true
    }

    var description: String { name }
}

/// What must come out.
struct BandwidthBars: Sendable {
    /// Share of what the link had to give, from ten seconds after the start and after each rise.
    var utilisation = 0.85
    /// 95 % of packets wait no longer in the queue, in milliseconds.
    var queueing = 100.0
    /// Seconds to come below the rate after it fell, and to 85 % of it after it rose.
    var down = 1.0
    var up = 10.0
    /// Seconds until 85 % of the link is found at the start.
    var start = 2.0
    /// Why a bar isn't the usual one.
    var because = ""
}
