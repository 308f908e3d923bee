import FixedCollections
import Wire

/// What is measured of a peer's connection, both ways, from one look to the next; a fixed number of bytes.
struct ConnectionMeter: BitwiseCopyable, Sendable {
    /// How often a peer is looked at, and so the least between two changes of its score.
    static var interval: Duration { .seconds(5) }
    /// Packets without which a way isn't judged.
    private static var least: Double { 20 }
    /// Packets that went unanswered when a peer counts as gone.
    private static var unanswered: UInt32 { 50 }

    /// One way.
    struct Way: BitwiseCopyable, Sendable {
        private(set) var packets = 0.0
        private var lost = 0.0
        private var jitter = 0.0
        private var jitters = 0.0

        /// Counts packets, and what share of them was lost.
        mutating func add(packets more: Int, loss: Double) {
            guard more > 0 else { return }
            packets += Double(more)
            lost += Double(more) * loss
        }

        /// Takes in what a report says of a voice's jitter, in milliseconds.
        mutating func add(jitter milliseconds: Double) {
            jitter += milliseconds
            jitters += 1
        }

        /// As the E-model sees it.
        func model(delay: Double) -> EModel {
            var model = EModel()
            model.delay = delay
            model.jitter = jitters > 0 ? jitter / jitters : 0
            model.loss = packets > 0 ? lost / packets : 0
            return model
        }
    }

    /// From the peer, and to it.
    var up = Way()
    var down = Way()
    /// Packets to it, of all its seats, since the last look.
    var sent: UInt32 = 0
    /// Its last RTCP.
    var heardAt: Instant?
    private(set) var reviewAt = Instant.zero
    /// As it was told last; `nil`: it hasn't been measured.
    private(set) var score: Int?
    /// Looks in a row that were better than what was told, and the worst of them.
    private var better = (looks: 0, score: 5)

    init() {}

    /// Looks what has been measured since the last look, and begins anew.
    ///
    /// What is worse counts at once, what is better when two looks in a row were.
    ///
    /// - Parameters:
    ///   - roundTrip: there and back.
    ///   - shortfall: see `EModel`.
    /// - Returns: whether the score is another one.
    mutating func review(roundTrip: Duration, shortfall: Double, at now: Instant) -> Bool {
        guard now >= reviewAt else { return false }
        let isFirst = reviewAt == .zero
        reviewAt = now + Self.interval
        defer {
            up = Way()
            down = Way()
            sent = 0
        }
        guard !isFirst, let fresh = fresh(roundTrip, shortfall, at: now), fresh != score else {
            better = (0, 5)
            return false
        }
        if let score, fresh > score {
            better = (better.looks + 1, min(better.score, fresh))
            guard better.looks >= 2 else { return false }
            self.score = better.score
        } else {
            score = fresh
        }
        better = (0, 5)
        return true
    }

    /// The score of what was measured; `nil`: nothing was.
    private func fresh(_ roundTrip: Duration, _ shortfall: Double, at now: Instant) -> Int? {
        guard let heardAt else { return nil }
        guard now - heardAt < Self.interval else { return sent >= Self.unanswered ? 0 : nil }
        let delay = Double(roundTrip.wholeNanoseconds) / 2e6
        var worst: Int?
        if up.packets >= Self.least { worst = up.model(delay: delay).score }
        if down.packets >= Self.least {
            var model = down.model(delay: delay)
            model.shortfall = shortfall
            worst = min(worst ?? 5, model.score)
        }
        return worst
    }
}
