import Testing
import Wire

@testable import Forwarding

struct StreamOwnersTests {
    @Test func `an SSRC belongs to the peer that uses it`() {
        var owners = StreamOwners(capacity: 4, seed: 1)
        owners.add(SSRC(5), of: PeerID(7))
        owners.add(SSRC(6), of: PeerID(0))
        let found = [4, 5, 6].map { owners.owner(of: SSRC($0)) }
        #expect(found == [nil, PeerID(7), PeerID(0)])
        owners.remove(SSRC(5), of: PeerID(7))
        let left = owners.owner(of: SSRC(5))
        #expect(left == nil)
    }

    @Test func `an SSRC of several peers is nobody's until one is left`() {
        var owners = StreamOwners(capacity: 4, seed: 1)
        for peer in [3, 0, 9] { owners.add(SSRC(5), of: PeerID(peer)) }
        var found: [PeerID?] = [owners.owner(of: SSRC(5))]
        owners.remove(SSRC(5), of: PeerID(3))
        found.append(owners.owner(of: SSRC(5)))
        owners.remove(SSRC(5), of: PeerID(0))
        found.append(owners.owner(of: SSRC(5)))
        owners.remove(SSRC(5), of: PeerID(9))
        found.append(owners.owner(of: SSRC(5)))
        #expect(found == [nil, nil, PeerID(9), nil])
    }

    @Test func `what was given up makes room`() {
        var owners = StreamOwners(capacity: 2, seed: 1)
        for number in 1...100 as ClosedRange<UInt32> {
            owners.add(SSRC(number), of: PeerID(1))
            let owner = owners.owner(of: SSRC(number))
            #expect(owner == PeerID(1))
            owners.remove(SSRC(number), of: PeerID(1))
        }
    }
}
