/// An array of fixed length on the heap whose elements are plain bytes.
///
/// Unlike `Array` it is never copied, counted or checked for uniqueness, so that an element is changed where it is.
@safe
public struct FixedArray<Element: BitwiseCopyable>: ~Copyable {
    @usableFromInline let elements: UnsafeMutablePointer<Element>
    public let count: Int

    public init(repeating element: Element, count: Int) {
        precondition(count >= 0, "a count is not negative")
        unsafe elements = UnsafeMutablePointer<Element>.allocate(capacity: max(count, 1))
        unsafe elements.initialize(repeating: element, count: count)
        self.count = count
    }

    deinit {
        unsafe elements.deallocate()
    }

    @inlinable
    public subscript(index: Int) -> Element {
        @_transparent unsafeAddress {
            precondition(index >= 0 && index < count, "index out of bounds")
            return unsafe UnsafePointer(elements + index)
        }
        @_transparent unsafeMutableAddress {
            precondition(index >= 0 && index < count, "index out of bounds")
            return unsafe elements + index
        }
    }

    /// All elements, for reading.
    public var span: Span<Element> {
        @_lifetime(borrow self)
        get {
            let span = unsafe Span(_unsafeStart: elements, count: count)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// All elements, for writing.
    public var mutableSpan: MutableSpan<Element> {
        @_lifetime(&self)
        mutating get {
            let span = unsafe MutableSpan(_unsafeStart: elements, count: count)
            return unsafe _overrideLifetime(span, mutating: &self)
        }
    }
}
