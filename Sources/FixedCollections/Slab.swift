/// Byte blocks of one size, taken and given back by number.
///
/// Blocks come from the system in chunks as they are needed, up to `capacity`, and are kept from then on. Taking and
/// giving back are O(1).
@safe
public struct Slab: ~Copyable {
    public let blockSize: Int
    public let capacity: Int
    private static var blocksPerChunk: Int { 256 }
    private let chunks: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>
    private let chunkCount: Int
    private let freeBlocks: UnsafeMutablePointer<Int32>
    private var freeCount: Int
    private var made: Int

    /// - Parameters:
    ///   - blockSize: bytes a block.
    ///   - capacity: blocks at the most, rounded up to whole chunks of 256.
    public init(blockSize: Int, capacity: Int) {
        precondition(blockSize > 0 && capacity > 0 && capacity < Int(Int32.max) - 256, "a slab holds blocks")
        self.blockSize = blockSize
        chunkCount = (capacity + Self.blocksPerChunk - 1) / Self.blocksPerChunk
        self.capacity = chunkCount * Self.blocksPerChunk
        unsafe chunks = .allocate(capacity: chunkCount)
        unsafe chunks.initialize(repeating: nil, count: chunkCount)
        unsafe freeBlocks = .allocate(capacity: self.capacity)
        freeCount = 0
        made = 0
    }

    deinit {
        for chunk in 0..<chunkCount {
            unsafe chunks[chunk]?.deallocate()
        }
        unsafe chunks.deallocate()
        unsafe freeBlocks.deallocate()
    }

    /// Blocks that are taken.
    public var count: Int { made - freeCount }

    /// - Returns: a block's number; `nil` when all are taken.
    public mutating func take() -> Int32? {
        if freeCount > 0 {
            freeCount -= 1
            return unsafe freeBlocks[freeCount]
        }
        guard made < capacity else { return nil }
        if made % Self.blocksPerChunk == 0 {
            unsafe chunks[made / Self.blocksPerChunk] = .allocate(capacity: Self.blocksPerChunk * blockSize)
        }
        made += 1
        return Int32(made - 1)
    }

    /// Gives a block back; it must have been taken, once.
    public mutating func giveBack(_ block: Int32) {
        precondition(Int(block) < made && freeCount < made, "a block is given back that was not taken")
        unsafe freeBlocks[freeCount] = block
        freeCount += 1
    }

    @usableFromInline
    func address(of block: Int32) -> UnsafeMutablePointer<UInt8> {
        let index = Int(block)
        precondition(index >= 0 && index < made, "no such block")
        guard let chunk = unsafe chunks[index / Self.blocksPerChunk] else {
            preconditionFailure("a block without its chunk")
        }
        return unsafe chunk + (index % Self.blocksPerChunk) * blockSize
    }

    /// All bytes of a block, for reading. Bytes that were never written are whatever was there.
    @_lifetime(borrow self)
    public func bytes(of block: Int32) -> Span<UInt8> {
        let span = unsafe Span(_unsafeStart: address(of: block), count: blockSize)
        return unsafe _overrideLifetime(span, borrowing: self)
    }

    /// All bytes of a block, for writing.
    @_lifetime(&self)
    public mutating func mutableBytes(of block: Int32) -> MutableSpan<UInt8> {
        let span = unsafe MutableSpan(_unsafeStart: address(of: block), count: blockSize)
        return unsafe _overrideLifetime(span, mutating: &self)
    }
}
