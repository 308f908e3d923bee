import FixedCollections
import Wire

/// A microphone with an Opus encoder: a packet each 20 ms while its owner speaks, comfort noise now and then otherwise.
///
/// Speech is words with short gaps between them, in which the level comes down to the background: a sound that doesn't is
/// noise to whoever looks for speech.
struct AudioSource {
    static let interval = Duration.milliseconds(20)
    /// Between packets in silence, when discontinuous transmission is on.
    static let silentInterval = Duration.milliseconds(400)

    let publication: UInt32
    let bitsPerSecond: Int
    /// Whether packets become rare and tiny in silence.
    let usesDTX: Bool
    private var random: SeededRandom
    private var number: UInt32 = 0
    private var wasSpeaking = false
    /// Packets that are left of the word that is being said, and of the gap behind it.
    private var word = 0
    private var gap = 0
    private(set) var nextPacket: Instant

    init(publication: UInt32, bitsPerSecond: Int, usesDTX: Bool, start: Instant, seed: UInt64) {
        self.publication = publication
        self.bitsPerSecond = bitsPerSecond
        self.usesDTX = usesDTX
        random = SeededRandom(seed: seed)
        nextPacket = start + .nanoseconds(Int64(random.unit() * Double(Self.interval.wholeNanoseconds)))
    }

    /// The packet that is due; nil if none is.
    mutating func makePacket(now: Instant, timestamp: RTPTimestamp, isSpeaking: Bool) -> SentPacket? {
        // A turn that begins doesn't wait for the next comfort noise.
        guard now >= nextPacket || (isSpeaking && !wasSpeaking) else { return nil }
        let interval = isSpeaking || !usesDTX ? Self.interval : Self.silentInterval
        nextPacket += interval
        if nextPacket < now || nextPacket > now + interval { nextPacket = now + interval }
        let starts = isSpeaking && !wasSpeaking
        if starts { (word, gap) = (0, 0) }
        wasSpeaking = isSpeaking
        number += 1
        let mean = bitsPerSecond / 8 / 50
        let size =
            isSpeaking
            ? Int(Double(mean) * (0.8 + 0.4 * random.unit())) : usesDTX ? 3 : max(Stamp.size + 1, mean / 3)
        let level = isSpeaking ? speak() : UInt8(usesDTX ? 127 : 90)
        return SentPacket(
            sequence: SequenceNumber(0), timestamp: timestamp,
            stamp: Stamp(
                sentAt: now, publication: publication, frame: number, packet: 0, packets: 1, isKey: false,
                temporal: 0),
            payloadLength: UInt16(isSpeaking ? max(size, Stamp.size + 1) : size), pictureID: 0, baseIndex: 0,
            keyIndex: 0, isVideo: false, marker: starts, level: level)
    }

    /// −dBov of the next 20 ms of speech: words of 200 to 600 ms, 60 to 160 ms apart.
    private mutating func speak() -> UInt8 {
        if word == 0, gap == 0 {
            word = 10 + Int(random.unit() * 21)
            gap = 3 + Int(random.unit() * 6)
        }
        guard word > 0 else {
            gap -= 1
            return UInt8(60 + random.unit() * 15)
        }
        word -= 1
        return UInt8(20 + random.unit() * 15)
    }
}
