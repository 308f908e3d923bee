import Testing
import Wire

@testable import Forwarding

/// What came out for a viewer, and whether a decoder would be content with it.
final class DecoderModel {
    struct Packet {
        var extended: Int
        var bytes: [UInt8]
        var timestamp: RTPTimestamp
        var marker: Bool
        var mark: Mark
        var payload: [UInt8]
        var descriptor: [UInt8]?
        var at: Int
    }

    let structure: LayeredStructure
    /// By outgoing number, extended.
    private(set) var packets: [Int: Packet] = [:]
    private(set) var repeated = 0
    /// What came on the retransmission stream: original number and the packet.
    private(set) var retransmitted: [UInt16: Packet] = [:]
    private var highest = 0x7ff0

    init(_ structure: LayeredStructure) {
        self.structure = structure
    }

    func receive(_ bytes: [UInt8], at milliseconds: Int) throws {
        let header = try RTPHeader.parse(bytes.span)
        var payload = Array(bytes[header.payloadRange])
        let isRTX = header.ssrc == SSRC(901)
        var number = header.sequenceNumber.rawValue
        if isRTX {
            number = UInt16(payload[0]) << 8 | UInt16(payload[1])
            payload.removeFirst(2)
        }
        let extended = highest + Int(Int16(bitPattern: number &- UInt16(truncatingIfNeeded: highest)))
        guard let mark = Mark(payload.suffix(Mark.length)) else { return }
        var packet = Packet(
            extended: extended, bytes: bytes, timestamp: header.timestamp, marker: header.marker, mark: mark,
            payload: payload, at: milliseconds)
        var elements = HeaderExtensions(of: header)
        while let element = elements.next(in: bytes.span) {
            guard Negotiated.extensions.kind(of: element.id) == .dependencyDescriptor else { continue }
            packet.descriptor = Array(bytes[element.offset..<(element.offset + element.length)])
        }
        if isRTX {
            retransmitted[number] = packet
            return
        }
        if packets[extended] != nil { repeated += 1 }
        packets[extended] = packet
        highest = max(highest, extended)
    }

    var inOrder: [Packet] { packets.values.sorted { $0.extended < $1.extended } }

    /// Numbers that never came, between the first and the last.
    var gaps: Int {
        guard let first = packets.keys.min(), let last = packets.keys.max() else { return 0 }
        return last - first + 1 - packets.count
    }

    /// Frames in the order of their first packets, with what came of them.
    func frames(_ known: [UInt32: LayeredFrame]) -> [(number: UInt32, frame: LayeredFrame, packets: [Packet])]
    {
        var order: [UInt32] = []
        var parts: [UInt32: [Packet]] = [:]
        for packet in inOrder {
            if parts[packet.mark.frame] == nil { order.append(packet.mark.frame) }
            parts[packet.mark.frame, default: []].append(packet)
        }
        return order.compactMap { number in
            known[number].map { (number, $0, parts[number] ?? []) }
        }
    }

    /// Frames that were begun without something that they need, although it came to the forwarder. What came only after
    /// another encoding was taken is asked for, or done without: a key frame follows.
    func undecodable(_ known: [UInt32: LayeredFrame]) -> [UInt32] {
        let all = frames(known)
        var seen = Set<UInt32>()
        var broken: [UInt32] = []
        for (index, part) in all.enumerated() {
            seen.insert(part.number)
            let isMissing = part.frame.references.contains { reference in
                guard let needed = known[reference] else { return true }
                return !seen.contains(reference) && needed.lost < needed.packets
            }
            let isLeft = all[index...].prefix(4).contains { $0.frame.encoding != part.frame.encoding }
            if isMissing, !isLeft { broken.append(part.number) }
        }
        return broken
    }

    /// What is wrong with the timestamps: they rise from picture to picture, and layers of one share theirs.
    func timestampFaults(_ known: [UInt32: LayeredFrame]) -> [String] {
        var faults: [String] = []
        var last: (frame: LayeredFrame, timestamp: RTPTimestamp)?
        for (_, frame, packets) in frames(known) {
            let timestamp = packets[0].timestamp
            if packets.contains(where: { $0.timestamp != timestamp }) { faults.append("within \(frame)") }
            if let last {
                let step = timestamp.distance(from: last.timestamp)
                let isSame = last.frame.capture == frame.capture && last.frame.encoding == frame.encoding
                if isSame ? step != 0 : step <= 0 { faults.append("\(step) at \(frame.capture)") }
                if step > 90_000 { faults.append("a leap of \(step) at \(frame.capture)") }
            }
            last = (frame, timestamp)
        }
        return faults
    }

    /// By how much the timestamps leave the capture's own clock at the most, in ticks of the video clock.
    func clockSpread(_ known: [UInt32: LayeredFrame]) -> Int {
        let all = frames(known)
        guard let first = all.first else { return 0 }
        let leads = all.map { _, frame, packets in
            packets[0].timestamp.distance(from: first.packets[0].timestamp)
                - (frame.capture - first.frame.capture) * 3_000
        }
        return (leads.max() ?? 0) - (leads.min() ?? 0)
    }

    /// Pictures whose last packet isn't marked as such, or another one is.
    func markerFaults(_ known: [UInt32: LayeredFrame]) -> [Int] {
        let ordered = inOrder
        var faults: [Int] = []
        for (packet, next) in zip(ordered, ordered.dropFirst()) {
            if packet.marker != (packet.timestamp != next.timestamp) { faults.append(packet.extended) }
        }
        return faults
    }
}
