import FixedCollections

/// Somebody who speaks, and how loudly.
public struct ActiveSpeaker: Sendable, Hashable, BitwiseCopyable {
    /// Its name as its `PeerSetup` gave it.
    public var participant: UInt64
    /// Of its speech of late, in decibels above silence: 1 to 127 (RFC 6464, upside down).
    public var level: UInt8
}

/// All those who speak, for viewers who show it: those whose voices are forwarded and that stand out from their own
/// background. Somebody counts from about 160 ms of speech on, until a second without any.
extension Forwarder {
    /// What is told is looked at this often, and so told no more often, but for whoever is muted or leaves.
    private static var activityInterval: Duration { .milliseconds(500) }
    /// How long somebody has to speak before the first look.
    private static var activityDelay: Duration { .milliseconds(200) }
    /// A level is told again when it has changed by so many decibels.
    private static var levelStep: Int { 6 }

    /// Who speaks in a router, as of the last `activeSpeakers` event; the loudest first.
    public func activeSpeakers(of router: RouterID) -> [ActiveSpeaker] {
        var speakers: [ActiveSpeaker] = []
        for number in 0..<routers[Int(router.index)].active.count {
            speakers.append(routers[Int(router.index)].active[number])
        }
        return speakers
    }

    /// A packet of speech has come from a voice that is heard.
    @inline(__always)
    mutating func noteActivity(in router: RouterID, at now: Instant) {
        let index = Int(router.index)
        guard routers[index].activityAt == .distantFuture else { return }
        routers[index].activityAt = max(
            now + Self.activityDelay, routers[index].activityToldAt + Self.activityInterval)
        scheduleDecision(of: router)
    }

    /// A voice is heard no more: if it was told of, that is told in this turn.
    mutating func noteSilenced(_ participant: UInt64, in router: RouterID) {
        let index = Int(router.index)
        // Nobody is left to look at.
        if routers[index].audible.isEmpty { routers[index].activityAt = .distantFuture }
        for number in 0..<routers[index].active.count
        where routers[index].active[number].participant == participant {
            routers[index].activityAt = .zero
        }
        scheduleDecision(of: router)
    }

    /// Looks who speaks, if that is due.
    mutating func reviewActivity(in router: RouterID, at now: Instant) {
        let index = Int(router.index)
        guard now >= routers[index].activityAt else { return }
        var isTalking = false
        activeVoices.removeAll()
        for place in 0..<routers[index].audible.count {
            let publication = Int(routers[index].audible[place].index)
            let voice = publications[publication].voice
            guard voice.isTalking(at: now) else { continue }
            isTalking = true
            if voice.isSpeaking { insertActive(voice, of: publication) }
        }
        // Until nobody's turn goes on.
        routers[index].activityAt = isTalking ? now + Self.activityInterval : .distantFuture
        guard isNews(in: index) else { return }
        swap(&activeVoices, &routers[index].active)
        routers[index].activityToldAt = now
        if !activeRouters.contains(router) { activeRouters.append(router) }
    }

    private mutating func insertActive(_ voice: Voice, of publication: Int) {
        let level = UInt8(clamping: max(1, voice.loudness / 16))
        let speaker = ActiveSpeaker(
            participant: peers[Int(publications[publication].peer.index)].participant, level: level)
        activeVoices.append(speaker)
        var place = activeVoices.count - 1
        while place > 0, activeVoices[place - 1].level < level {
            activeVoices[place] = activeVoices[place - 1]
            place -= 1
        }
        activeVoices[place] = speaker
    }

    /// Whether others speak than was told, or as loudly as wasn't.
    private func isNews(in router: Int) -> Bool {
        guard activeVoices.count == routers[router].active.count else { return true }
        for number in 0..<activeVoices.count {
            var isKnown = false
            for other in 0..<routers[router].active.count
            where routers[router].active[other].participant == activeVoices[number].participant {
                let change = Int(routers[router].active[other].level) - Int(activeVoices[number].level)
                isKnown = abs(change) < Self.levelStep
            }
            if !isKnown { return true }
        }
        return false
    }

    /// A router where other people speak than was told, or more loudly; `nil` when there is none.
    mutating func pollActivity() -> RouterID? {
        guard activeRouters.count > 0 else { return nil }
        let router = activeRouters[activeRouters.count - 1]
        activeRouters.swapRemove(at: activeRouters.count - 1)
        return router
    }
}
