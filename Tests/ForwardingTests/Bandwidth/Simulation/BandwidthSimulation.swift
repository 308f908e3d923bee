import FixedCollections
import TestSupport
import Wire

@testable import Forwarding

extension SeededGenerator: CoinTosser {}

/// Plays a scenario on a virtual clock in turns of a millisecond, as the worker's are. The same seed gives the same outcome.
final class BandwidthSimulation {
    private enum Event {
        case arrival(LinkPacket)
        case feedback(flow: Int, [UInt8])
        case acknowledgement(Int)
    }

    private let scenario: BandwidthScenario
    private var generator: SeededGenerator
    private var link: Bottleneck
    private var pattern: LossPattern
    private var events = TimedQueue<Event>()
    let flow: EstimatedFlow
    private var second: EstimatedFlow?
    private var competitor: CompetingFlow?
    private var lastArrival: [Int: Int64] = [:]
    private(set) var outcome: BandwidthOutcome

    init(_ scenario: BandwidthScenario, seed: UInt64, media: EstimatedFlow.Media? = nil) {
        self.scenario = scenario
        generator = SeededGenerator(seed: seed)
        let rates = scenario.rates.map { (from: Int64($0.from * 1e9), rate: $0.rate) }
        let limit = Int(max(rates[0].rate * scenario.queue / 8, 6_000))
        link = Bottleneck(rates: rates, queueLimit: limit)
        pattern = LossPattern(chance: scenario.loss, burst: scenario.burst)
        outcome = BandwidthOutcome(scenario)
        flow = EstimatedFlow(media: media ?? scenario.media, seed: seed + 1)
        flow.setRoundTrip(.milliseconds(scenario.roundTrip))
        switch scenario.competitor {
        case .none: break
        case .constant(let rate, let from, let until):
            competitor = CompetingFlow(.constant(rate: rate, from: from, until: until), index: 1)
        case .reno(let from, let until): competitor = CompetingFlow(.reno(from: from, until: until), index: 1)
        case .same:
            second = EstimatedFlow(media: .encoder(highest: scenario.demand), seed: seed + 2)
            second?.setRoundTrip(.milliseconds(scenario.roundTrip))
        }
    }

    /// Plays the whole scenario.
    ///
    /// - Parameter observe: called each 100 ms.
    func run(observe: (Int64, EstimatedFlow) -> Void = { _, _ in }) throws -> BandwidthOutcome {
        let end = Int64(scenario.seconds) * 1_000
        for millisecond in 0..<end {
            let time = millisecond * 1_000_000
            try deliver(by: time)
            sendAll(at: time)
            serve(until: time)
            try answer(at: time)
            if millisecond % 100 == 0 {
                outcome.note(target: flow.target, at: time)
                observe(time, flow)
            }
        }
        outcome.finish(sent: flow.sentPackets, dropped: link.dropped[0] ?? 0)
        return outcome
    }

    private func sendAll(at time: Int64) {
        flow.send(at: time) { link.enqueue($0, at: time) }
        if let second, isSecondOn(at: time) {
            second.send(at: time) { packet in
                var packet = packet
                packet.flow = 2
                link.enqueue(packet, at: time)
            }
        }
        for packet in competitor?.send(at: time) ?? [] { link.enqueue(packet, at: time) }
    }

    private func hasWorsened(at time: Int64) -> Bool { Double(time) >= scenario.worsensAt * 1e9 }

    private func isSecondOn(at time: Int64) -> Bool {
        if case .same(let from) = scenario.competitor { return Double(time) / 1e9 >= from }
        return false
    }

    private func serve(until time: Int64) {
        let oneWay = Int64(scenario.roundTrip * 500_000)
        while let departure = link.serve(until: time) {
            outcome.note(departure)
            if departure.packet.flow == 1 {
                events.append(.acknowledgement(departure.packet.number), at: departure.at + 2 * oneWay)
                continue
            }
            if hasWorsened(at: departure.at), pattern.loses(&generator) {
                if departure.packet.flow == 0 { outcome.lostOnTheWay += 1 }
                continue
            }
            var arrival = departure.at + oneWay
            if hasWorsened(at: departure.at) { arrival += Int64(scenario.detour * 1e6) }
            if scenario.jitter > 0 { arrival += Int64(generator.below(Int(scenario.jitter * 1e6))) }
            if !scenario.reorders { arrival = max(arrival, lastArrival[departure.packet.flow] ?? 0) }
            lastArrival[departure.packet.flow] = arrival
            events.append(.arrival(departure.packet), at: arrival)
        }
    }

    private func deliver(by time: Int64) throws {
        while let (event, at) = events.popFirst(by: time) {
            switch event {
            case .arrival(let packet): (packet.flow == 0 ? flow : second)?.arrive(packet, at: at)
            case .feedback(let index, let message):
                try (index == 0 ? flow : second)?.receive(message, at: time)
            case .acknowledgement(let number): competitor?.acknowledge(number)
            }
        }
    }

    private func answer(at time: Int64) throws {
        let oneWay = Int64(scenario.roundTrip * 500_000)
        for (index, flow) in [(0, flow), (2, second)] {
            for message in try flow?.answers(at: time) ?? [] {
                let isSilent = scenario.silence?.contains(Double(time) / 1e9) ?? false
                if isSilent || hasWorsened(at: time) && generator.happens(scenario.feedbackLoss) { continue }
                events.append(.feedback(flow: index, message), at: time + oneWay)
            }
        }
    }
}

extension BandwidthScenario {
    /// What is sent, if a test has nothing else.
    fileprivate var media: EstimatedFlow.Media {
        guard forwarded > 0 else { return .encoder(highest: demand) }
        var video = WantedVideo(seat: SeatID(0), source: .camera)
        video.isOnStage = true
        video.layers.append(
            VideoLayer(height: 720, framesPerSecond: 30, bitrate: Bitrate(bitsPerSecond: Int(forwarded))))
        return .seats([video])
    }
}
