import FixedCollections
import Testing
import Wire

@testable import Forwarding

private func entry(_ slot: Int32, seat: Int = 0) -> EgressEntry {
    let numbers = RewrittenNumbers(
        extendedSequence: Int64(slot), timestamp: RTPTimestamp(0), pictureIDOffset: 0,
        tl0PictureIndexOffset: 0,
        keyIndexOffset: 0)
    return EgressEntry(slot: PacketSlot(slot), seat: SeatID(seat), numbers: numbers, rtxSequence: -1)
}

/// A queue whose content is read as the worker does.
private final class Turn {
    var queue: EgressQueue

    init(entries: Int = 8, peers: Int = 4) { queue = EgressQueue(entries: entries, peers: peers) }

    func append(_ slot: Int32, to peer: Int, seat: Int = 0) -> Bool {
        queue.append(entry(slot, seat: seat), to: PeerID(peer))
    }

    func drain() -> [[Int32]] {
        var batches: [[Int32]] = []
        while let peer = queue.nextReceiver() {
            var batch = [peer.index]
            while let entry = queue.popFirst(of: peer) { batch.append(entry.slot.block) }
            batches.append(batch)
        }
        return batches
    }

    func end() { queue.reset() }
    func drop(_ peer: Int) { queue.removeAll(of: PeerID(peer)) }
    func drop(seat: Int, of peer: Int) { queue.removeAll(of: SeatID(seat), of: PeerID(peer)) }
    var isEmpty: Bool { queue.isEmpty }
    var room: Int { queue.room }
}

@Suite struct EgressQueueTests {
    @Test func `each receiver gets its packets in the order of their arrival`() {
        let turn = Turn()
        let fits = [
            turn.append(1, to: 2), turn.append(2, to: 0), turn.append(3, to: 2), turn.append(4, to: 0),
        ]
        #expect(fits == [true, true, true, true])
        #expect(turn.drain() == [[2, 1, 3], [0, 2, 4]])
        #expect(turn.drain() == [])
        turn.end()
        #expect(turn.isEmpty)
    }

    @Test func `a full turn refuses, and the next one has room again`() {
        let turn = Turn(entries: 2)
        let fits = [turn.append(1, to: 0), turn.append(2, to: 1), turn.append(3, to: 1)]
        #expect(fits == [true, true, false])
        #expect(turn.room == 0)
        #expect(turn.drain() == [[0, 1], [1, 2]])
        turn.end()
        #expect(turn.append(9, to: 1))
        #expect(turn.drain() == [[1, 9]])
    }

    @Test func `what was not taken is gone after the turn`() {
        let turn = Turn()
        _ = turn.append(1, to: 0)
        turn.end()
        _ = turn.append(2, to: 0)
        #expect(turn.drain() == [[0, 2]])
    }

    @Test func `a receiver that goes and another under its number don't mix`() {
        let turn = Turn(entries: 16, peers: 2)
        for round in Int32(0)..<5 {
            _ = turn.append(round, to: 0)
            _ = turn.append(round, to: 1)
            turn.drop(1)
        }
        _ = turn.append(9, to: 1)
        #expect(turn.drain() == [[0, 0, 1, 2, 3, 4], [1, 9]])
    }

    @Test func `what is queued for a seat that goes is disowned`() {
        let turn = Turn()
        _ = turn.append(1, to: 0, seat: 5)
        _ = turn.append(2, to: 0, seat: 6)
        _ = turn.append(3, to: 1, seat: 5)
        turn.drop(seat: 5, of: 0)
        let peer = turn.queue.nextReceiver()
        let first = turn.queue.popFirst(of: PeerID(0))
        let second = turn.queue.popFirst(of: PeerID(0))
        let other = turn.queue.popFirst(of: PeerID(1))
        #expect(peer == PeerID(0))
        #expect(first?.seat == SeatID.none)
        #expect(second?.seat == SeatID(6))
        #expect(other?.seat == SeatID(5))
    }
}
