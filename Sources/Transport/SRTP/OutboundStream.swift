/// What must be known of one outgoing SSRC: its rollover counter and the numbers it sealed last.
///
/// A stream starts at rollover counter 0 with whatever number comes first.
struct OutboundStream: BitwiseCopyable {
    enum State: UInt8 {
        /// Never used.
        case free
        /// Unregistered, but its counters are kept as long as its place isn't needed.
        case retired
        /// Registered.
        case active
    }

    var ssrc: UInt32 = 0
    var state = State.free
    private var started = false
    private var highest: UInt16 = 0
    private var rolloverCounter: UInt32 = 0
    /// Bit n: `highest` − n was sealed.
    private var window: UInt64 = 0

    init() {}

    init(ssrc: UInt32) {
        self.ssrc = ssrc
        state = .active
    }

    /// The rollover counter that belongs to `sequence`, which from now on counts as sealed.
    ///
    /// A number less than half the number space ahead moves the stream on, any other lies behind. Of the 64
    /// newest numbers a repetition is noticed.
    ///
    /// - Throws: `alreadySealed`, `beforeFirst`, `keyExpired`.
    @inline(__always)
    mutating func take(_ sequence: UInt16) throws(SRTPError) -> UInt32 {
        guard started else {
            started = true
            highest = sequence
            window = 1
            return 0
        }
        let distance = Int16(bitPattern: sequence &- highest)
        if distance > 0 {
            if sequence < highest {
                guard rolloverCounter < .max else {
                    throw .keyExpired
                }
                rolloverCounter += 1
            }
            highest = sequence
            // A smart shift: 64 and more leave nothing.
            window = window << UInt64(distance) | 1
            return rolloverCounter
        }
        let steps = -Int(distance)
        let bit: UInt64 = 1 << UInt64(steps)
        guard window & bit == 0 else {
            throw .alreadySealed
        }
        if sequence > highest {
            guard rolloverCounter > 0 else {
                throw .beforeFirst
            }
            window |= bit
            return rolloverCounter - 1
        }
        window |= bit
        return rolloverCounter
    }
}

/// The streams of one sealer, found by a small index. Fixed capacity.
@safe struct OutboundStreamTable: ~Copyable {
    let capacity: Int
    private let entries: UnsafeMutablePointer<OutboundStream>

    init(capacity: Int) {
        self.capacity = capacity
        unsafe entries = .allocate(capacity: capacity)
        unsafe entries.initialize(repeating: OutboundStream(), count: capacity)
    }

    deinit {
        unsafe entries.deallocate()
    }

    /// Registers `ssrc`, or finds it: then its counters go on, because starting again would use numbers
    /// twice. O(n).
    mutating func register(_ ssrc: UInt32) throws(SRTPError) -> Int {
        var place: Int?
        var placeIsFree = false
        for index in 0..<capacity {
            let entry = unsafe entries[index]
            if entry.state != .free, entry.ssrc == ssrc {
                unsafe entries[index].state = .active
                return index
            }
            if entry.state == .free, !placeIsFree {
                place = index
                placeIsFree = true
            } else if entry.state == .retired, place == nil {
                place = index
            }
        }
        guard let place else {
            throw .tooManyStreams
        }
        unsafe entries[place] = OutboundStream(ssrc: ssrc)
        return place
    }

    mutating func unregister(_ index: Int) {
        if index >= 0, index < capacity, unsafe entries[index].state == .active {
            unsafe entries[index].state = .retired
        }
    }

    /// The rollover counter for the next packet of stream `index`; see `OutboundStream.take`.
    @inline(__always)
    mutating func take(_ sequence: UInt16, ssrc: UInt32, stream index: Int) throws(SRTPError) -> UInt32 {
        guard index >= 0, index < capacity, unsafe entries[index].state == .active,
            unsafe entries[index].ssrc == ssrc
        else {
            throw .unknownStream
        }
        return try unsafe entries[index].take(sequence)
    }
}
