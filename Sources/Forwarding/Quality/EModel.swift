/// How a conversation over a path is rated: the E-model of ITU-T G.107, reduced to what a server can measure.
///
/// R = 93.2 − Id − Ie,eff: all that isn't the network's at its default (G.107 table 3), as in Cole and Rosenbluth, "Voice over
/// IP performance monitoring" (2001). What is ours, and no part of G.107, is that pictures which are worse than wanted take
/// up to 25 off.
struct EModel: Sendable {
    /// Of a path without delay or loss.
    private static var best: Double { 93.2 }
    /// Of G.711 with concealment at random loss (G.113 table I.4); Opus conceals no worse.
    private static var robustness: Double { 25.1 }
    /// One way, at the ends of the path: a packet of 20 ms, and as much to encode and to play it.
    private static var ends: Double { 40 }
    /// What pictures take off if none that is wanted can be sent.
    private static var pictures: Double { 25 }

    /// One way, in milliseconds, queues included.
    var delay = 0.0
    /// Between packets, in milliseconds; a receiver waits twice as long.
    var jitter = 0.0
    /// Share of packets, 0 to 1.
    var loss = 0.0
    /// Share of the wanted pictures' layers that are missing, 0 to 1.
    var shortfall = 0.0

    /// The rating R, 0 to 93.2.
    var rating: Double {
        let delay = delay + 2 * jitter + Self.ends
        // Below 177.3 ms delay is hardly noticed.
        let delayed = 0.024 * delay + (delay > 177.3 ? 0.11 * (delay - 177.3) : 0)
        let percent = min(max(loss, 0), 1) * 100
        let lost = 95 * percent / (percent + Self.robustness)
        return min(max(Self.best - delayed - lost - Self.pictures * shortfall, 0), Self.best)
    }

    /// 5 down to 1 by the categories of speech quality of ITU-T G.109: best, high, medium, low, poor. 0 is left for those of
    /// whom nothing is heard.
    var score: Int {
        switch rating {
        case 90...: 5
        case 80...: 4
        case 70...: 3
        case 60...: 2
        default: 1
        }
    }
}
