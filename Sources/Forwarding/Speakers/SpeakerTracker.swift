import FixedCollections
import Wire

/// Who speaks in a router: the dominant speaker by the scores of `SpeechScore`, decided every 300 ms.
///
/// Somebody is named after about 300 ms of voice, and replaced once somebody else leads at all three scales. Who is in
/// the middle of a sentence stays, whoever else talks; a turn has ended, and weighs nothing any more, after 600 ms
/// without voice. After 3 s of silence nobody is dominant.
///
/// The caller feeds packets to `add` and calls `decide` at `deadline`; `remove` and `setLive` move it to the present when
/// they take the dominant speaker out. A speaker takes a fixed number of bytes; nothing is allocated but in `insert`.
struct SpeakerTracker: ~Copyable {
    private static var interval: Duration { .milliseconds(300) }
    /// While nobody's turn it is and somebody has begun to talk: the next syllable may bring what is missing.
    private static var shortInterval: Duration { .milliseconds(40) }
    private static var leastBetweenChanges: Duration { .milliseconds(500) }
    private static var memory: Duration { .seconds(3) }

    private var speakers = List<Speaker>()
    /// Index of the dominant speaker; −1 when there is none.
    private var dominant = -1
    /// The dominant speaker has been taken out and its successor isn't named yet.
    private var isVacant = false
    private var named: UInt64?
    private var changedAt = Instant.longAgo

    /// When to call `decide`; `distantFuture` while nobody speaks.
    private(set) var deadline = Instant.distantFuture

    init() {}

    // MARK: Speakers

    /// Adds a source of voice. O(speakers); its number stays valid until `remove`.
    mutating func insert(participant: UInt64, isLive: Bool) -> SpeakerID {
        let speaker = Speaker(participant: participant, isLive: isLive)
        for index in 0..<speakers.count where !speakers[index].isPresent {
            speakers[index] = speaker
            return SpeakerID(index)
        }
        speakers.append(speaker)
        return SpeakerID(speakers.count - 1)
    }

    mutating func remove(_ speaker: SpeakerID) {
        speakers[Int(speaker.index)].isPresent = false
        speakers[Int(speaker.index)].isLive = false
        leave(speaker)
    }

    /// Somebody who is muted is out at once, and comes back with an empty second behind it.
    mutating func setLive(_ isLive: Bool, _ speaker: SpeakerID) {
        guard speakers[Int(speaker.index)].isLive != isLive else { return }
        speakers[Int(speaker.index)].isLive = isLive
        speakers[Int(speaker.index)].levels.clear()
        speakers[Int(speaker.index)].lastSpoke = .longAgo
        if !isLive { leave(speaker) }
    }

    private mutating func leave(_ speaker: SpeakerID) {
        guard dominant == Int(speaker.index) else { return }
        dominant = -1
        isVacant = true
        deadline = .zero
    }

    // MARK: Levels

    /// Takes in the loudness of a packet, 0 (silence) to 127.
    ///
    /// - Parameter ticks: the packet's length on the 48 kHz RTP clock.
    /// - Returns: whether `deadline` has moved.
    mutating func add(
        _ level: UInt8, timestamp: RTPTimestamp, ticks: Int, of speaker: SpeakerID, at now: Instant
    ) -> Bool {
        let index = Int(speaker.index)
        guard speakers[index].isLive else { return false }
        speakers[index].levels.add(level, timestamp: timestamp, ticks: ticks, at: now)
        guard deadline == .distantFuture, speakers[index].levels.lastVoiced == now else { return false }
        deadline = now + Self.interval
        return true
    }

    /// Whether a level stands out from the speaker's own background, as speech does.
    func isVoice(_ level: UInt8, of speaker: SpeakerID) -> Bool {
        speakers[Int(speaker.index)].levels.isVoiced(level)
    }

    // MARK: Decision

    /// Decides who is dominant, if it is time to.
    ///
    /// - Returns: the new dominant speaker, if it has changed. O(speakers), and O(50) for those of the last second.
    mutating func decide(at now: Instant) -> SpeakerChange? {
        guard now >= deadline else { return nil }
        let survey = survey(at: now)
        deadline = survey.isQuiet && dominant < 0 ? .distantFuture : now + Self.interval
        if isVacant {
            isVacant = false
            return name(survey.challenger >= 0 ? survey.challenger : mostRecent(at: now), at: now)
        }
        if survey.challenger >= 0 {
            let allowedAt = changedAt + Self.leastBetweenChanges
            if now >= allowedAt { return name(survey.challenger, at: now) }
            deadline = min(deadline, allowedAt)
        } else if survey.isContested {
            deadline = now + Self.shortInterval
        }
        if dominant >= 0, now - speakers[dominant].lastSpoke >= Self.memory { return name(-1, at: now) }
        return nil
    }

    private struct Survey: BitwiseCopyable {
        /// Who takes over; −1 for nobody.
        var challenger = -1
        /// It is nobody's turn, and somebody has begun to talk.
        var isContested = false
        var isQuiet = true
    }

    private mutating func survey(at now: Instant) -> Survey {
        var survey = Survey()
        var incumbent = SpeechActivity.silence
        if dominant >= 0 {
            incumbent = speakers[dominant].levels.activity(at: now)
            if incumbent.quietTenths < 10, !incumbent.isNoise {
                speakers[dominant].lastSpoke = now - .milliseconds(100 * Int(incumbent.quietTenths))
            }
            // A turn that has ended weighs nothing, however long it was.
            if !incumbent.isMidSentence { incumbent = .silence }
        }
        let isTaken = incumbent.isMidSentence
        var best = SpeechActivity.silence
        for index in 0..<speakers.count where index != dominant && speakers[index].isLive {
            guard now - speakers[index].levels.lastVoiced <= .seconds(1) else { continue }
            survey.isQuiet = false
            let activity = speakers[index].levels.activity(at: now)
            if activity.isSpeech {
                speakers[index].lastSpoke = now - .milliseconds(100 * Int(activity.quietTenths))
            }
            guard !isTaken else { continue }
            if activity.isSpeech, SpeechScore.exceeds(activity, incumbent) {
                guard survey.challenger < 0 || activity.isAhead(of: best) else { continue }
                survey.challenger = index
                best = activity
            } else if activity.long >= 1 {
                survey.isContested = true
            }
        }
        return survey
    }

    /// Who spoke last, within the last 3 s.
    private func mostRecent(at now: Instant) -> Int {
        var recent = -1
        for index in 0..<speakers.count
        where speakers[index].isLive && now - speakers[index].lastSpoke < Self.memory {
            if recent < 0 || speakers[index].lastSpoke > speakers[recent].lastSpoke { recent = index }
        }
        return recent
    }

    private mutating func name(_ index: Int, at now: Instant) -> SpeakerChange? {
        dominant = index
        deadline = index < 0 ? deadline : min(deadline, now + Self.interval)
        let participant: UInt64? = index < 0 ? nil : speakers[index].participant
        // Another source of the same participant is no change.
        guard participant != named else { return nil }
        named = participant
        changedAt = now
        return SpeakerChange(participant: participant)
    }
}

/// A change of the dominant speaker.
struct SpeakerChange: Equatable, Sendable, BitwiseCopyable {
    /// `nil` when nobody is dominant any more.
    var participant: UInt64?
}

/// A source of voice within its tracker.
struct SpeakerID: Hashable, Sendable, BitwiseCopyable {
    var index: Int32

    init(_ index: Int) {
        self.index = Int32(truncatingIfNeeded: index)
    }

    static var none: SpeakerID { SpeakerID(-1) }
}

/// What the tracker keeps of a source of voice.
struct Speaker: BitwiseCopyable, Sendable {
    let participant: UInt64
    var isPresent = true
    var isLive: Bool
    var levels = VoiceLevels()
    /// End of the last stretch of speech that a decision has seen.
    var lastSpoke = Instant.longAgo

    init(participant: UInt64, isLive: Bool) {
        self.participant = participant
        self.isLive = isLive
    }
}
