import FixedCollections

/// What bears on whether a microphone is heard; a fixed number of bytes.
struct Voice: BitwiseCopyable, Sendable {
    /// Silent packets that are forwarded before the rest aren't.
    static var silenceLimit: UInt8 { 3 }
    /// A turn ends after so long without a sound, and may be taken by any voice after so long without speech.
    static var turn: Duration { .seconds(1) }
    /// By how much somebody has to be louder to be heard instead, in sixteenths of a decibel.
    static var lead: Int16 { 6 * 16 }
    /// For how long.
    static var leadTime: Duration { .milliseconds(300) }
    /// Without a packet for so long somebody isn't louder any more.
    private static var leadGap: Duration { .milliseconds(100) }

    /// It is among those who are forwarded.
    var isAudible = false
    /// Silent packets in a row, as far as it matters.
    private(set) var silentPackets: UInt8 = 0
    /// Of its speech of late, in sixteenths of a decibel above silence.
    private(set) var loudness: Int16 = 0
    /// The last packet that wasn't silent.
    private(set) var lastSound = Instant.longAgo
    /// The last packet that was speech, by the background's measure.
    private(set) var lastSpeech = Instant.longAgo
    /// Packets of speech in its turn, as far as it matters; until it speaks, others count against them.
    private var spoken: UInt8 = 0
    private var louderSince = Instant.longAgo
    private var louderAt = Instant.longAgo

    init() {}

    /// Whether the next silent packet is still forwarded.
    var mayFallSilent: Bool { silentPackets < Self.silenceLimit }

    /// Whether the packet that was taken in last goes to the viewers.
    var isForwarded: Bool { isAudible && silentPackets <= Self.silenceLimit }

    func hasEnded(at now: Instant) -> Bool { now - lastSound >= Self.turn }

    func isTalking(at now: Instant) -> Bool { now - lastSpeech < Self.turn }

    /// Packets of speech after which somebody is said to speak.
    private static var speech: UInt8 { 8 }

    /// Its turn has begun with more than a cough.
    var isSpeaking: Bool { spoken >= Self.speech }

    /// Takes in a packet's level, 0 (silence) to 127.
    mutating func add(_ level: UInt8, isSpeech: Bool, at now: Instant) {
        guard level > 0 else {
            silentPackets = min(silentPackets + 1, Self.silenceLimit + 1)
            return
        }
        silentPackets = 0
        lastSound = now
        guard isSpeech else {
            if !isSpeaking, spoken > 0 { spoken -= 1 }
            return
        }
        spoken = isTalking(at: now) ? min(spoken + 1, Self.speech) : 1
        let scaled = Int16(level) * 16
        // Syllables don't decide, and a breath makes nobody quieter.
        loudness = isTalking(at: now) ? loudness + (scaled - loudness) / 8 : scaled
        lastSpeech = now
    }

    /// Notes how it compares with the quietest of those who are heard.
    ///
    /// - Returns: whether it has been louder for long enough to be heard instead.
    mutating func challenge(_ other: Int16, at now: Instant) -> Bool {
        guard loudness >= other + Self.lead else {
            louderAt = .longAgo
            return false
        }
        if now - louderAt > Self.leadGap { louderSince = now }
        louderAt = now
        return now - louderSince >= Self.leadTime
    }
}
