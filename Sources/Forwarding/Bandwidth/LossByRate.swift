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
        for bin in 0..<Self.bins {
            bins[bin].lost *= Self.fading
            bins[bin].total *= Self.fading
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

    /// The least share that was lost at any rate; `nil` until that can be told.
    ///
    /// - Parameter burst: the mean length of runs of lost packets, at least 1.
    func least(burst: Double) -> Double? {
        let enough = Float(Self.enough * min(burst, 10))
        var least: Float?
        var group = Bin()
        for bin in 0..<Self.bins {
            group.lost += bins[bin].lost
            group.total += bins[bin].total
            guard group.total >= enough else { continue }
            least = min(least ?? 1, group.lost / group.total)
            group = Bin()
        }
        return least.map { min(Double($0), Self.mostInherent) }
    }
}
