import EventLoop
import FixedCollections
import Transport
import Wire

/// The bad network that a participant may have between itself and its socket.
final class ImpairedNetwork {
    var up: Impairment
    var down: Impairment
    var upQueue = PacketQueue()
    var downQueue = PacketQueue()

    init(_ plan: NetworkPlan, seed: UInt64) {
        up = Impairment(plan, seed: seed)
        down = Impairment(plan, seed: seed &+ 1)
    }

    var nextArrival: Instant { min(upQueue.nextArrival, downQueue.nextArrival) }
}

extension Participant {
    /// Commits the first `length` bytes of the sender's room, or gives them to the bad network.
    func commit(_ length: Int, _ shared: LoadShared, now: Instant) {
        guard let server else { return }
        guard let network else {
            shared.sender.commit(length: length, to: server)
            return
        }
        guard let arrival = network.up.arrival(ofBytes: length, now: now) else { return }
        network.upQueue.append(shared.sender.written(length), at: arrival)
        hasten(to: arrival)
    }

    /// Takes a datagram from the socket.
    func arrive(_ bytes: inout MutableSpan<UInt8>, _ shared: LoadShared, now: Instant) {
        guard let network else { return receive(&bytes, shared, now: now) }
        guard let arrival = network.down.arrival(ofBytes: bytes.count, now: now) else { return }
        var copy = [UInt8](repeating: 0, count: bytes.count)
        for index in 0..<bytes.count { copy[index] = bytes[index] }
        network.downQueue.append(copy, at: arrival)
        hasten(to: arrival)
    }

    /// Lets through what has come through the bad network.
    func drainNetwork(_ shared: LoadShared, now: Instant) {
        guard let network else { return }
        while let bytes = network.upQueue.pop(now: now) {
            guard let server else { break }
            if !shared.sender.hasRoom(for: 1_500, segmentSize: 1_500) { flush(shared) }
            var room = shared.sender.room()
            for index in 0..<bytes.count { room[index] = bytes[index] }
            shared.sender.commit(length: bytes.count, to: server)
        }
        flush(shared)
        while var bytes = network.downQueue.pop(now: now) {
            var span = bytes.mutableSpan
            receive(&span, shared, now: now)
        }
    }
}

extension DatagramSender {
    /// A copy of the first bytes of the room.
    fileprivate mutating func written(_ length: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: length)
        let room = room()
        for index in 0..<length { bytes[index] = room[index] }
        return bytes
    }
}
