/// A growable list of plain elements that is never shared, so that it is read and changed in place without reference
/// counting. Order isn't kept on removal.
@safe
public struct List<Element: BitwiseCopyable>: ~Copyable {
    @usableFromInline var elements: UnsafeMutablePointer<Element>?
    @usableFromInline var room: Int
    public private(set) var count: Int

    public init() {
        unsafe elements = nil
        room = 0
        count = 0
    }

    deinit {
        unsafe elements?.deallocate()
    }

    @inlinable public var isEmpty: Bool { count == 0 }

    /// Amortised O(1); allocates when the list outgrows what it ever held.
    public mutating func append(_ element: Element) {
        if count == room { grow() }
        if let elements = unsafe elements { unsafe (elements + count).initialize(to: element) }
        count += 1
    }

    private mutating func grow() {
        let newRoom = max(8, room * 2)
        let grown = UnsafeMutablePointer<Element>.allocate(capacity: newRoom)
        if let elements = unsafe elements {
            unsafe grown.update(from: elements, count: count)
            unsafe elements.deallocate()
        }
        unsafe elements = grown
        room = newRoom
    }

    /// Removes the element at the index and puts the last one in its place. O(1).
    public mutating func swapRemove(at index: Int) {
        self[index] = self[count - 1]
        count -= 1
    }

    public mutating func removeAll() {
        count = 0
    }

    /// All elements, for reading.
    public var span: Span<Element> {
        @_lifetime(borrow self)
        get {
            guard let elements = unsafe elements else { return Span() }
            let span = unsafe Span(_unsafeStart: UnsafePointer(elements), count: count)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    @inlinable
    public subscript(index: Int) -> Element {
        @_transparent unsafeAddress {
            precondition(index >= 0 && index < count, "index out of bounds")
            guard let elements = unsafe elements else { preconditionFailure("an empty list has no elements") }
            return unsafe UnsafePointer(elements + index)
        }
        @_transparent unsafeMutableAddress {
            precondition(index >= 0 && index < count, "index out of bounds")
            guard let elements = unsafe elements else { preconditionFailure("an empty list has no elements") }
            return unsafe elements + index
        }
    }
}

extension List where Element: Equatable {
    /// The first index of the element. O(n).
    public func firstIndex(of element: Element) -> Int? {
        for index in 0..<count where self[index] == element { return index }
        return nil
    }

    /// O(n).
    public func contains(_ element: Element) -> Bool { firstIndex(of: element) != nil }

    /// Removes the first occurrence, if there is one. O(n).
    public mutating func remove(_ element: Element) {
        if let index = firstIndex(of: element) { swapRemove(at: index) }
    }
}
