import FixedCollections
import Wire

@testable import Forwarding

/// What is on its way between the workers of a simulation.
struct RelayLink {
    struct Packet {
        var from: SimulatedPeer
        var to: Int
        /// Nil: a sender report.
        var stream: RelayedStream?
        var bytes: [UInt8]
    }

    var packets: [Packet] = []
    /// Nothing is taken out while it is set.
    var isHeld = false
    /// Packets that crossed, by participant and source.
    var crossed: [UInt64: [Source: Int]] = [:]
    /// Requests of mirrors, in order.
    var requests: [MirrorRequest] = []
    /// What left for somebody who isn't on the worker.
    var strays = 0
}

/// A session on several workers, as the media workers do it with rings and mailboxes.
extension Network {
    func connectWorkers() {
        for (worker, bench) in benches.enumerated() {
            bench.relays = { [unowned self] relay, bytes, id in
                guard let peer = peers.first(where: { $0.worker == worker && $0.id == id }) else { return }
                push(bytes, relay.stream, of: peer, to: relay.targets)
            }
        }
    }

    private func push(
        _ bytes: [UInt8], _ stream: RelayedStream?, of peer: SimulatedPeer, to targets: RelayTargets
    ) {
        var left = targets
        while let worker = left.popFirst() {
            relay.packets.append(RelayLink.Packet(from: peer, to: worker, stream: stream, bytes: bytes))
        }
    }

    /// Numbers the connection, and adds its mirrors where the peer itself isn't.
    func mirror(_ peer: SimulatedPeer) throws {
        numbers += 1
        peer.number(numbers)
        guard !peer.setup.publications.isEmpty else { return }
        for (worker, bench) in benches.enumerated() where worker != peer.worker {
            guard let mirror = bench.forwarder.addMirror(peer.setup, owner: peer.worker, at: now) else {
                throw BenchError.full
            }
            peer.mirrors[worker] = mirror
        }
    }

    func setLive(_ isLive: Bool, _ source: Source, of peer: SimulatedPeer) {
        benches[peer.worker].setLive(isLive, source, of: peer.id)
        for (worker, mirror) in peer.mirrors { benches[worker].setLive(isLive, source, of: mirror) }
    }

    func receiveControl(_ bytes: [UInt8], from peer: SimulatedPeer) {
        benches[peer.worker].receiveControl(bytes, from: peer.id)
        guard benches.count > 1, bytes.count > 1, bytes[1] == 200 else { return }
        push(bytes, nil, of: peer, to: benches[peer.worker].forwarder.relayTargets(of: peer.id))
    }

    /// Moves what is on its way to where it goes.
    func exchange() {
        guard !relay.isHeld else { return }
        let packets = relay.packets
        relay.packets = []
        for packet in packets { take(packet) }
    }

    private func take(_ packet: RelayLink.Packet) {
        guard !packet.from.hasLeft, let mirror = packet.from.mirrors[packet.to] else { return }
        guard let stream = packet.stream else {
            benches[packet.to].receiveControl(packet.bytes, from: mirror)
            return
        }
        if let source = packet.from.setup.publications.first(where: { $0.mid == stream.mid })?.source {
            relay.crossed[packet.from.participant, default: [:]][source, default: 0] += 1
        }
        benches[packet.to].receiveRelayed(packet.bytes, stream, from: mirror)
    }

    func takeRequests() {
        for (worker, bench) in benches.enumerated() {
            while let request = bench.forwarder.pollMirrorRequest() {
                relay.requests.append(request)
                answer(request, from: worker)
            }
        }
    }

    private func answer(_ request: MirrorRequest, from worker: Int) {
        guard let peer = peers.first(where: { $0.setup.connection == request.connection }) else { return }
        let owner = benches[request.owner]
        switch request.content {
        case .packets:
            owner.forwarder.setRelayed(true, to: worker, mid: request.mid, of: peer.id)
        case .noPackets:
            owner.forwarder.setRelayed(false, to: worker, mid: request.mid, of: peer.id)
        case .declined(let places):
            owner.forwarder.setDeclined(places, by: worker, mid: request.mid, of: peer.id)
        case .keyFrame(let rid):
            owner.forwarder.wantKeyFrame(mid: request.mid, rid: rid, of: peer.id)
        }
    }
}
