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
    /// The next free slot behind `capacity`.
    private var firstFreeAbove: Int32
    public let capacity: Int
    public private(set) var count: Int

    @usableFromInline static var occupied: Int32 { -2 }
    @usableFromInline static var end: Int32 { -1 }

    /// - Parameter above: slots behind `capacity` for elements of a second kind, which `insertAbove` puts there.
    public init(capacity: Int, above: Int = 0) {
        let total = capacity + above
        precondition(
            capacity >= 0 && above >= 0 && total < Int(Int32.max), "a table's capacity is 0 to 2^31 − 2")
        unsafe elements = UnsafeMutablePointer<Element>.allocate(capacity: max(total, 1))
        unsafe links = UnsafeMutablePointer<Int32>.allocate(capacity: max(total, 1))
        firstFree = Self.end
        firstFreeAbove = Self.end
        untouched = 0
        count = 0
        self.capacity = capacity
        guard above > 0 else { return }
        // Both lists are linked at once, in the order in which slots would be touched.
        for index in 0..<total {
            let isLast = index == capacity - 1 || index == total - 1
            unsafe (links + index).initialize(to: isLast ? Self.end : Int32(index + 1))
        }
        if capacity > 0 { firstFree = 0 }
        firstFreeAbove = Int32(capacity)
        untouched = Int32(total)
    }

    deinit {
        for index in 0..<Int(untouched) where unsafe links[index] == Self.occupied {
            unsafe (elements + index).deinitialize(count: 1)
        }
        unsafe elements.deallocate()
        unsafe links.deallocate()
    }

    /// Whether `insert` finds no slot.
    public var isFull: Bool { firstFree == Self.end && Int(untouched) >= capacity }

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

    /// Puts the element into a free slot behind `capacity`, so that its index tells its kind.
    public mutating func insertAbove(_ element: consuming Element) -> Int? {
        guard firstFreeAbove != Self.end else { return nil }
        let index = Int(firstFreeAbove)
        firstFreeAbove = unsafe links[index]
        unsafe links[index] = Self.occupied
        count += 1
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
        if index < capacity {
            unsafe links[index] = firstFree
            firstFree = Int32(index)
        } else {
            unsafe links[index] = firstFreeAbove
            firstFreeAbove = Int32(index)
        }
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
