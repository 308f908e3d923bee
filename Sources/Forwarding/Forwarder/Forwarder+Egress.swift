public import FixedCollections
public import Wire

/// A packet as `compose` has begun it: what is written, and what is still to be sealed behind it.
public struct ComposedPacket: BitwiseCopyable, Sendable {
    public var ssrc: SSRC
    /// What the caller calls the stream; see `Forwarder.setStream`.
    public var stream: UInt16?
    public var sequence: SequenceNumber
    /// Bytes of the RTP header, authenticated and not encrypted.
    public var headerLength: Int
    /// Bytes behind the header that are written already and are to be encrypted in place.
    public var prefixLength: Int
    /// The rest of the payload lies here in the packet's block.
    public var slot: PacketSlot
    public var payloadOffset: Int
    public var payloadLength: Int
    /// RTP padding to add (RFC 3550 section 5.1): all that a packet that measures the link has.
    public var paddingLength: UInt8 = 0

    public init(
        ssrc: SSRC, stream: UInt16? = nil, sequence: SequenceNumber, headerLength: Int, prefixLength: Int,
        slot: PacketSlot, payloadOffset: Int, payloadLength: Int
    ) {
        self.ssrc = ssrc
        self.stream = stream
        self.sequence = sequence
        self.headerLength = headerLength
        self.prefixLength = prefixLength
        self.slot = slot
        self.payloadOffset = payloadOffset
        self.payloadLength = payloadLength
    }

    /// Bytes of header, payload and padding, without tag.
    public var length: Int { headerLength + prefixLength + payloadLength + Int(paddingLength) }

    /// The rest of the payload, in its block.
    public var payloadRange: Range<Int> { payloadOffset..<payloadOffset + payloadLength }
}

extension Forwarder {
    /// The next receiver that has packets in this turn.
    public mutating func nextReceiver() -> PeerID? { queue.nextReceiver() }

    /// Takes the receiver's next packet.
    public mutating func popPacket(of peer: PeerID) -> EgressEntry? { queue.popFirst(of: peer) }

    /// Whether something waits to be sent.
    public var hasPackets: Bool { !queue.isEmpty }

    /// Whether the turn must end now, for want of room.
    public var isTurnFull: Bool { queue.room < 4_096 }

    /// Ends the turn: what was queued is gone, blocks that were released are free.
    public mutating func endTurn() {
        queue.reset()
        if store.isShort { trimCaches() }
        store.reclaim()
    }

    /// Streams that have stopped keep their packets; when the store runs short, everybody's older half goes.
    private mutating func trimCaches() {
        for index in 0..<encodings.endIndex where encodings.contains(index) {
            encodings[index].cache.trim(in: &store)
        }
    }

    /// Writes header and rewritten descriptor of a packet into `bytes`, which has 320 bytes at least.
    ///
    /// - Returns: `nil` when the seat has gone meanwhile or the header doesn't fit.
    public mutating func compose(
        _ entry: EgressEntry, at now: Instant, into bytes: inout MutableSpan<UInt8>
    ) -> ComposedPacket? {
        let seat = Int(entry.seat.index)
        guard seats.contains(seat) else { return nil }
        let peer = Int(seats[seat].peer.index)
        updateSendTime(at: now)
        if entry.slot == .none { return composePadding(entry, at: now, into: &bytes) }
        var headerLength = 0
        if entry.rtxSequence < 0, entry.numbers.activeTargets == 0,
            seats[seat].template.fits(store[entry.slot])
        {
            headerLength = seats[seat].template.write(
                store[entry.slot], in: store.bytes(of: entry.slot), numbers: entry.numbers,
                sendTime: sendTime.value, transport: peers[peer].nextTransportSequence, into: &bytes)
            peers[peer].nextTransportSequence &+= 1
        } else {
            do throws(RTPError) {
                headerLength = try writeHeader(entry, into: &bytes)
            } catch {
                return nil
            }
        }
        guard headerLength > 0 else { return nil }
        noteSent(headerLength + Int(store[entry.slot].payloadLength), entry, of: seats[seat].peer, at: now)
        return finish(entry, headerLength: headerLength, into: &bytes)
    }

    /// Writes the header from scratch.
    ///
    /// - Returns: its length; 0 when the viewer can't take the packet.
    private mutating func writeHeader(
        _ entry: EgressEntry, into bytes: inout MutableSpan<UInt8>
    ) throws(RTPError) -> Int {
        let seat = Int(entry.seat.index)
        let peer = Int(seats[seat].peer.index)
        let format = store[entry.slot].format
        let isRTX = entry.rtxSequence >= 0
        guard
            let payloadType = isRTX
                ? peers[peer].payloadTypes.rtxPayloadType(of: format)
                : peers[peer].payloadTypes.payloadType(of: format),
            let ssrc = isRTX ? seats[seat].rtxSSRC : seats[seat].ssrc
        else { return 0 }
        let fields = RTPFields(
            marker: entry.numbers.marker, payloadType: payloadType,
            sequenceNumber: isRTX
                ? SequenceNumber(UInt16(truncatingIfNeeded: entry.rtxSequence)) : entry.numbers.sequence,
            timestamp: entry.numbers.timestamp, ssrc: ssrc)
        var writer = try RTPWriter(fields, into: &bytes)
        try appendExtensions(entry, to: &writer, into: &bytes)
        let length = try writer.finish(&bytes)
        guard bytes.holds(2 + Int(store[entry.slot].frame.places.length), at: length) else { throw .noSpace }
        if !isRTX, entry.numbers.activeTargets == 0 {
            seats[seat].template = HeaderTemplate(
                bytes.span.extracting(0..<length), of: store[entry.slot], for: peers[peer].extensions)
        }
        return length
    }

    /// Writes what stands between header and payload.
    private mutating func finish(
        _ entry: EgressEntry, headerLength: Int, into bytes: inout MutableSpan<UInt8>
    ) -> ComposedPacket {
        let seat = Int(entry.seat.index)
        let isRTX = entry.rtxSequence >= 0
        var prefixLength = 0
        if isRTX {
            bytes.store(entry.numbers.sequence.rawValue, at: headerLength)
            prefixLength = 2
        }
        let frame = store[entry.slot].frame
        let descriptorLength = Self.writeDescriptor(
            frame, in: store.bytes(of: entry.slot), from: Int(store[entry.slot].payloadOffset), entry.numbers,
            at: headerLength + prefixLength, into: &bytes)
        let payloadLength = Int(store[entry.slot].payloadLength)
        if !isRTX {
            seats[seat].sent.packets &+= 1
            seats[seat].sent.octets &+= UInt32(payloadLength)
        }
        return ComposedPacket(
            ssrc: isRTX ? seats[seat].rtxSSRC ?? seats[seat].ssrc : seats[seat].ssrc,
            stream: isRTX ? seats[seat].rtxStream : seats[seat].stream,
            sequence: isRTX
                ? SequenceNumber(UInt16(truncatingIfNeeded: entry.rtxSequence)) : entry.numbers.sequence,
            headerLength: headerLength, prefixLength: prefixLength + descriptorLength, slot: entry.slot,
            payloadOffset: Int(store[entry.slot].payloadOffset) + descriptorLength,
            payloadLength: payloadLength - descriptorLength)
    }

    private mutating func appendExtensions(
        _ entry: EgressEntry, to writer: inout RTPWriter, into bytes: inout MutableSpan<UInt8>
    ) throws(RTPError) {
        let seat = Int(entry.seat.index)
        let peer = Int(seats[seat].peer.index)
        try appendOwnExtensions(seat, to: &writer, into: &bytes)
        let passed = store[entry.slot].extensions
        for index in 0..<Int(passed.count) {
            let element = passed[index]
            let id = peers[peer].extensions.id(of: element.kind)
            guard id != 0 else { continue }
            let start = Int(element.offset)
            let value = store.bytes(of: entry.slot).extracting(start..<(start + Int(element.length)))
            if element.kind == .dependencyDescriptor, element.length >= 3 {
                try Self.append(
                    id: id, descriptor: value, store[entry.slot].frame, entry.numbers, to: &writer,
                    into: &bytes)
            } else {
                try writer.append(id: id, value, to: &bytes)
            }
        }
    }

    /// Appends the extensions that aren't the source's.
    mutating func appendOwnExtensions(
        _ seat: Int, to writer: inout RTPWriter, into bytes: inout MutableSpan<UInt8>
    ) throws(RTPError) {
        let peer = Int(seats[seat].peer.index)
        var id = peers[peer].extensions.id(of: .mid)
        if id != 0 { try writer.append(id: id, seats[seat].mid, to: &bytes) }
        id = peers[peer].extensions.id(of: .absoluteSendTime)
        if id != 0 { try writer.append(id: id, absoluteSendTime: sendTime.value, to: &bytes) }
        id = peers[peer].extensions.id(of: .transportCC)
        if id != 0, peers[peer].isNumbered {
            try writer.append(id: id, SequenceNumber(peers[peer].nextTransportSequence), to: &bytes)
            peers[peer].nextTransportSequence &+= 1
        }
    }

    /// Writes a dependency descriptor with the seat's numbers.
    private static func append(
        id: UInt8, descriptor value: Span<UInt8>, _ frame: FrameInfo, _ numbers: RewrittenNumbers,
        to writer: inout RTPWriter, into bytes: inout MutableSpan<UInt8>
    ) throws(RTPError) {
        var length = value.count
        if numbers.activeTargets != 0 { length = frame.activeTargetsPlace.length(of: length) }
        let offset = try writer.reserve(id: id, length: length, in: &bytes)
        var copy = bytes._mutatingExtracting(offset..<(offset + length))
        if numbers.activeTargets != 0 {
            DependencyDescriptor.rewrite(
                value, activeTargets: numbers.activeTargets, at: frame.activeTargetsPlace, into: &copy)
        } else {
            copy.store(value, at: 0)
        }
        copy.store(frame.frameNumber &+ numbers.frameNumberOffset, at: 1)
    }

    /// Takes down the turn's time in 24 bits: 6 of seconds, 18 of their fraction.
    private mutating func updateSendTime(at now: Instant) {
        guard now != sendTime.at else { return }
        let nanoseconds = now.nanoseconds &+ clockOffset.wholeNanoseconds
        let seconds = UInt64(bitPattern: nanoseconds / 1_000_000_000)
        let fraction = UInt64(bitPattern: nanoseconds % 1_000_000_000)
        let value = UInt32(truncatingIfNeeded: (seconds << 18 | (fraction << 18) / 1_000_000_000) & 0xff_ffff)
        sendTime = (now, value)
    }

    /// Copies the start of a VP8 or VP9 descriptor with the seat's numbers; other codecs have none. There is room for it.
    private static func writeDescriptor(
        _ frame: FrameInfo, in block: Span<UInt8>, from start: Int, _ numbers: RewrittenNumbers,
        at offset: Int,
        into bytes: inout MutableSpan<UInt8>
    ) -> Int {
        let length = Int(frame.places.length)
        guard length > 0 else { return 0 }
        bytes.store(block.extracting(start..<(start + length)), at: offset)
        var copy = bytes._mutatingExtracting(offset..<(offset + length))
        frame.places.rewrite(
            &copy, pictureID: frame.pictureID &+ numbers.pictureIDOffset,
            tl0PictureIndex: frame.tl0PictureIndex &+ numbers.tl0PictureIndexOffset,
            keyIndex: frame.keyIndex &+ numbers.keyIndexOffset)
        return length
    }
}
