import FixedCollections
import Wire

/// A packet in the store.
public struct PacketSlot: Hashable, Sendable, BitwiseCopyable {
    public var block: Int32

    @inlinable
    public init(_ block: Int32) {
        self.block = block
    }

    @inlinable public static var none: PacketSlot { PacketSlot(-1) }
}

/// Opened packets in blocks of one size, and what is known of each.
///
/// A block that is released stays readable until `reclaim`, so that a turn's batches may still point to it.
public struct PacketStore: ~Copyable {
    /// The longest RTP packet that is kept, in bytes.
    public static var largestPacket: Int { 1_500 }

    private var slab: Slab
    private var infos: FixedArray<PacketInfo>
    private var released: List<Int32>
    /// What a packet without a block has.
    private let nothing = FixedArray<UInt8>(repeating: 0, count: 0)

    /// - Parameter capacity: packets at the most.
    public init(capacity: Int) {
        slab = Slab(blockSize: 1_536, capacity: capacity)
        infos = FixedArray(repeating: PacketInfo(), count: slab.capacity)
        released = List()
    }

    /// Packets that are held.
    public var count: Int { slab.count - released.count }

    /// Whether less than a sixteenth is free.
    public var isShort: Bool { count > slab.capacity - slab.capacity / 16 }

    public mutating func take() -> PacketSlot? {
        slab.take().map { PacketSlot($0) }
    }

    /// Gives the packet up. Its bytes and its info stay until the next `reclaim`.
    public mutating func release(_ slot: PacketSlot) {
        released.append(slot.block)
    }

    /// Makes the blocks that were released free again; nothing may point to them any more.
    public mutating func reclaim() {
        for index in 0..<released.count { slab.giveBack(released[index]) }
        released.removeAll()
    }

    public subscript(slot: PacketSlot) -> PacketInfo {
        _read { yield infos[Int(slot.block)] }
        _modify { yield &infos[Int(slot.block)] }
    }

    @_lifetime(borrow self)
    public func bytes(of slot: PacketSlot) -> Span<UInt8> {
        if slot == .none { return nothing.span }
        return slab.bytes(of: slot.block)
    }

    @_lifetime(&self)
    public mutating func mutableBytes(of slot: PacketSlot) -> MutableSpan<UInt8> {
        slab.mutableBytes(of: slot.block)
    }
}
