import FixedCollections
import Wire

/// The paths on which authentic media came, but the peer has yet to prove that it is there.
///
/// Holds four; a fifth takes the place of the one that would be forgotten first. A path is asked about three times at
/// most, the transport as a whole every 100 ms at most, and never with more bytes than came on the path since it was
/// asked about last. A path that doesn't answer within a second is forgotten; then it may begin anew.
struct PathProbes {
    static let capacity = 4
    static let tries = 3
    static let spacing = Duration.milliseconds(100)
    static let patience = Duration.seconds(1)

    private struct Probe: BitwiseCopyable {
        var path: TransportPath
        /// Authentic bytes since the last request.
        var received = 0
        /// Of the requests that were sent.
        var ids = InlineArray<3, UInt64>(repeating: 0)
        var count = 0
        /// When it is forgotten.
        var deadline: Instant
    }

    private var probes = InlineArray<4, Probe>(
        repeating: Probe(path: .udp(.init(ipv4: 0, port: 0)), deadline: .zero))
    private(set) var count = 0
    private var nextRequest = Instant.zero

    /// Notes authentic bytes from a path.
    ///
    /// - Returns: whether a request of `size` bytes may go to it now; then follows `noteRequest`.
    mutating func hear(_ bytes: Int, from path: TransportPath, now: Instant, size: Int) -> Bool {
        forgetExpired(now: now)
        let index = index(of: path) ?? insert(path, now: now)
        probes[index].received += bytes
        return probes[index].count < Self.tries && probes[index].received >= size && now >= nextRequest
    }

    mutating func noteRequest(_ id: UInt64, to path: TransportPath, now: Instant) {
        guard let index = index(of: path), probes[index].count < Self.tries else { return }
        probes[index].ids[probes[index].count] = id
        probes[index].count += 1
        probes[index].received = 0
        probes[index].deadline = now + Self.patience
        nextRequest = now + Self.spacing
    }

    /// Whether an answer with this id is awaited from this path.
    func awaits(_ id: UInt64, from path: TransportPath, now: Instant) -> Bool {
        guard let index = index(of: path), now < probes[index].deadline else { return false }
        for request in 0..<probes[index].count where probes[index].ids[request] == id { return true }
        return false
    }

    mutating func forget(_ path: TransportPath) {
        if let index = index(of: path) { remove(at: index) }
    }

    mutating func removeAll() {
        count = 0
    }

    private mutating func forgetExpired(now: Instant) {
        var index = 0
        while index < count {
            if now >= probes[index].deadline { remove(at: index) } else { index += 1 }
        }
    }

    private mutating func insert(_ path: TransportPath, now: Instant) -> Int {
        if count == Self.capacity {
            var first = 0
            for index in 1..<count where probes[index].deadline < probes[first].deadline { first = index }
            remove(at: first)
        }
        probes[count] = Probe(path: path, deadline: now + Self.patience)
        count += 1
        return count - 1
    }

    private mutating func remove(at index: Int) {
        count -= 1
        probes[index] = probes[count]
    }

    private func index(of path: TransportPath) -> Int? {
        for index in 0..<count where probes[index].path == path { return index }
        return nil
    }
}
