/// How much was lost at which rate, over the last half minute or so.
///
/// Loss that comes with the link (radio) is there at any rate; loss that comes from sending too much (a full queue, a policer)
/// isn't there at lower rates. So the least that was lost at any rate is the most that the link itself may lose.
struct LossByRate: BitwiseCopyable {
    private struct Bin: BitwiseCopyable {
        var lost: Float = 0
        var total: Float = 0
    }

    private static var bins: Int { 96 }
    /// Half of the weight is gone after ten seconds of observations.
    private static var fading: Float { 0.983 }
    /// Packets of which a share makes sense, if losses are independent.
    private static var enough: Double { 150 }
    /// More than this is never taken for the link's own.
    private static var mostInherent: Double { 0.2 }

    private var bins = InlineArray<96, Bin>(repeating: Bin())

    mutating func add(rate: Double, lost: Int, total: Int) {
        var span = bins.mutableSpan
        for bin in 0..<span.count {
            span[bin].lost *= Self.fading
            span[bin].total *= Self.fading
        }
        let bin = Self.bin(of: rate)
        bins[bin].lost += Float(lost)
        bins[bin].total += Float(total)
    }

    /// Eight bins an octave, from 16 kbit/s on.
    private static func bin(of rate: Double) -> Int {
        guard rate >= 16_384 else { return 0 }
        let bin = (Int(rate.exponent) - 14) * 8 + Int((rate.significand - 1) * 8)
        return min(bin, bins - 1)
    }

    /// The least share that was lost at any rate, and of how many packets; `nil` until that can be told.
    ///
    /// - Parameters:
    ///   - burst: the mean length of runs of lost packets, at least 1.
    ///   - known: a share that is known to be the link's own.
    func least(burst: Double, known: Double) -> (share: Double, packets: Double)? {
        let enough = Float(Self.enough * min(burst, 10))
        var least: (share: Float, packets: Float)?
        var group = Bin()
        let bins = bins.span
        for bin in 0..<bins.count {
            group.lost += bins[bin].lost
            group.total += bins[bin].total
            guard group.total >= enough else { continue }
            let share = group.lost / group.total
            if share < least?.share ?? 2 { least = (share, group.total) }
            group = Bin()
        }
        return least.map { (min(Double($0.share), max(Self.mostInherent, known)), Double($0.packets)) }
    }

    /// Whether less than half as much was lost at such rates, or higher ones, as is lost now: then the link has changed, and
    /// what is known of it is of no use.
    func isOutdated(by share: Double, at rate: Double) -> Bool {
        var same = Bin()
        let bins = bins.span
        for bin in Self.bin(of: rate)..<bins.count {
            same.lost += bins[bin].lost
            same.total += bins[bin].total
        }
        return same.total >= Float(Self.enough) && same.lost < same.total * Float(share / 2)
    }
}
