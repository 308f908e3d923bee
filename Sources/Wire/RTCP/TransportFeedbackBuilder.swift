public import FixedCollections

/// Records when packets of one transport arrive, and writes transport-cc feedback about them.
///
///     builder.record(number, at: now)
///     while try builder.write(sender:media:into:at:) > 0 { … send … }
///
/// A window of fixed size, allocated once, holds the arrival times. A packet that comes late, after its absence was
/// reported, is reported again with its neighbours as long as it is within the window. A jump of the numbers by the
/// whole window or more, either way, starts anew.
public struct TransportFeedbackBuilder: ~Copyable {
    /// No message is longer than this.
    @inlinable public static var largestMessage: Int { 1_200 }

    /// Packets whose state is kept: 64 to 16,384, a power of two.
    public let capacity: Int

    // Arrival in ticks of 250 µs, by number modulo capacity; `Int64.min` if nothing arrived.
    private var arrivals: [Int64]
    // Unwrapped numbers. [base, highest] is unreported; `base` > `highest` if nothing is.
    private var base = 0
    private var highest = 0
    // Nothing below this is known.
    private var oldest = 0
    private var hasStarted = false
    private var feedbackCount: UInt8 = 0

    /// Allocates the window: 8 bytes a packet. `capacity` is rounded up to a power of two from 64 to 16,384.
    public init(capacity: Int = 1_024) {
        var size = 64
        while size < capacity, size < 16_384 { size *= 2 }
        self.capacity = size
        arrivals = Array(repeating: .min, count: size)
    }

    /// Whether anything arrived that hasn't been reported.
    public var isPending: Bool { hasStarted && base <= highest }

    /// Records that the packet with the transport-wide number `number` arrived at `time`. A repeated number keeps its
    /// first arrival.
    ///
    /// - Complexity: linear in the numbers skipped, at most `capacity`.
    public mutating func record(_ number: SequenceNumber, at time: Instant) {
        let (whole, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 250_000)
        let ticks = rest < 0 ? whole - 1 : whole
        guard hasStarted else { return start(number, ticks) }
        let step = number.distance(from: SequenceNumber(UInt16(truncatingIfNeeded: highest)))
        guard abs(step) < capacity else { return start(number, ticks) }
        let unwrapped = highest + step
        if step > 0 {
            for skipped in (highest + 1)...unwrapped { arrivals[slot(skipped)] = .min }
            highest = unwrapped
            // What falls out of the window was never reported, and isn't any more.
            oldest = max(oldest, unwrapped - capacity + 1)
            base = max(base, oldest)
        } else {
            guard unwrapped >= oldest, arrivals[slot(unwrapped)] == .min else { return }
            base = min(base, unwrapped)
        }
        arrivals[slot(unwrapped)] = ticks
    }

    private mutating func start(_ number: SequenceNumber, _ ticks: Int64) {
        hasStarted = true
        // Above 0, so that numbers can go back by the window.
        highest = 65_536 + Int(number.rawValue)
        base = highest
        oldest = highest
        arrivals[slot(highest)] = ticks
    }

    private func slot(_ unwrapped: Int) -> Int { unwrapped & (capacity - 1) }

    /// Writes one message about what is pending to `offset`, and returns its length, at most 1,200; 0 if nothing is.
    ///
    /// Call it again until it returns 0. Throws `noSpace` if the buffer ends before 24 bytes, or before the first
    /// packet that arrived can be told.
    public mutating func write(
        sender: SSRC, media: SSRC, into bytes: inout MutableSpan<UInt8>, at offset: Int
    ) throws(RTCPError) -> Int {
        guard isPending else { return 0 }
        guard bytes.holds(24, at: offset) else { throw .noSpace }
        let limit = min(Self.largestMessage, bytes.count - offset) & ~3
        let reference = firstArrival() >> 8
        let plan = planChunks(reference: reference, limit: limit)
        guard plan.end > base else { throw .noSpace }
        writeBody(plan, reference: reference, into: &bytes, at: offset)
        let length = (plan.length + 3) & ~3
        try RTCPFrame.writeHeader(
            .transportFeedback, count: TransportFeedback.format, length: length, into: &bytes, at: offset)
        bytes.store(sender.rawValue, at: offset + 4)
        bytes.store(media.rawValue, at: offset + 8)
        bytes.store(UInt16(truncatingIfNeeded: base), at: offset + 12)
        bytes.store(UInt16(truncatingIfNeeded: plan.end - base), at: offset + 14)
        bytes.storeUInt24(UInt32(truncatingIfNeeded: reference), at: offset + 16)
        bytes[offset + 19] = feedbackCount
        if length > plan.length {
            for index in plan.length..<length { bytes[offset + index] = 0 }
            bytes[offset] |= 0x20
            // Fewer than 4 bytes of padding, against RFC 3550, is what this message has everywhere: its body is no
            // multiple of 4.
            bytes[offset + length - 1] = UInt8(truncatingIfNeeded: length - plan.length)
        }
        feedbackCount &+= 1
        base = plan.end
        return length
    }
}

// MARK: - Chunks

extension TransportFeedbackBuilder {
    private struct Plan {
        /// The number after the last one in the message.
        var end: Int
        /// Bytes that chunks and deltas could have.
        var budget: Int
        /// Bytes of the message without filling.
        var length: Int
    }

    /// One chunk, from `start` on.
    private struct Chunk {
        var bits: UInt16
        var statuses: Int
        var deltaBytes: Int
        /// Arrival of the last packet received in it or before.
        var last: Int64
    }

    /// Ticks of the first pending packet that arrived. There is one: `highest` did.
    private func firstArrival() -> Int64 {
        for number in base...highest where arrivals[slot(number)] != .min { return arrivals[slot(number)] }
        return 0
    }

    private func planChunks(reference: Int64, limit: Int) -> Plan {
        var plan = Plan(end: base, budget: limit - 20, length: 20)
        var last = reference << 8
        while plan.end <= highest {
            let chunk = nextChunk(from: plan.end, last: last, budget: limit - plan.length)
            guard chunk.statuses > 0 else { break }
            plan.end += chunk.statuses
            plan.length += 2 + chunk.deltaBytes
            last = chunk.last
        }
        return plan
    }

    private func writeBody(
        _ plan: Plan, reference: Int64, into bytes: inout MutableSpan<UInt8>, at offset: Int
    ) {
        var number = base
        var position = offset + 20
        var budget = plan.budget
        var last = reference << 8
        // The same calls as in planning give the same chunks.
        while number < plan.end {
            let chunk = nextChunk(from: number, last: last, budget: budget)
            bytes.store(chunk.bits, at: position)
            position += 2
            budget -= 2 + chunk.deltaBytes
            number += chunk.statuses
            last = chunk.last
        }
        last = reference << 8
        for number in base..<plan.end {
            let ticks = arrivals[slot(number)]
            guard ticks != .min else { continue }
            let delta = ticks - last
            if delta >= 0, delta <= 255 {
                bytes[position] = UInt8(truncatingIfNeeded: delta)
                position += 1
            } else {
                bytes.store(UInt16(truncatingIfNeeded: delta), at: position)
                position += 2
            }
            last = ticks
        }
    }

    /// The chunk that tells most from `start` on, with deltas, in `budget` bytes; 0 statuses if none fits, or if the
    /// packet at `start` arrived too long after (or before) `last` for a delta: a new message begins there.
    private func nextChunk(from start: Int, last: Int64, budget: Int) -> Chunk {
        let found = lookAhead(from: start, last: last, budget: budget)
        let oneBit = found.hasLarge ? 0 : min(14, found.count)
        let statuses: Int
        let bits: UInt16
        if found.run >= max(oneBit, min(7, found.count)) {
            statuses = found.run
            bits =
                UInt16(truncatingIfNeeded: found.symbols >> 26) << 13 | UInt16(truncatingIfNeeded: statuses)
        } else if oneBit > 0 {
            statuses = oneBit
            var vector: UInt16 = 0
            for index in 0..<14 {
                vector |=
                    UInt16(truncatingIfNeeded: found.symbols >> UInt32(26 - 2 * index) & 1)
                    << UInt16(13 - index)
            }
            bits = 0x8000 | vector
        } else {
            statuses = min(7, found.count)
            bits = 0xC000 | UInt16(truncatingIfNeeded: found.symbols >> 14)
        }
        var chunk = Chunk(bits: bits, statuses: statuses, deltaBytes: 0, last: last)
        for number in start..<(start + statuses) {
            chunk.deltaBytes += symbol(of: number, after: chunk.last) ?? 0
            if arrivals[slot(number)] != .min { chunk.last = arrivals[slot(number)] }
        }
        return chunk
    }

    /// What comes next, as far as it fits into one chunk.
    private struct Ahead {
        /// Up to 14 symbols of 2 bits, the first in bits 27 and 26.
        var symbols: UInt32 = 0
        /// Statuses looked at: all of the run, at least 14 unless fewer fit.
        var count = 0
        /// Equal symbols at the start, up to 8,191.
        var run = 0
        /// Whether one of the first 14 is a large delta.
        var hasLarge = false
    }

    private func lookAhead(from start: Int, last: Int64, budget: Int) -> Ahead {
        var ahead = Ahead()
        var last = last
        var first = 0
        var length = 2
        var number = start
        while number <= highest, let symbol = symbol(of: number, after: last), length + symbol <= budget {
            if ahead.count == 0 { first = symbol }
            if ahead.run == ahead.count, symbol == first { ahead.run += 1 }
            if ahead.count < 14 {
                ahead.symbols |= UInt32(truncatingIfNeeded: symbol) << UInt32(26 - 2 * ahead.count)
                if symbol == 2 { ahead.hasLarge = true }
            }
            ahead.count += 1
            length += symbol
            if symbol > 0 { last = arrivals[slot(number)] }
            number += 1
            if ahead.count >= 14, ahead.run < ahead.count || ahead.run == 8_191 { break }
        }
        return ahead
    }

    /// 0: didn't arrive; 1, 2: bytes of its delta to `last`; nil if the delta doesn't fit 2 bytes.
    private func symbol(of number: Int, after last: Int64) -> Int? {
        let ticks = arrivals[slot(number)]
        guard ticks != .min else { return 0 }
        let delta = ticks - last
        if delta >= 0, delta <= 255 { return 1 }
        return delta >= -32_768 && delta <= 32_767 ? 2 : nil
    }
}
