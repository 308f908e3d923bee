import FixedCollections
import Wire

/// What each layer of an encoding takes and how many pictures it has, over the last second.
///
/// Counts are kept in slots of a quarter of a second; a fixed number of bytes, O(1) a packet. A key frame counts as any other
/// picture: it is a burst that pacers and queues take, and says nothing about what the layer takes from then on.
struct LayerMeter: BitwiseCopyable, Sendable {
    /// Bytes of a packet on the link beside its payload: IP, UDP, RTP with its extensions, authentication tag.
    static var overhead: Int { 72 }
    static var layers: Int { 4 }

    private static var slotLength: Int64 { 250_000_000 }
    private static var slots: Int { 5 }

    private var bytes = InlineArray<80, UInt32>(repeating: 0)
    private var frames = InlineArray<80, UInt8>(repeating: 0)
    private var keyBytes = InlineArray<20, UInt32>(repeating: 0)
    private var keyFrames = InlineArray<5, UInt8>(repeating: 0)
    private var keyTimestamp: RTPTimestamp?
    private var numbers = InlineArray<5, Int64>(repeating: -1 << 60)
    private var first = Instant.zero
    private var newest: Int64 = -1 << 60

    init() {}

    mutating func add(_ packet: borrowing PacketInfo) {
        let number = max(packet.arrival.nanoseconds, 0) / Self.slotLength
        let slot = Int(number % Int64(Self.slots))
        if numbers[slot] != number {
            // After a pause, what was before says nothing.
            if number - newest >= Int64(Self.slots) { first = packet.arrival }
            for cell in slot * 16..<slot * 16 + 16 {
                bytes[cell] = 0
                frames[cell] = 0
            }
            for cell in slot * 4..<slot * 4 + 4 { keyBytes[cell] = 0 }
            keyFrames[slot] = 0
            numbers[slot] = number
            newest = max(newest, number)
        }
        let spatial = min(Int(packet.frame.spatial), Self.layers - 1)
        let cell = slot * 16 + spatial * 4 + min(Int(packet.frame.temporal), Self.layers - 1)
        let length = UInt32(packet.payloadLength) + UInt32(Self.overhead)
        bytes[cell] &+= length
        if packet.frame.isFrameStart, packet.frame.isKeyFrame, packet.timestamp != keyTimestamp {
            keyTimestamp = packet.timestamp
            if keyFrames[slot] < .max { keyFrames[slot] += 1 }
        }
        if packet.timestamp == keyTimestamp { keyBytes[slot * 4 + spatial] &+= length }
        if packet.frame.isFrameStart, frames[cell] < .max { frames[cell] += 1 }
    }

    /// The rate of a layer with all lower ones, spatial and temporal; 0 after a second without packets.
    func bitrate(upTo limit: LayerLimit, at now: Instant) -> Bitrate {
        var sum = 0
        var pictures = 0
        forEachCell(at: now) { cell, spatial, temporal in
            guard spatial <= limit.spatial, temporal <= limit.temporal else { return }
            sum += Int(bytes[cell])
            if spatial == 0 { pictures += Int(frames[cell]) }
        }
        let key = keys(upTo: limit, at: now)
        if key.count > 0, key.count * 2 < pictures {
            sum = (sum - key.bytes) * pictures / (pictures - key.count)
        }
        let nanoseconds = window(at: now)
        return Bitrate(bitsPerSecond: sum * 8_000 / max(Int(nanoseconds / 1_000_000), 100))
    }

    /// How many key frames came, and how many bytes of them.
    private func keys(upTo limit: LayerLimit, at now: Instant) -> (count: Int, bytes: Int) {
        let current = now.nanoseconds / Self.slotLength
        var count = 0
        var sum = 0
        for slot in 0..<Self.slots
        where current - numbers[slot] < Int64(Self.slots) && numbers[slot] <= current {
            count += Int(keyFrames[slot])
            for spatial in 0..<4 where spatial <= Int(limit.spatial) {
                sum += Int(keyBytes[slot * 4 + spatial])
            }
        }
        return (count, sum)
    }

    /// Pictures a second of a spatial layer, of the temporal layers up to this one.
    func framesPerSecond(upTo limit: LayerLimit, at now: Instant) -> Int {
        var sum = 0
        forEachCell(at: now) { cell, spatial, temporal in
            if spatial == limit.spatial, temporal <= limit.temporal { sum += Int(frames[cell]) }
        }
        let milliseconds = max(Int(window(at: now) / 1_000_000), 100)
        return (sum * 1_000 + milliseconds / 2) / milliseconds
    }

    /// Whether the stream has gone on for long enough that its first key frame doesn't pass for its rate.
    func isSettled(at now: Instant) -> Bool {
        window(at: now) >= 2 * Self.slotLength
    }

    /// Whether anything came of exactly this layer.
    func isSent(_ layer: LayerLimit, at now: Instant) -> Bool {
        guard Int(layer.spatial) < Self.layers, Int(layer.temporal) < Self.layers else { return false }
        let current = now.nanoseconds / Self.slotLength
        let cell = Int(layer.spatial) * 4 + Int(layer.temporal)
        let bytes = bytes.span
        for slot in 0..<Self.slots
        where current - numbers[slot] < Int64(Self.slots) && numbers[slot] <= current {
            if bytes[slot * 16 + cell] > 0 { return true }
        }
        return false
    }

    /// How long the slots reach back that are looked at, in nanoseconds.
    private func window(at now: Instant) -> Int64 {
        let current = now.nanoseconds / Self.slotLength
        let start = max((current - Int64(Self.slots) + 1) * Self.slotLength, first.nanoseconds)
        return now.nanoseconds - start
    }

    private func forEachCell(
        at now: Instant, _ body: (_ cell: Int, _ spatial: UInt8, _ temporal: UInt8) -> Void
    ) {
        let current = now.nanoseconds / Self.slotLength
        for slot in 0..<Self.slots
        where current - numbers[slot] < Int64(Self.slots) && numbers[slot] <= current {
            for cell in 0..<16 { body(slot * 16 + cell, UInt8(cell / 4), UInt8(cell % 4)) }
        }
    }
}
