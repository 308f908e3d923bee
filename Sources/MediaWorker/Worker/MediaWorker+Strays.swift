import EventLoop
import FixedCollections
import Forwarding
import Transport
import Wire

/// Media from addresses that nobody has proved to be his: a NAT gave a participant another one in mid-call.
///
/// What proves authentic is taken, and its sender's transport asks whether the participant is there. Nothing is sent to
/// the address before that is answered.
extension MediaWorker {
    /// How many packets of strangers are looked at in `StrayLimit.period`; a flood isn't worth more.
    struct StrayLimit {
        static let most = 20
        static let period = Duration.milliseconds(100)
        private var count = 0
        private var since = Instant.zero

        mutating func allows(at now: Instant) -> Bool {
            if now - since >= Self.period {
                since = now
                count = 0
            }
            count += 1
            return count <= Self.most
        }
    }

    mutating func takeStray(_ bytes: Span<UInt8>, from source: SocketAddress, origin: Int?) {
        guard 128...191 ~= bytes[0], !RTPHeader.isRTCP(bytes), strays.allows(at: now),
            bytes.count <= PacketStore.largestPacket, let header = try? RTPHeader(parsingHeaderOf: bytes)
        else { return }
        let path = TransportPath.udp(source)
        for index in 0..<connections.endIndex {
            let peer = PeerID(index)
            guard connections.contains(index), connections[index].transport.state == .connected,
                forwarder.sends(header.ssrc, peer), let slot = forwarder.takeBlock()
            else { continue }
            let length = Self.openStray(bytes, slot, &forwarder, &connections[index].transport)
            guard length > 0 else {
                forwarder.releaseBlock(slot)
                continue
            }
            forwarder.receive(slot, length: length, from: peer, at: now)
            connections[index].transport.probe(
                path, label: label(of: index), longest: bytes.count, now: now, into: &output)
            sendOutput()
            return
        }
        guard origin == nil else { return }
        for other in shared.rings.indices where other != lane {
            shared.rings[lane][other].push(bytes, from: source)
        }
    }

    /// The answer to a check of ours.
    mutating func takeAnswer(_ bytes: Span<UInt8>, from path: TransportPath, origin: Int?) {
        guard let header = STUNHeader(bytes), header.type == .bindingSuccess else {
            counters.rejectedSTUN &+= 1
            return
        }
        let owner = Int(header.transactionID.high >> 16)
        let index = Int(header.transactionID.high & 0xffff)
        if owner == lane, connections.contains(index) {
            takeCheck(bytes, for: index, from: path, origin: origin)
        } else if origin == nil, owner != lane, shared.rings.indices.contains(owner),
            case .udp(let source) = path
        {
            shared.rings[lane][owner].push(bytes, from: source)
        } else {
            counters.rejectedSTUN &+= 1
        }
    }

    private func label(of index: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: lane << 16 | index & 0xffff)
    }

    private static func openStray(
        _ bytes: Span<UInt8>, _ slot: PacketSlot, _ forwarder: inout Forwarder,
        _ transport: inout PeerTransport
    ) -> Int {
        var block = forwarder.mutableBytes(of: slot)
        block.store(bytes, at: 0)
        return (try? transport.openStrayRTP(&block, length: bytes.count)) ?? 0
    }
}
