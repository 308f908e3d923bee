/// A fixed number of slots that hold elements in place; an index stays valid until its element is removed.
///
/// Elements never move, so that they may be noncopyable and be changed where they are. Insertion, removal and access
/// are O(1). An index that holds nothing is a broken invariant of the caller: access traps.
@safe
public struct Table<Element: ~Copyable>: ~Copyable {
    @usableFromInline let elements: UnsafeMutablePointer<Element>
    /// `occupied` for a slot in use, else the index of the next free slot (`end` for the last).
    @usableFromInline let links: UnsafeMutablePointer<Int32>
    @usableFromInline var firstFree: Int32
    /// Slots from here on were never used: they are not touched before they are needed.
    @usableFromInline var untouched: Int32
    public let capacity: Int
    public private(set) var count: Int

    @usableFromInline static var occupied: Int32 { -2 }
    @usableFromInline static var end: Int32 { -1 }

    public init(capacity: Int) {
        precondition(capacity >= 0 && capacity < Int(Int32.max), "a table's capacity is 0 to 2^31 − 2")
        unsafe elements = UnsafeMutablePointer<Element>.allocate(capacity: max(capacity, 1))
        unsafe links = UnsafeMutablePointer<Int32>.allocate(capacity: max(capacity, 1))
        firstFree = Self.end
        untouched = 0
        count = 0
        self.capacity = capacity
    }

    deinit {
        for index in 0..<Int(untouched) where unsafe links[index] == Self.occupied {
            unsafe (elements + index).deinitialize(count: 1)
        }
        unsafe elements.deallocate()
        unsafe links.deallocate()
    }

    public var isFull: Bool { count == capacity }

    /// One past the highest index that was ever used; walks need to look no further.
    @inlinable public var endIndex: Int { Int(untouched) }

    /// Puts the element into a free slot.
    ///
    /// - Returns: its index; `nil`, and the element is dropped, when the table is full.
    public mutating func insert(_ element: consuming Element) -> Int? {
        guard let index = takeSlot() else { return nil }
        unsafe (elements + index).initialize(to: element)
        return index
    }

    private mutating func takeSlot() -> Int? {
        let index: Int
        if firstFree != Self.end {
            index = Int(firstFree)
            firstFree = unsafe links[index]
        } else if Int(untouched) < capacity {
            index = Int(untouched)
            untouched += 1
        } else {
            return nil
        }
        unsafe links[index] = Self.occupied
        count += 1
        return index
    }

    /// Takes the element out; its index may be given to the next one.
    @discardableResult
    public mutating func remove(at index: Int) -> Element {
        precondition(contains(index), "no element at this index")
        unsafe links[index] = firstFree
        firstFree = Int32(index)
        count -= 1
        return unsafe (elements + index).move()
    }

    /// Whether the index holds an element. Any integer may be asked for.
    @inlinable
    public func contains(_ index: Int) -> Bool {
        unsafe index >= 0 && index < Int(untouched) && links[index] == Self.occupied
    }

    @inlinable
    public subscript(index: Int) -> Element {
        @_transparent unsafeAddress {
            precondition(contains(index), "no element at this index")
            return unsafe UnsafePointer(elements + index)
        }
        @_transparent unsafeMutableAddress {
            precondition(contains(index), "no element at this index")
            return unsafe elements + index
        }
    }
}
