public import FixedCollections
import Wire

extension Forwarder {
    /// Sets what a viewer shows and wants. O(its seats), and who sits where is settled at once.
    public mutating func setViewing(_ viewing: ViewerPreferences, of peer: PeerID, at now: Instant) {
        peers[Int(peer.index)].viewing = viewing
        applyWishes(of: peer, at: now)
        assignSeats(of: peer, at: now)
        wantAllocation(of: peer)
    }

    /// Writes into each seat what the viewer has said about it, where a packet's way needs it. A seat that is shown again
    /// begins at a key frame.
    mutating func applyWishes(of peer: PeerID, at now: Instant) {
        let viewing = peers[Int(peer.index)].viewing
        for number in 0..<peers[Int(peer.index)].seats.count {
            let seat = peers[Int(peer.index)].seats[number]
            let index = Int(seat.index)
            let wish = viewing.wish(for: seats[index].mid)
            let isPaused = seats[index].isVideo && (wish.isPaused || viewing.isVideoPaused)
            seats[index].maxHeight = wish.maxHeight
            seats[index].isHidden = seats[index].isVideo && wish.isPaused
            guard seats[index].isPaused != isPaused else { continue }
            seats[index].isPaused = isPaused
            if isPaused { rest(seat) } else { aim(seat, at: now) }
        }
    }

    /// Lists the seats that are active in their order.
    mutating func listSeats(of peer: PeerID) {
        let index = Int(peer.index)
        peers[index].audioSeats.removeAll()
        peers[index].videoSeats.removeAll()
        for number in 0..<peers[index].seats.count {
            let seat = peers[index].seats[number]
            guard seats[Int(seat.index)].isActive else { continue }
            if seats[Int(seat.index)].isVideo {
                peers[index].videoSeats.append(seat)
            } else {
                peers[index].audioSeats.append(seat)
            }
        }
        // Taken out, since sorting reads the seats beside them.
        var list = List<SeatID>()
        swap(&list, &peers[index].audioSeats)
        sort(&list)
        swap(&list, &peers[index].audioSeats)
        swap(&list, &peers[index].videoSeats)
        sort(&list)
        swap(&list, &peers[index].videoSeats)
    }

    private func sort(_ list: inout List<SeatID>) {
        for number in 0..<list.count {
            let seat = list[number]
            var place = number
            while place > 0, seats[Int(seat.index)].number < seats[Int(list[place - 1].index)].number {
                list[place] = list[place - 1]
                place -= 1
            }
            list[place] = seat
        }
    }
}
