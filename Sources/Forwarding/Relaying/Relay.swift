public import Wire

/// Workers that want a publication's packets, by their lanes; those beyond the 64th take part in no relaying.
public struct RelayTargets: Hashable, Sendable, BitwiseCopyable {
    /// Lanes that can be among them.
    @inlinable public static var limit: Int { 64 }

    @usableFromInline var bits: UInt64

    @inlinable
    public init() {
        bits = 0
    }

    @inlinable public var isEmpty: Bool { bits == 0 }

    @inlinable
    public mutating func insert(_ lane: Int) {
        precondition(lane >= 0 && lane < Self.limit, "no such lane")
        bits |= 1 << UInt64(lane)
    }

    @inlinable
    public mutating func remove(_ lane: Int) {
        precondition(lane >= 0 && lane < Self.limit, "no such lane")
        bits &= ~(1 << UInt64(lane))
    }

    public func isSubset(of other: RelayTargets) -> Bool { bits & ~other.bits == 0 }

    @inlinable
    public mutating func formUnion(_ other: RelayTargets) {
        bits |= other.bits
    }

    /// Takes the lowest lane out; `nil` when there is none.
    @inlinable
    public mutating func popFirst() -> Int? {
        guard bits != 0 else { return nil }
        let lane = bits.trailingZeroBitCount
        bits &= bits &- 1
        return lane
    }
}

/// Which stream of a peer a relayed packet belongs to. Its packets need not say so themselves.
public struct RelayedStream: Hashable, Sendable, BitwiseCopyable {
    public var mid: ShortID
    /// Simulcast id; `nil` when there is only one encoding.
    public var rid: ShortID?
    public var isRTX: Bool

    public init(mid: ShortID, rid: ShortID?, isRTX: Bool) {
        self.mid = mid
        self.rid = rid
        self.isRTX = isRTX
    }
}

/// Where an accepted packet is to go beside the seats of this worker, and what it is.
public struct Relay: Sendable, BitwiseCopyable {
    public var targets: RelayTargets
    public var stream: RelayedStream
}

/// What a mirror asks of the worker that has its original.
public struct MirrorRequest: Hashable, Sendable, BitwiseCopyable {
    public enum Content: Hashable, Sendable, BitwiseCopyable {
        /// The publication's packets are wanted from now on.
        case packets
        /// They aren't any more.
        case noPackets
        /// Of the publication's encodings, by their places from the lowest bit on, those that nobody on the asking worker
        /// needs.
        case declined(UInt8)
        /// A key frame of the encoding with this simulcast id.
        case keyFrame(rid: ShortID?)
    }

    /// The lane of the worker that has the original.
    public var owner: Int
    /// Numbers the original's connection.
    public var connection: UInt64
    public var mid: ShortID
    public var content: Content

    public init(owner: Int, connection: UInt64, mid: ShortID, content: Content) {
        self.owner = owner
        self.connection = connection
        self.mid = mid
        self.content = content
    }
}
