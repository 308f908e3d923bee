extension BandwidthScenario {
    /// All that the table is made of, in its order.
    static let all: [BandwidthScenario] = steady + steps + lossy + worsened + delayed + shared

    private static let steady = [
        BandwidthScenario("steady 0.5 Mbit/s", 0.5e6),
        BandwidthScenario("steady 1 Mbit/s", 1e6),
        BandwidthScenario("steady 3 Mbit/s", 3e6),
        BandwidthScenario("steady 10 Mbit/s", 10e6),
        BandwidthScenario("steady 1 Mbit/s, queue of 60 ms", 1e6) { $0.queue = 0.06 },
        BandwidthScenario("10 Mbit/s, 2.5 wanted", 10e6) {
            $0.demand = 2.5e6
            $0.bars.utilisation = 0.2
            $0.bars.because = "no more is wanted than a quarter"
        },
    ]

    private static let steps = [
        BandwidthScenario("3 → 0.7 → 3 Mbit/s", 3e6) {
            $0.rates = [(0, 3e6), (20, 0.7e6), (40, 3e6)]
        },
        BandwidthScenario("3 → 0.7 → 3, RTT 200 ms", 3e6) {
            $0.rates = [(0, 3e6), (20, 0.7e6), (40, 3e6)]
            $0.roundTrip = 200
        },
        BandwidthScenario("1 → 0.5 → 1 Mbit/s", 1e6) { $0.rates = [(0, 1e6), (20, 0.5e6), (40, 1e6)] },
        BandwidthScenario("10 → 2 → 10 Mbit/s", 10e6) { $0.rates = [(0, 10e6), (20, 2e6), (40, 10e6)] },
        BandwidthScenario("0.5 → 5 Mbit/s", 0.5e6) {
            $0.rates = [(0, 0.5e6), (30, 5e6)]
            $0.queue = 1.5
        },
        BandwidthScenario("5 % down and up every 5 s", 2e6) {
            $0.rates = (0..<12).map { (Double($0) * 5, $0 % 2 == 0 ? 2e6 : 1.9e6) }
            $0.bars.down = 2
            $0.bars.because = "5 % too much take a second to fill a queue of 50 ms; down within 2 s"
        },
    ]

    private static let lossy = [
        BandwidthScenario("2 % random loss, 3 Mbit/s", 3e6) { $0.loss = 0.02 },
        BandwidthScenario("10 % random loss, 10 Mbit/s", 10e6) {
            $0.loss = 0.1
            $0.bars.start = 6
            $0.bars.because =
                "probes lose packets too; two thirds of the link are found in 2 s, the rest in 6"
        },
        BandwidthScenario("10 % random loss, 1 Mbit/s", 1e6) { $0.loss = 0.1 },
        BandwidthScenario("burst loss 1 %, 8 at once, 3 Mbit/s", 3e6) {
            $0.loss = 0.01 / 8
            $0.burst = 8
        },
        BandwidthScenario("burst loss 5 %, 20 at once, 3 Mbit/s", 3e6) {
            $0.loss = 0.05 / 20
            $0.burst = 20
        },
        BandwidthScenario("queue of 40 ms, 3 Mbit/s", 3e6) { $0.queue = 0.04 },
    ]

    /// What comes over a link all at once, as when somebody walks away from the access point.
    private static let worsened = [
        forwarding(1.5e6, over: 10e6, loss: 0),
        forwarding(1.5e6, over: 10e6, loss: 0.05),
        forwarding(1.5e6, over: 10e6, loss: 0.15),
        forwarding(1.5e6, over: 10e6, loss: 0.3),
        forwarding(1.5e6, over: 2.2e6, loss: 0.15),
        forwarding(0.2e6, over: 10e6, loss: 0),
        forwarding(0.2e6, over: 10e6, loss: 0.05),
        forwarding(0.2e6, over: 10e6, loss: 0.15),
        BandwidthScenario("50 ms longer from 15 s on, 3 Mbit/s", 3e6) {
            $0.detour = 50
            $0.worsensAt = 15
        },
        BandwidthScenario("10 % random loss from 15 s on, 3 Mbit/s", 3e6) {
            $0.loss = 0.1
            $0.worsensAt = 15
        },
        BandwidthScenario("15 % lost both ways from 15 s on, 1.5 Mbit/s", 1.5e6) {
            $0.loss = 0.15
            $0.feedbackLoss = 0.15
            $0.worsensAt = 15
        },
        BandwidthScenario("15 % lost both ways, 3 → 0.7 → 3 Mbit/s", 3e6) {
            $0.rates = [(0, 3e6), (20, 0.7e6), (40, 3e6)]
            $0.loss = 0.15
            $0.feedbackLoss = 0.15
            $0.bars.up = 15
            $0.bars.because = "probes lose packets, and what is said of them; growth does the rest in 15 s"
        },
        BandwidthScenario("queue of 40 ms, 3 → 0.7 → 3 Mbit/s", 3e6) {
            $0.rates = [(0, 3e6), (20, 0.7e6), (40, 3e6)]
            $0.queue = 0.04
        },
    ]

    /// One size of video, sent or not sent, over a link that gets longer and loses both ways after ten seconds.
    private static func forwarding(_ rate: Double, over link: Double, loss: Double) -> BandwidthScenario {
        let name = "\(rate / 1e6) of \(link / 1e6) Mbit/s forwarded, \(Int(loss * 100)) % lost, 50 ms longer"
            .replacing(".0 ", with: " ")
        return BandwidthScenario(name, link) {
            $0.forwarded = rate
            $0.demand = rate
            $0.loss = loss
            $0.feedbackLoss = loss
            $0.detour = 50
            $0.worsensAt = 10
            $0.roundTrip = 40
            // The voice is sent too.
            $0.bars.utilisation = 0.98 * (rate + 48_000) / link
            $0.bars.because = "what there is, 98 % of the time"
        }
    }

    private static let delayed = [
        BandwidthScenario("bufferbloat, 500 ms, 2 Mbit/s", 2e6) { $0.queue = 0.5 },
        BandwidthScenario("bufferbloat, 500 ms, 3 → 1", 3e6) {
            $0.queue = 0.5
            $0.rates = [(0, 3e6), (30, 1e6)]
        },
        BandwidthScenario("jitter 30 ms, in order, 3 Mbit/s", 3e6) {
            $0.jitter = 30
            $0.bars.start = 10
            $0.bars.because =
                "jitter as long as a probe hides the link's rate; what probes don't find growth does, in 10 s"
        },
        BandwidthScenario("jitter 30 ms, reordered, 3 Mbit/s", 3e6) {
            $0.jitter = 30
            $0.reorders = true
            $0.bars.start = 10
            $0.bars.because = "as in order"
        },
        BandwidthScenario("jitter 30 ms, 0.5 Mbit/s", 0.5e6) { $0.jitter = 30 },
        BandwidthScenario("RTT 20 ms, 2 Mbit/s", 2e6) { $0.roundTrip = 20 },
        BandwidthScenario("RTT 100 ms, 2 Mbit/s", 2e6) { $0.roundTrip = 100 },
        BandwidthScenario("RTT 300 ms, 2 Mbit/s", 2e6) { $0.roundTrip = 300 },
        BandwidthScenario("a third of feedback lost, 3 Mbit/s", 3e6) { $0.feedbackLoss = 0.33 },
        BandwidthScenario("no feedback for 3 s, 3 Mbit/s", 3e6) { $0.silence = 25...28 },
    ]

    private static let shared = [
        BandwidthScenario("1 of 3 Mbit/s taken for 20 s", 3e6) {
            $0.competitor = .constant(rate: 1e6, from: 20, until: 40)
        },
        BandwidthScenario("beside another of its kind, 4 Mbit/s", 4e6) { $0.competitor = .same(from: 10) },
        BandwidthScenario("beside a TCP download, 4 Mbit/s", 4e6) {
            $0.competitor = .reno(from: 15, until: 50)
            $0.bars.queueing = 400
            $0.bars.because = "the download fills the queue of 300 ms; whoever yields starves"
        },
    ]
}
