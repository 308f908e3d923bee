import EventLoop
import FixedCollections
import Transport

/// The forwarding core without sockets: what it costs to take a packet in, and to make one for each receiver.
enum Core {
    private static let plans: [(String, Stage.Plan)] = [
        ("1 video to 100", Stage.Plan(publishers: 1, viewers: 100, audio: false)),
        ("1 video to 1,000", Stage.Plan(publishers: 1, viewers: 1_000, audio: false)),
        ("25 by 25 audio and video", Stage.Plan(publishers: 25, viewers: 0, isMutual: true)),
    ]

    /// Nanoseconds a forwarded packet, unsealed and sealed.
    static func measure() throws -> [Measurement] {
        var results: [Measurement] = []
        for (name, plan) in plans {
            for suite in [nil, SRTPSuite.aes128GCM] {
                var plan = plan
                plan.suite = suite
                results.append(try measure(suite == nil ? name : "\(name), sealed", plan))
            }
        }
        return results
    }

    private static func measure(_ name: String, _ plan: Stage.Plan) throws -> Measurement {
        var stage = try Stage(plan)
        // Until caches are full and every table was touched.
        stage.run(for: .seconds(3))
        var fastest = Double.infinity
        var slowest = 0.0
        for _ in 0..<5 {
            let sent = stage.forwarded
            let begun = MonotonicClock.now()
            stage.run(for: .seconds(1))
            let took = Double((MonotonicClock.now() - begun).wholeNanoseconds)
            let each = took / Double(stage.forwarded - sent)
            fastest = min(fastest, each)
            slowest = max(slowest, each)
        }
        return Measurement(name: name, unit: "forwarded packet", nanoseconds: fastest, slowest: slowest)
    }

    /// Forwards at least `packets` for whoever counts instructions.
    ///
    /// - Parameter isEstimated: viewers report on their links, and these are estimated.
    static func forward(_ packets: Int, isEstimated: Bool) throws {
        var stage = try Stage(Stage.Plan(publishers: 4, viewers: 46, isMutual: true, reports: isEstimated))
        while stage.forwarded < packets { stage.run(for: .milliseconds(100)) }
        print("{\"forwarded\": \(stage.forwarded), \"received\": \(stage.received)}")
    }
}
