import FixedCollections
import TestSupport
import Testing
import Wire

@testable import Forwarding

/// Headers from a template are those that would be written from scratch.
@Suite struct HeaderTemplateTests {
    /// What a packet brings along, and the viewer's numbers.
    private struct Packet {
        var info = PacketInfo()
        var block: [UInt8]
        var numbers: RewrittenNumbers
        var sendTime: UInt32
        var transport: UInt16
    }

    private static func viewer(without missing: HeaderExtensionKind?) -> HeaderExtensionMap {
        var map = HeaderExtensionMap()
        let kinds: [HeaderExtensionKind] = [
            .mid, .absoluteSendTime, .transportCC, .audioLevel, .videoOrientation, .playoutDelay,
            .dependencyDescriptor,
        ]
        for (index, kind) in kinds.enumerated() where kind != missing {
            _ = map.map(kind, to: UInt8(index + 3))
        }
        return map
    }

    private static func packet(
        _ kinds: [(HeaderExtensionKind, Int)], using random: inout SeededGenerator
    ) -> Packet {
        var packet = Packet(
            block: (0..<64).map { _ in UInt8.random(in: 0...255, using: &random) },
            numbers: RewrittenNumbers(
                extendedSequence: Int64.random(in: 0...1 << 40, using: &random),
                timestamp: RTPTimestamp(UInt32.random(in: 0...UInt32.max, using: &random)),
                pictureIDOffset: 0, tl0PictureIndexOffset: 0, keyIndexOffset: 0),
            sendTime: UInt32.random(in: 0...0xff_ffff, using: &random),
            transport: UInt16.random(in: 0...UInt16.max, using: &random))
        packet.numbers.marker = Bool.random(using: &random)
        packet.numbers.frameNumberOffset = UInt16.random(in: 0...UInt16.max, using: &random)
        packet.info.format = FormatID(3)
        var offset = 16
        for (kind, length) in kinds {
            packet.info.extensions.append(kind, offset: offset, length: length)
            if kind == .dependencyDescriptor {
                packet.info.frame.frameNumber = packet.block.span.loadUInt16(at: offset + 1)
            }
            offset += length + 1
        }
        return packet
    }

    private static func written(_ packet: Packet, for viewer: HeaderExtensionMap) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0xaa, count: 120)
        var span = bytes.mutableSpan
        let fields = RTPFields(
            marker: packet.numbers.marker, payloadType: PayloadType(96),
            sequenceNumber: packet.numbers.sequence,
            timestamp: packet.numbers.timestamp, ssrc: SSRC(0x1234_5678))
        var writer = try RTPWriter(fields, into: &span)
        try writer.append(id: viewer.id(of: .mid), shortID("v0"), to: &span)
        var id = viewer.id(of: .absoluteSendTime)
        if id != 0 { try writer.append(id: id, absoluteSendTime: packet.sendTime, to: &span) }
        id = viewer.id(of: .transportCC)
        if id != 0 { try writer.append(id: id, SequenceNumber(packet.transport), to: &span) }
        for index in 0..<Int(packet.info.extensions.count) {
            let element = packet.info.extensions[index]
            id = viewer.id(of: element.kind)
            guard id != 0 else { continue }
            let start = Int(element.offset)
            let value = packet.block.span.extracting(start..<start + Int(element.length))
            let written = try writer.append(id: id, value, to: &span)
            if element.kind == .dependencyDescriptor {
                span.store(packet.info.frame.frameNumber &+ packet.numbers.frameNumberOffset, at: written + 1)
            }
        }
        let length = try writer.finish(&span)
        return Array(bytes[..<length])
    }

    private static func copied(_ packet: Packet, from template: HeaderTemplate) -> [UInt8] {
        var bytes = [UInt8](repeating: 0x55, count: HeaderTemplate.limit)
        var span = bytes.mutableSpan
        let length = template.write(
            packet.info, in: packet.block.span, numbers: packet.numbers, sendTime: packet.sendTime,
            transport: packet.transport, into: &span)
        return Array(bytes[..<length])
    }

    private static let forms: [[(HeaderExtensionKind, Int)]] = [
        [], [(.audioLevel, 1)], [(.videoOrientation, 1), (.playoutDelay, 3)],
        [(.playoutDelay, 3), (.audioLevel, 1), (.videoOrientation, 1), (.dependencyDescriptor, 7)],
    ]

    @Test(arguments: [HeaderExtensionKind?.none, .absoluteSendTime, .transportCC, .audioLevel])
    func `a header from a template is the one that would be written`(missing: HeaderExtensionKind?) throws {
        let viewer = Self.viewer(without: missing)
        var random = SeededGenerator(seed: 11)
        for form in Self.forms {
            let first = Self.packet(form, using: &random)
            let header = try Self.written(first, for: viewer)
            let template = HeaderTemplate(header.span, of: first.info, for: viewer)
            for _ in 0..<200 {
                let packet = Self.packet(form, using: &random)
                #expect(template.fits(packet.info))
                let expected = try Self.written(packet, for: viewer)
                #expect(Self.copied(packet, from: template) == expected)
            }
        }
    }

    @Test func `a packet of another form, another format or with too many extensions doesn't fit`() throws {
        let viewer = Self.viewer(without: nil)
        var random = SeededGenerator(seed: 12)
        let first = Self.packet(Self.forms[1], using: &random)
        let header = try Self.written(first, for: viewer)
        let template = HeaderTemplate(header.span, of: first.info, for: viewer)
        #expect(template.fits(first.info))
        for form in [Self.forms[0], Self.forms[2], [(.videoOrientation, 1)], [(.audioLevel, 2)]] {
            #expect(!template.fits(Self.packet(form, using: &random).info))
        }
        var other = first.info
        other.format = FormatID(4)
        #expect(!template.fits(other))
        let many = Self.packet(Array(repeating: (.audioLevel, 1), count: 5), using: &random)
        let none = HeaderTemplate(header.span, of: many.info, for: viewer)
        #expect(!none.fits(many.info))
        #expect(!HeaderTemplate().fits(first.info))
    }

    @Test func `a long header isn't kept`() throws {
        let viewer = Self.viewer(without: nil)
        var random = SeededGenerator(seed: 13)
        let packet = Self.packet([(.playoutDelay, 16), (.videoOrientation, 16)], using: &random)
        let header = try Self.written(packet, for: viewer)
        #expect(header.count > HeaderTemplate.limit)
        #expect(!HeaderTemplate(header.span, of: packet.info, for: viewer).fits(packet.info))
    }
}
