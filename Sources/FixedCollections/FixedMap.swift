/// A key of a `FixedMap`.
public protocol FixedMapKey: BitwiseCopyable, Equatable {
    /// Spreads the key's bits with a secret seed, so that peers can't choose keys that collide.
    func hash(seed: UInt64) -> UInt64
}

extension UInt32: FixedMapKey {
    @inlinable
    public func hash(seed: UInt64) -> UInt64 { mixBits(UInt64(self) ^ seed, with: seed) }
}

extension UInt64: FixedMapKey {
    @inlinable
    public func hash(seed: UInt64) -> UInt64 { mixBits(self ^ seed, with: seed) }
}

/// Multiplies to 128 bits and folds: every output bit depends on every input bit.
@inlinable
public func mixBits(_ value: UInt64, with seed: UInt64) -> UInt64 {
    let product = (value ^ 0x9e37_79b9_7f4a_7c15).multipliedFullWidth(by: seed | 0x2545_f491_4f6c_dd1d)
    return product.high ^ product.low
}

/// A hash map of fixed capacity with open addressing and linear probing, for plain keys and values.
///
/// Look-up, insertion and removal are O(1) on average; the slots are at least twice as many as the capacity. Nothing
/// is allocated after `init`.
@safe
public struct FixedMap<Key: FixedMapKey, Value: BitwiseCopyable>: ~Copyable {
    @usableFromInline
    struct Slot: BitwiseCopyable {
        @usableFromInline var key: Key
        @usableFromInline var value: Value
    }

    @usableFromInline let slots: UnsafeMutablePointer<Slot>
    @usableFromInline let used: UnsafeMutablePointer<Bool>
    @usableFromInline let mask: Int
    @usableFromInline let seed: UInt64
    public let capacity: Int
    public private(set) var count: Int

    /// - Parameter seed: a secret random number.
    public init(capacity: Int, seed: UInt64) {
        precondition(capacity > 0 && capacity <= 1 << 28, "a map's capacity is 1 to 2^28")
        var size = 4
        while size < capacity * 2 { size *= 2 }
        unsafe slots = .allocate(capacity: size)
        unsafe used = .allocate(capacity: size)
        unsafe used.initialize(repeating: false, count: size)
        mask = size - 1
        self.seed = seed
        self.capacity = capacity
        count = 0
    }

    deinit {
        unsafe slots.deallocate()
        unsafe used.deallocate()
    }

    /// The slot that holds the key, or the free one where it would go.
    @inlinable
    func position(of key: Key) -> Int {
        var position = Int(truncatingIfNeeded: key.hash(seed: seed)) & mask
        while unsafe used[position], unsafe slots[position].key != key {
            position = (position + 1) & mask
        }
        return position
    }

    @inlinable
    public subscript(key: Key) -> Value? {
        let position = position(of: key)
        return unsafe used[position] ? slots[position].value : nil
    }

    /// Adds the pair, or replaces the key's value.
    ///
    /// - Returns: false, and nothing is changed, when the map is full and the key is new.
    @discardableResult
    public mutating func set(_ key: Key, to value: Value) -> Bool {
        let position = position(of: key)
        if unsafe used[position] {
            unsafe slots[position].value = value
            return true
        }
        guard count < capacity else { return false }
        unsafe used[position] = true
        unsafe (slots + position).initialize(to: Slot(key: key, value: value))
        count += 1
        return true
    }

    /// Removes the key and closes the gap that it leaves, so that no tombstones gather.
    @discardableResult
    public mutating func remove(_ key: Key) -> Value? {
        var gap = position(of: key)
        guard unsafe used[gap] else { return nil }
        let value = unsafe slots[gap].value
        var next = (gap + 1) & mask
        while unsafe used[next] {
            let home = unsafe Int(truncatingIfNeeded: slots[next].key.hash(seed: seed)) & mask
            if (next &- home) & mask >= (next &- gap) & mask {
                unsafe slots[gap] = slots[next]
                gap = next
            }
            next = (next + 1) & mask
        }
        unsafe used[gap] = false
        count -= 1
        return value
    }
}
