import FixedCollections
import Wire

/// Whose an SSRC is, among the inbound streams of all peers, so that a packet is told apart without its address.
///
/// An SSRC that several peers use belongs to nobody until all but one have given it up. The peers' numbers are added up:
/// when one is left, the sum is its number. All operations are O(1).
struct StreamOwners: ~Copyable {
    struct Claims: BitwiseCopyable {
        var count: Int32
        var sum: Int64
    }

    private var claims: FixedMap<UInt32, Claims>

    /// - Parameter capacity: streams of all peers together.
    init(capacity: Int, seed: UInt64) {
        claims = FixedMap(capacity: capacity, seed: seed)
    }

    /// The only peer with this SSRC; nil if there is none, or more than one.
    func owner(of ssrc: SSRC) -> PeerID? {
        guard let known = claims[ssrc.rawValue], known.count == 1 else { return nil }
        return PeerID(Int(known.sum))
    }

    /// Once for each pair of SSRC and peer.
    mutating func add(_ ssrc: SSRC, of peer: PeerID) {
        var known = claims[ssrc.rawValue] ?? Claims(count: 0, sum: 0)
        known.count += 1
        known.sum += Int64(peer.index)
        claims.set(ssrc.rawValue, to: known)
    }

    /// Undoes `add`.
    mutating func remove(_ ssrc: SSRC, of peer: PeerID) {
        guard var known = claims[ssrc.rawValue] else { return }
        known.count -= 1
        known.sum -= Int64(peer.index)
        if known.count > 0 {
            claims.set(ssrc.rawValue, to: known)
        } else {
            claims.remove(ssrc.rawValue)
        }
    }
}
