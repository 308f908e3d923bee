public import FixedCollections
import Wire

extension Forwarder {
    /// Sets what a viewer shows and wants. O(its seats), and who sits where is settled at once.
    public mutating func setViewing(_ viewing: ViewerPreferences, of peer: PeerID, at now: Instant) {
        peers[Int(peer.index)].viewing = viewing
        applyWishes(of: peer)
        assignSeats(in: peers[Int(peer.index)].router, at: now)
    }

    /// Writes into each seat what the viewer has said about it, where a packet's way needs it.
    mutating func applyWishes(of peer: PeerID) {
        let viewing = peers[Int(peer.index)].viewing
        for number in 0..<peers[Int(peer.index)].seats.count {
            let index = Int(peers[Int(peer.index)].seats[number].index)
            let wish = viewing.wish(for: seats[index].mid)
            seats[index].maxHeight = wish.maxHeight
            seats[index].isPaused = seats[index].isVideo && (wish.isPaused || viewing.isVideoPaused)
        }
    }
}
