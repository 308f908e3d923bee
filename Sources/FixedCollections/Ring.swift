/// A first-in, first-out queue of fixed capacity.
///
/// All operations are O(1). A full ring refuses the newcomer: what to lose is the caller's decision.
@safe
public struct Ring<Element: ~Copyable>: ~Copyable {
    @usableFromInline let elements: UnsafeMutablePointer<Element>
    @usableFromInline let mask: Int
    @usableFromInline var head: Int
    @usableFromInline var tail: Int

    /// - Parameter minimumCapacity: rounded up to a power of two.
    public init(minimumCapacity: Int) {
        precondition(minimumCapacity > 0 && minimumCapacity <= 1 << 30, "a ring's capacity is 1 to 2^30")
        var capacity = 1
        while capacity < minimumCapacity { capacity *= 2 }
        unsafe elements = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        mask = capacity - 1
        head = 0
        tail = 0
    }

    deinit {
        for position in head..<tail {
            unsafe (elements + (position & mask)).deinitialize(count: 1)
        }
        unsafe elements.deallocate()
    }

    @inlinable public var capacity: Int { mask + 1 }
    @inlinable public var count: Int { tail - head }
    @inlinable public var isEmpty: Bool { tail == head }
    @inlinable public var isFull: Bool { count == capacity }

    /// - Returns: false, and the element is dropped, when the ring is full.
    @inlinable
    public mutating func append(_ element: consuming Element) -> Bool {
        guard !isFull else { return false }
        unsafe (elements + (tail & mask)).initialize(to: element)
        tail += 1
        return true
    }

    /// Takes out the oldest element.
    @inlinable
    public mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let position = head & mask
        head += 1
        return unsafe (elements + position).move()
    }

    /// The element `offset` places behind the oldest; `offset` is 0 to `count − 1`.
    @inlinable
    public subscript(offset: Int) -> Element {
        @_transparent unsafeAddress {
            precondition(offset >= 0 && offset < count, "offset past the ring's end")
            return unsafe UnsafePointer(elements + ((head + offset) & mask))
        }
        @_transparent unsafeMutableAddress {
            precondition(offset >= 0 && offset < count, "offset past the ring's end")
            return unsafe elements + ((head + offset) & mask)
        }
    }
}
