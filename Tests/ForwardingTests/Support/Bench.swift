import FixedCollections
import Wire

@testable import Forwarding

/// A forwarder on a virtual clock, driven as a media worker does it.
final class Bench {
    /// A datagram that left.
    struct Sent {
        var peer: PeerID
        var bytes: [UInt8]
        var isControl: Bool
    }

    var forwarder: Forwarder
    var now: Instant
    /// Called with what goes on to other workers.
    var relays: ((Relay, [UInt8], PeerID) -> Void)?
    private var header = [UInt8](repeating: 0, count: 320)
    private var control = [UInt8](repeating: 0, count: 1_500)

    init(limits: ForwarderLimits = Bench.limits(), now: Instant = Instant(nanoseconds: 1_000_000_000)) {
        self.now = now
        forwarder = Forwarder(limits: limits, seed: 7, clockOffset: .seconds(1_700_000_000), now: now)
    }

    static func limits(peers: Int = 64, mirrors: Int = 0, packets: Int = 16_384) -> ForwarderLimits {
        ForwarderLimits(
            routers: 4, peers: peers, mirrors: mirrors, seats: peers * 64, packets: packets,
            packetsATurn: 16_384)
    }

    func advance(_ duration: Duration) {
        now += duration
    }

    var counters: ForwarderCounters { forwarder.counters }
    var packetCount: Int { forwarder.packetCount }
    var nextDeadline: Instant { forwarder.nextDeadline }

    private var speakers: [RouterID: UInt64] = [:]
    /// All that was told, and when.
    private(set) var events: [(event: ForwarderEvent, at: Instant)] = []

    /// As it was told last.
    func dominantSpeaker(in router: RouterID) -> UInt64? { speakers[router] }

    private func takeEvents() {
        while let event = forwarder.pollEvent(at: now) {
            events.append((event, now))
            if case .dominantSpeaker(let router, let participant) = event { speakers[router] = participant }
        }
    }

    // MARK: Peers

    func router() throws -> RouterID {
        guard let router = forwarder.addRouter() else { throw BenchError.full }
        return router
    }

    func add(_ setup: PeerSetup) throws -> PeerID {
        guard let peer = forwarder.addPeer(setup, at: now) else { throw BenchError.full }
        return peer
    }

    func configure(_ peer: PeerID, _ setup: PeerSetup) { forwarder.configure(peer, setup, at: now) }

    func remove(_ peer: PeerID) {
        forwarder.removePeer(peer, at: now)
        while forwarder.pollForgottenStream() != nil {}
    }

    func setLive(_ isLive: Bool, _ source: Source, of peer: PeerID) {
        forwarder.setLive(isLive, source: source, of: peer, at: now)
    }

    /// Whom the viewer's seats show, video or audio, in their order.
    func occupants(of peer: PeerID, isVideo: Bool) -> [UInt64?] {
        forwarder.seatOccupancy(of: peer).filter { $0.isVideo == isVideo }.map(\.participant)
    }

    func occupancy(of peer: PeerID) -> [SeatOccupancy] { forwarder.seatOccupancy(of: peer) }

    // MARK: In

    /// - Returns: whether the packet was let through the door.
    @discardableResult
    func receive(_ bytes: [UInt8], from peer: PeerID) -> Bool {
        var relay: Relay?
        let isOpened = Self.receive(bytes, from: peer, at: now, &forwarder, &relay)
        if let relay { relays?(relay, bytes, peer) }
        return isOpened
    }

    /// Takes in what another worker has relayed.
    func receiveRelayed(_ bytes: [UInt8], _ stream: RelayedStream, from mirror: PeerID) {
        guard let slot = forwarder.takeBlock() else { return }
        Self.write(bytes, slot, &forwarder)
        forwarder.receiveRelayed(slot, length: bytes.count, stream, from: mirror, at: now)
    }

    private static func receive(
        _ bytes: [UInt8], from peer: PeerID, at now: Instant, _ forwarder: inout Forwarder,
        _ relay: inout Relay?
    ) -> Bool {
        guard let header = try? RTPHeader(parsingHeaderOf: bytes.span),
            forwarder.admit(header, packet: bytes.span, from: peer, at: now) == .open,
            let slot = forwarder.takeBlock()
        else { return false }
        write(bytes, slot, &forwarder)
        relay = forwarder.receive(slot, length: bytes.count, from: peer, at: now)
        return true
    }

    private static func write(_ bytes: [UInt8], _ slot: PacketSlot, _ forwarder: inout Forwarder) {
        var block = forwarder.mutableBytes(of: slot)
        block.store(bytes.span, at: 0)
    }

    func receiveControl(_ bytes: [UInt8], from peer: PeerID) {
        forwarder.receiveControl(bytes.span, from: peer, at: now)
    }

    // MARK: Out

    /// Ends the turn as the worker does: events and RTCP first, then the packets, receiver by receiver.
    func drain() -> [Sent] {
        var sent: [Sent] = []
        takeEvents()
        while let (peer, length) = Self.poll(&forwarder, at: now, into: &control) {
            sent.append(Sent(peer: peer, bytes: Array(control[..<length]), isControl: true))
        }
        while let peer = forwarder.nextReceiver() {
            while let entry = forwarder.popPacket(of: peer) {
                guard let bytes = compose(entry) else { continue }
                sent.append(Sent(peer: peer, bytes: bytes, isControl: false))
            }
        }
        takeEvents()
        forwarder.endTurn()
        return sent
    }

    private static func poll(
        _ forwarder: inout Forwarder, at now: Instant, into control: inout [UInt8]
    ) -> (peer: PeerID, length: Int)? {
        var span = control.mutableSpan
        return forwarder.pollControl(at: now, into: &span)
    }

    private func compose(_ entry: EgressEntry) -> [UInt8]? {
        guard let packet = Self.compose(entry, &forwarder, at: now, into: &header) else { return nil }
        var bytes = Array(header[..<(packet.headerLength + packet.prefixLength)])
        Self.append(packet, of: forwarder, to: &bytes)
        if packet.paddingLength > 0 {
            // As whoever seals it does.
            bytes[0] |= 0x20
            bytes += [UInt8](repeating: 0, count: Int(packet.paddingLength) - 1) + [packet.paddingLength]
        }
        return bytes
    }

    private static func compose(
        _ entry: EgressEntry, _ forwarder: inout Forwarder, at now: Instant, into header: inout [UInt8]
    ) -> ComposedPacket? {
        var span = header.mutableSpan
        return forwarder.compose(entry, at: now, into: &span)
    }

    private static func append(
        _ packet: ComposedPacket, of forwarder: borrowing Forwarder, to bytes: inout [UInt8]
    ) {
        let block = forwarder.bytes(of: packet.slot)
        for index in packet.payloadOffset..<(packet.payloadOffset + packet.payloadLength) {
            bytes.append(block[index])
        }
    }

    // MARK: Inside

    /// When the peer's RTCP is due, everything looked at.
    func controlDeadline(of peer: PeerID) -> Instant { forwarder.controlDeadline(of: peer) }

    /// When the forwarder wants to be called for RTCP.
    var controlTimer: Instant { forwarder.timers.nextDeadline() }

    /// Entries of each table: peers, publications, encodings, seats, streams.
    var tableCounts: [Int] {
        [
            forwarder.peers.count, forwarder.publications.count, forwarder.encodings.count,
            forwarder.seats.count,
            forwarder.streams.count,
        ]
    }
}

enum BenchError: Error {
    case full
}
