import Wire

/// What a transport wants sent: a few datagrams with the path each one takes, in order.
///
/// The caller passes it in, drains it after each call, and uses it again. Holds `capacity` datagrams; what comes beyond
/// that is dropped and counted, as a network would.
public struct OutputDatagrams: ~Copyable {
    /// Datagrams that fit.
    public static var capacity: Int { 16 }
    /// The longest datagram that fits, in bytes.
    public static var maximumSize: Int { 1_500 }

    /// Datagrams that wait.
    public private(set) var count = 0
    /// Datagrams for which there was no room, since the buffer was made.
    public private(set) var dropped = 0
    private var storage: [UInt8]
    private var sizes = InlineArray<16, Int>(repeating: 0)
    private var paths: InlineArray<16, TransportPath>

    public init() {
        storage = Array(repeating: 0, count: Self.capacity * Self.maximumSize)
        paths = InlineArray(repeating: .udp(.init(ipv4: 0, port: 0)))
    }

    public var isEmpty: Bool { count == 0 }

    /// Where the datagram at `index` goes. `index` is below `count`.
    public func path(at index: Int) -> TransportPath {
        paths[index]
    }

    /// The datagram at `index`, which is below `count`.
    @_lifetime(borrow self)
    public func bytes(at index: Int) -> Span<UInt8> {
        let start = index * Self.maximumSize
        return storage.span.extracting(start..<(start + sizes[index]))
    }

    public mutating func removeAll() {
        count = 0
    }

    /// Adds a copy of `bytes`, unless it is empty or longer than `maximumSize`, or the buffer is full.
    public mutating func append(_ bytes: Span<UInt8>, to path: TransportPath) {
        append(to: path) { target in
            guard bytes.count <= target.count else { return 0 }
            target.store(bytes, at: 0)
            return bytes.count
        }
    }

    /// Adds what `write` puts into the `maximumSize` bytes it is given; it returns how many, 0 for none.
    public mutating func append(to path: TransportPath, _ write: (inout MutableSpan<UInt8>) -> Int) {
        guard count < Self.capacity else {
            dropped += 1
            return
        }
        let start = count * Self.maximumSize
        var storage = storage.mutableSpan
        var target = storage._mutatingExtracting(start..<(start + Self.maximumSize))
        let size = min(write(&target), Self.maximumSize)
        guard size > 0 else { return }
        sizes[count] = size
        paths[count] = path
        count += 1
    }
}
