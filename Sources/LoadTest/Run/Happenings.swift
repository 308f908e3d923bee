import FixedCollections
import JSON

/// What happens in the course of a run besides joining and sending: what a moderator does, what goes wrong, who calls.
///
/// Decides by a seed what is to happen when; does nothing itself.
struct Happenings {
    enum Action {
        case request(Int, LoadRequest)
        case disturb(Int, Disturbance)
        case ring(Int)
    }

    private enum Kind {
        case requests, mutes, removals, hands, messages, calls
        case disturbance(Disturbance)
    }

    private struct Rhythm {
        var kind: Kind
        var interval: Duration
        var next: Instant
        var count = 0
    }

    private var rhythms: [Rhythm] = []
    private let sessions: Int
    private let people: Int
    private var random: SeededRandom
    /// Those that were removed are left in peace until they are back.
    private var away: [Int: Instant] = [:]

    init(_ scenario: Scenario, seed: UInt64, start: Instant) {
        sessions = scenario.sessions ?? 1
        people = sessions * (scenario.participants ?? 2)
        random = SeededRandom(seed: seed &+ 77)
        let moderator = scenario.moderator
        let chaos = scenario.chaos
        let rates: [(Kind, Double?)] = [
            (.requests, scenario.requests.map { $0 * 60 }), (.mutes, moderator?.mutes),
            (.removals, moderator?.removals), (.hands, moderator?.hands), (.messages, moderator?.messages),
            (.disturbance(.socket), chaos?.sockets), (.disturbance(.transport), chaos?.transports),
            (.disturbance(.address), chaos?.addresses), (.calls, scenario.ringing?.calls),
        ]
        for (kind, perMinute) in rates {
            guard let perMinute, perMinute > 0 else { continue }
            let interval = 60e9 / perMinute
            let first = Duration.nanoseconds(Int64(interval * random.unit()))
            rhythms.append(
                Rhythm(kind: kind, interval: .nanoseconds(Int64(interval)), next: start + first))
        }
    }

    var isNothing: Bool { rhythms.isEmpty }

    /// What is to be done now.
    mutating func due(_ now: Instant) -> [Action] {
        var actions: [Action] = []
        for index in rhythms.indices {
            // What was missed by more than a second isn't made up for.
            rhythms[index].next = max(rhythms[index].next, now - .seconds(1))
            while rhythms[index].next <= now {
                rhythms[index].next += rhythms[index].interval
                rhythms[index].count += 1
                if let action = action(rhythms[index].kind, rhythms[index].count - 1, now) {
                    actions.append(action)
                }
            }
        }
        return actions
    }

    private mutating func action(_ kind: Kind, _ count: Int, _ now: Instant) -> Action? {
        switch kind {
        case .requests, .hands:
            // Raised, and lowered again, by one after the other.
            return .request(count / 2 % people, LoadRequest(count % 2 == 0 ? "raiseHand" : "lowerHand"))
        case .messages: return .request(count % people, LoadRequest("sendMessage"))
        case .mutes: return moderation("muteParticipant", now)
        case .removals:
            guard case .request(let moderator, var request) = moderation("removeParticipant", now),
                let target = request.target
            else { return nil }
            away[target] = now + .seconds(5)
            request.params = ["uid": .string(ParticipantPlan.uid(target)), "banSeconds": 0]
            return .request(moderator, request)
        case .disturbance(let disturbance):
            return .disturb(Int(random.next() % UInt64(people)), disturbance)
        case .calls: return .ring(count * 2 % max(2, people & ~1))
        }
    }

    /// By the moderator of a session, to one of the others in it.
    private mutating func moderation(_ method: String, _ now: Instant) -> Action? {
        guard people > sessions else { return nil }
        let target = sessions + Int(random.next() % UInt64(people - sessions))
        guard away[target].map({ $0 < now }) ?? true else { return nil }
        let params: JSONValue = ["uid": .string(ParticipantPlan.uid(target))]
        return .request(target % sessions, LoadRequest(method, params, target: target))
    }
}
