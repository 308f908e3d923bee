/// What a forwarder changes in a descriptor: which decode targets are active, since it leaves frames of the others out.
extension DependencyDescriptor {
    /// Where a value has its word on the active targets: read once a packet, used for each viewer.
    public struct ActiveTargetsPlace: Hashable, Sendable, BitwiseCopyable {
        /// In bits, as `activeTargetsPosition`.
        public var position: UInt16 = 0
        /// The word is there.
        public var isTaken = false
        /// Bits of the word: one a target.
        public var width: UInt8 = 0

        public init() {}

        /// - Parameter targetCount: of the structure that the descriptor was read against.
        public init(_ descriptor: DependencyDescriptor, targetCount: Int) {
            position = UInt16(clamping: descriptor.activeTargetsPosition)
            isTaken = descriptor.hasActiveTargets
            width = UInt8(clamping: targetCount)
        }

        /// Bytes of a value of `count` bytes after the word was put in.
        public func length(of count: Int) -> Int {
            if isTaken { return count }
            return position == 0 ? (24 + 5 + Int(width) + 7) / 8 : count + (Int(width) + 7) / 8
        }
    }

    /// Copies a value with another word on the active targets, bit k for target k, put in if there is none.
    ///
    /// `value` is the one that `place` was read from; `copy` has room for `place.length(of: value.count)` bytes.
    public static func rewrite(
        _ value: Span<UInt8>, activeTargets: UInt32, at place: ActiveTargetsPlace,
        into copy: inout MutableSpan<UInt8>
    ) {
        let length = place.length(of: value.count)
        for index in 0..<length { copy[index] = index < min(value.count, 3) ? value[index] : 0 }
        var writer = BitCopier(end: 8 * length)
        writer.position = 24
        guard place.position > 0 else {
            // Only the second of the five flags is set: the word follows, nothing else.
            writer.write(0x08, 5, into: &copy)
            writer.write(activeTargets, Int(place.width), into: &copy)
            return
        }
        writer.copy(value, from: 24, to: Int(place.position), into: &copy)
        copy[3] |= 0x40
        writer.write(activeTargets, Int(place.width), into: &copy)
        let rest = Int(place.position) + (place.isTaken ? Int(place.width) : 0)
        writer.copy(value, from: rest, to: 8 * value.count, into: &copy)
    }
}

/// Writes bits one by one into bytes that are zero; what doesn't fit is left out.
private struct BitCopier {
    var position = 0
    let end: Int

    init(end: Int) {
        self.end = end
    }

    mutating func write(_ value: UInt32, _ count: Int, into copy: inout MutableSpan<UInt8>) {
        for bit in (0..<count).reversed() { append(value >> UInt32(bit) & 1 != 0, to: &copy) }
    }

    mutating func copy(
        _ value: Span<UInt8>, from start: Int, to end: Int, into copy: inout MutableSpan<UInt8>
    ) {
        for bit in start..<max(start, end) {
            append(value[bit >> 3] >> UInt8(7 - bit & 7) & 1 != 0, to: &copy)
        }
    }

    private mutating func append(_ bit: Bool, to copy: inout MutableSpan<UInt8>) {
        guard position < end else { return }
        if bit { copy[position >> 3] |= 1 << UInt8(7 - position & 7) }
        position += 1
    }
}
