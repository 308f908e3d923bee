import FixedCollections
import Wire

@testable import Forwarding

/// Participants with microphones and cameras that are given levels to send, and one viewer who hears them.
final class VoiceRoom {
    struct Heard {
        var participant: UInt64
        var header: RTPHeader
        var at: Instant
    }

    let bench: Bench
    let router: RouterID
    private(set) var viewer = PeerID(0)
    private(set) var peers: [UInt64: PeerID] = [:]
    private(set) var heard: [Heard] = []
    /// Packets that were let through the door, by participant.
    private(set) var opened: [UInt64: Int] = [:]
    private var senders: [UInt64: SimulatedSender] = [:]
    private var transport: UInt16 = 0
    private var ids = IDs()
    private var owners: [UInt32: UInt64] = [:]

    /// Participants are 1 to `count`, the viewer is 100.
    init(_ count: Int, videoSeats: Int = 0, audioSeats: Int = 4, maxAudible: Int = 5) throws {
        bench = Bench(limits: Bench.limits(peers: max(64, count * 2), packets: 4_096))
        router = try bench.router()
        bench.forwarder.setLimits(RouterLimits(maxAudible: maxAudible), of: router, at: bench.now)
        viewer = try view(videoSeats: videoSeats, audioSeats: audioSeats)
        for participant in 1...UInt64(count) { try join(participant) }
    }

    /// Somebody comes who only listens and watches.
    func view(videoSeats: Int, audioSeats: Int) throws -> PeerID {
        let listener = SimulatedPeer(
            participant: 100 + UInt64(peers.count), router: router, senders: [], seats: videoSeats,
            audioSeats: audioSeats)
        return try bench.add(listener.setup)
    }

    /// Somebody comes with a microphone and a camera.
    func join(_ participant: UInt64) throws {
        let microphone = SimulatedSender(
            .microphone, mid: shortID("m"), ssrc: UInt32(participant) * 1_000)
        let camera = SimulatedSender(
            .camera, mid: shortID("c"), ssrc: UInt32(participant) * 1_000 + 100)
        senders[participant] = microphone
        let peer = SimulatedPeer(
            participant: participant, router: router, senders: [microphone, camera], seats: 0)
        peers[participant] = try bench.add(peer.setup)
    }

    /// Sends what each says, 20 ms a level; 0 is silence.
    func play(_ levels: [UInt64: [UInt8]]) throws {
        for sample in 0..<(levels.values.map(\.count).max() ?? 0) {
            bench.advance(.milliseconds(20))
            for (participant, trace) in levels.sorted(by: { $0.key < $1.key }) where sample < trace.count {
                try send(trace[sample], from: participant)
            }
            drain()
        }
    }

    func send(_ level: UInt8, from participant: UInt64) throws {
        guard let sender = senders[participant], let peer = peers[participant] else { return }
        sender.loudness = [level]
        for bytes in try sender.nextFrame(at: bench.now, ids: &ids, transport: &transport) {
            owners[ReadPacket(bytes)?.mark.id ?? 0] = participant
            if bench.receive(bytes, from: peer) { opened[participant, default: 0] += 1 }
        }
    }

    func drain() {
        for sent in bench.drain() where !sent.isControl && sent.peer == viewer {
            guard let packet = ReadPacket(sent.bytes), let owner = owners[packet.mark.id] else { continue }
            heard.append(Heard(participant: owner, header: packet.header, at: bench.now))
        }
    }

    func count(_ participant: UInt64) -> Int { heard.count { $0.participant == participant } }

    func forget() { heard = [] }
}
