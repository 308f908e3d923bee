import EventLoop
import FixedCollections
import Forwarding
import Transport
import Wire

/// Media from addresses that no connection owns. Most of it is nobody's; but when a NAT changes a participant's address,
/// its media is there seconds before its next check.
extension MediaWorker {
    /// Finds the sender by the SSRC, and the proof in the keys. Costs little for what isn't authentic: an unknown SSRC is
    /// dropped at once, and for a known one its sender is allowed so many failures a second.
    mutating func takeStranger(_ bytes: Span<UInt8>, from source: SocketAddress, origin: Int?) {
        guard bytes.count >= 12, 128...191 ~= bytes[0], !RTPHeader.isRTCP(bytes),
            bytes.count <= PacketStore.largestPacket
        else {
            if origin == nil { counters.unknownSource &+= 1 }
            return
        }
        guard let peer = forwarder.owner(of: SSRC(bytes.loadUInt32(at: 8))) else {
            if origin == nil {
                counters.unknownSource &+= 1
                askOthers(bytes, from: source)
            }
            return
        }
        let index = Int(peer.index)
        guard connections[index].strangers.take(at: now) else {
            counters.unprovenLimited &+= 1
            return
        }
        guard let slot = forwarder.takeBlock() else { return }
        let length = Self.openUnproven(
            bytes, slot, from: .udp(source), at: now, &forwarder, &connections[index].transport,
            &output)
        sendOutput()
        guard length > 0 else {
            counters.unprovenFailures &+= 1
            forwarder.releaseBlock(slot)
            return
        }
        connections[index].strangers.giveBack()
        counters.unproven &+= 1
        if let relay = forwarder.receive(slot, length: length, from: peer, at: now) {
            send(relay, slot, length: length, of: index)
        }
    }

    /// The kernel spreads addresses over the workers: the SSRC may be known to another one.
    private mutating func askOthers(_ bytes: Span<UInt8>, from source: SocketAddress) {
        guard shared.rings.count > 1, questions.take(at: now) else { return }
        for worker in shared.rings.indices where worker != lane {
            shared.rings[lane][worker].push(bytes, from: source, isKnown: false)
        }
    }

    /// Opens a packet into a block, and puts a check of its address into `output` where one is due.
    ///
    /// - Returns: its length; 0 if it isn't authentic or was seen before.
    private static func openUnproven(
        _ bytes: Span<UInt8>, _ slot: PacketSlot, from path: TransportPath, at now: Instant,
        _ forwarder: inout Forwarder, _ transport: inout PeerTransport, _ output: inout OutputDatagrams
    ) -> Int {
        var block = forwarder.mutableBytes(of: slot)
        block.store(bytes, at: 0)
        let length = try? transport.openUnprovenRTP(
            &block, length: bytes.count, from: path, now: now, into: &output)
        return length ?? 0
    }
}
