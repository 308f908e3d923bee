import EventLoop
import FixedCollections
import Wire

/// Does wrong what `MediaFaults` says, to the datagrams of one worker as they leave. Allocates, and is slow: it is there
/// in tests only, and then stands between the sealed packets and the socket.
struct FaultInjector {
    private let faults: MediaFaults
    private var seen = 0
    private var seatChanges = 0
    /// A packet that waits for the next one of its stream.
    private var held: CommittedDatagram?
    /// Packets that are held back, in order.
    private var waiting: [(due: Instant, datagram: CommittedDatagram)] = []
    private var ready: [CommittedDatagram] = []

    init(_ faults: MediaFaults) {
        self.faults = faults
    }

    /// When something that is held back is to leave.
    var nextDue: Instant { waiting.first?.due ?? .distantFuture }

    /// Takes what was to leave now.
    mutating func take(_ datagrams: [CommittedDatagram], now: Instant) {
        for datagram in datagrams {
            guard let ssrc = Self.stream(of: datagram) else {
                ready.append(datagram)
                continue
            }
            seen += 1
            if faults.dropEvery > 0, seen % faults.dropEvery == 0 { continue }
            if faults.swapEvery > 0, seen % faults.swapEvery == 0, held == nil {
                held = datagram
                continue
            }
            pass(datagram, now)
            if let first = held, Self.stream(of: first) == ssrc, first.destination == datagram.destination {
                held = nil
                pass(first, now)
            }
        }
        while let first = waiting.first, first.due <= now {
            ready.append(first.datagram)
            waiting.removeFirst()
        }
    }

    /// What is to leave now.
    mutating func takeReady() -> [CommittedDatagram] {
        defer { ready = [] }
        return ready
    }

    /// Whether this change of seats is one that isn't told.
    mutating func missesSeats() -> Bool {
        seatChanges += 1
        return faults.missSeatsEvery > 0 && seatChanges % faults.missSeatsEvery == 0
    }

    private mutating func pass(_ datagram: CommittedDatagram, _ now: Instant) {
        guard faults.delay > .zero else { return ready.append(datagram) }
        waiting.append((now + faults.delay, datagram))
    }

    /// The SSRC of a packet of media; nil for checks, handshakes and RTCP.
    private static func stream(of datagram: CommittedDatagram) -> UInt32? {
        let bytes = datagram.bytes
        guard bytes.count >= 12, (128...191).contains(bytes[0]), !(192...223).contains(bytes[1]) else {
            return nil
        }
        return bytes[8..<12].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
