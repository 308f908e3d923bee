import FixedCollections

/// How somebody sounded during the last second, at the three scales of `SpeechScore`.
struct SpeechActivity: BitwiseCopyable, Sendable {
    /// Loudness of the newest 20 ms in thirteenths of the range; 0 below the noise.
    var immediate: UInt8 = 0
    /// Voiced samples of the newest 100 ms, 0 to 5.
    var medium: UInt8 = 0
    /// Tenths of the second that were voiced throughout, 0 to 10.
    var long: UInt8 = 0
    /// Samples, from the newest back, that all lie within `steadyBand`.
    var steadySamples: UInt8 = 0
    /// Whole tenths of a second since there was voice; 10 when there was none.
    var quietTenths: UInt8 = 10
    /// Sum of all levels of the second, to tell equals apart.
    var loudness: UInt16 = 0

    /// What an empty line sounds like.
    static var silence: SpeechActivity { SpeechActivity() }

    /// Speech varies by more than that within a third of a second; fans, hum and hiss don't.
    static var steadyBand: UInt8 { 12 }

    /// Whether somebody speaks, rather than coughs or has a fan running.
    ///
    /// A cough of less than 200 ms can fill two tenths. A sound that has just set in isn't a noise yet as far as its
    /// minimum tells; its variation does.
    var isSpeech: Bool { long >= 3 && steadySamples < 15 }

    /// Whether the whole second was one steady noise.
    var isNoise: Bool { long > 0 && steadySamples >= 50 }

    /// Whether the last word was less than 600 ms ago: commas and breaths don't end a turn.
    var isMidSentence: Bool { quietTenths < 6 && !isNoise }

    /// Which of two challengers goes first.
    func isAhead(of other: SpeechActivity) -> Bool {
        (medium, long, loudness) > (other.medium, other.long, other.loudness)
    }
}

extension VoiceLevels {
    /// Voiced is what fills more than 7 thirteenths: −47 dBov and louder.
    private static var mediumThreshold: UInt8 { 7 }
    /// A tenth of a second counts when more than 4 of its 5 samples are voiced.
    private static var longThreshold: UInt8 { 4 }
    /// Levels in a thirteenth of the range.
    private static var subunit: UInt8 { 10 }

    /// How loud a sample is in thirteenths of the range, 0 to 12; 0 if it may be noise.
    func immediate(_ level: UInt8) -> UInt8 {
        level < floor.threshold ? 0 : level / Self.subunit
    }

    /// Whether a level is speech if there is no noise.
    static func mayBeVoiced(_ level: UInt8) -> Bool { level / subunit > mediumThreshold }

    func isVoiced(_ level: UInt8) -> Bool { immediate(level) > Self.mediumThreshold }

    /// The scales as they stand at `now`; the time since the last packet counts as silence.
    func activity(at now: Instant) -> SpeechActivity {
        let silent = silentSamples(at: now)
        var activity = SpeechActivity()
        activity.immediate = immediate(level(ago: 0, silent: silent))
        var steadiness = Steadiness()
        for tenth in 0..<10 {
            var voiced: UInt8 = 0
            for sample in 0..<5 {
                let level = level(ago: tenth * 5 + sample, silent: silent)
                steadiness.add(level)
                activity.loudness += UInt16(level)
                if isVoiced(level) { voiced += 1 }
            }
            if tenth == 0 { activity.medium = voiced }
            if voiced > Self.longThreshold { activity.long += 1 }
            // Three of five: a click doesn't make it voice.
            if voiced >= 3, activity.quietTenths == 10 { activity.quietTenths = UInt8(tenth) }
        }
        activity.steadySamples = steadiness.samples
        return activity
    }
}

/// Counts samples until they spread over more than the band of a steady noise.
private struct Steadiness {
    private var lowest: UInt8 = .max
    private var highest: UInt8 = 0
    private var hasEnded = false
    private(set) var samples: UInt8 = 0

    mutating func add(_ level: UInt8) {
        lowest = min(lowest, level)
        highest = max(highest, level)
        if highest - lowest > SpeechActivity.steadyBand { hasEnded = true }
        if !hasEnded { samples += 1 }
    }
}
