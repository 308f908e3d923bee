import FixedCollections
import JSON
import Testing

@testable import LoadTest

struct HappeningsTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    private func scenario(_ arguments: [String]) throws -> Scenario {
        try LoadFlags.parse(arguments, environment: [:], read: { _ in nil }).scenario
    }

    /// Everything that happens in a minute.
    private func minute(of scenario: Scenario, seed: UInt64 = 1) -> [Happenings.Action] {
        var happenings = Happenings(scenario, seed: seed, start: start)
        return (0..<600).flatMap { happenings.due(start + .milliseconds($0 * 100)) }
    }

    @Test func `a moderator does as much as it is to do, to the others of its own session`() throws {
        let scenario = try scenario([
            "--sessions", "2", "--participants", "5", "--moderator", "mutes=60,removals=6,messages=30",
        ])
        var counts: [String: Int] = [:]
        for action in minute(of: scenario) {
            guard case .request(let who, let request) = action else { continue }
            counts[request.method, default: 0] += 1
            guard let target = request.target else { continue }
            #expect((2..<10).contains(target) && who == target % 2)
            #expect(request.params?["uid"]?.stringValue == "load-\(target)")
        }
        #expect((50...60).contains(counts["muteParticipant"] ?? 0))
        #expect((4...6).contains(counts["removeParticipant"] ?? 0))
        #expect((29...31).contains(counts["sendMessage"] ?? 0))
    }

    @Test func `whoever was removed is left in peace for a while`() throws {
        let scenario = try scenario(["--participants", "4", "--moderator", "removals=120,mutes=120"])
        var happenings = Happenings(scenario, seed: 3, start: start)
        var removed: [Int: Int] = [:]
        for tenth in 0..<600 {
            for case .request(_, let request) in happenings.due(start + .milliseconds(tenth * 100)) {
                guard let target = request.target else { continue }
                if let before = removed[target] { #expect(tenth - before >= 50) }
                if request.method == "removeParticipant" { removed[target] = tenth }
            }
        }
        #expect(removed.count == 3)
    }

    @Test func `the same seed brings the same chaos, and each kind of it as often as asked for`() throws {
        let scenario = try scenario([
            "--participants", "9", "--chaos", "sockets=60,transports=30,addresses=20",
        ])
        func disturbances(_ seed: UInt64) -> [[Int]] {
            minute(of: scenario, seed: seed).compactMap { action in
                guard case .disturb(let who, let kind) = action else { return nil }
                return [who, kind.rawValue]
            }
        }
        let first = disturbances(1)
        #expect(first == disturbances(1))
        #expect(first != disturbances(2))
        for (kind, rate) in [60, 30, 20].enumerated() {
            #expect((rate - 1...rate + 1).contains(first.count { $0[1] == kind }))
        }
    }

    @Test func `callers call in turn, and have partners`() throws {
        let scenario = try scenario(["--participants", "6", "--calls", "60"])
        let rings = minute(of: scenario).compactMap { action -> Int? in
            guard case .ring(let caller) = action else { return nil }
            return caller
        }
        #expect(Array(rings.prefix(4)) == [0, 2, 4, 0])
        let plans = scenario.plans(name: "x", start: start)
        #expect(plans.map(\.partner) == [1, 0, 3, 2, 5, 4])
        #expect(plans.map(\.callsOthers) == [true, false, true, false, true, false])
    }

    @Test(arguments: [
        ["--moderator", "dances=1"], ["--chaos", "sockets=-1"], ["--layout", "circle"], ["--calls", "many"],
    ])
    func `what makes no sense is refused`(arguments: [String]) {
        #expect(throws: LoadError.self) { try scenario(arguments) }
    }

    @Test func `a mute forbids what is made after it was confirmed, until it ends`() {
        let board = MuteBoard()
        #expect(!board.forbids(3, madeAt: start))
        board.set(3, at: start, askedAt: start - .milliseconds(5))
        #expect(!board.forbids(3, madeAt: start - .milliseconds(1)))
        #expect(board.forbids(3, madeAt: start + .milliseconds(1)))
        #expect(!board.forbids(4, madeAt: start + .milliseconds(1)))
        board.clear(3, at: start + .milliseconds(2))
        #expect(!board.forbids(3, madeAt: start + .milliseconds(3)))
        // The word of a mute that came late is about what is over.
        board.set(3, at: start + .milliseconds(9), askedAt: start)
        #expect(!board.forbids(3, madeAt: start + .milliseconds(10)))
    }
}
