import FixedCollections
public import Wire

/// The numbers that a packet carries when it leaves through a seat.
public struct RewrittenNumbers: BitwiseCopyable, Sendable, Equatable {
    public var extendedSequence: Int64
    public var timestamp: RTPTimestamp
    /// Added to the source's numbers, each in its own width: those of VP8 and VP9, and the dependency descriptor's.
    public var pictureIDOffset: UInt16 = 0
    public var tl0PictureIndexOffset: UInt8 = 0
    public var keyIndexOffset: UInt8 = 0
    public var frameNumberOffset: UInt16 = 0
    /// What the dependency descriptor shall say of the active targets; 0: nothing else than it does.
    public var activeTargets: UInt32 = 0
    public var marker = false

    public var sequence: SequenceNumber { SequenceNumber(UInt16(truncatingIfNeeded: extendedSequence)) }
}

/// Maps the numbers of whoever sits in a seat into one unbroken stream.
///
/// A *stretch* is a run of source packets with one offset. A new one begins with each switch of the source and after
/// each packet that is left out on purpose; real loss stays visible as a gap. No outgoing number is given twice: it
/// must not be, since it is part of the encryption's nonce.
struct SeatRewriter: BitwiseCopyable, Sendable {
    struct Stretch: BitwiseCopyable, Sendable {
        var encoding = EncodingID.none
        var firstSource: Int64 = 0
        var firstOut: Int64 = 0
        var timestampOffset: UInt32 = 0
        var pictureIDOffset: UInt16 = 0
        var tl0PictureIndexOffset: UInt8 = 0
        var keyIndexOffset: UInt8 = 0
        var frameNumberOffset: UInt16 = 0
        /// The first packet tells which targets are active.
        var isAnnounced = false
        var layers = SentLayers()
    }

    /// With every second picture left out, they reach back as far as what is kept for retransmission.
    static var stretchLimit: Int { 32 }
    private var stretches = InlineArray<32, Stretch>(repeating: Stretch())
    private var newest = -1
    private var stretchCount = 0

    private let clockRate: Int
    private var highestOut: Int64
    private(set) var lastTimestamp = RTPTimestamp(0)
    private var lastArrival = Instant.zero
    private var lastPictureID: UInt16 = 0
    private var lastTL0PictureIndex: UInt8 = 0
    private var lastKeyIndex: UInt8 = 0
    private var lastFrameNumber: UInt16 = 0
    /// The last VP8 picture that was left out; −1: none since the last switch.
    private var pictureLeftOut: Int32 = -1
    /// How far timestamps are ahead of where their encoding's clock would have them, so that they never go back.
    private var timestampLead: UInt32 = 0
    private(set) var hasSent = false

    /// - Parameter firstSequence: where the outgoing numbers start; below 2^15, so that a receiver that misses the
    ///   first packets can't be wrong about the rollover counter (RFC 3711 section 3.3.1).
    init(clockRate: Int, firstSequence: UInt16) {
        precondition(firstSequence < 0x8000, "outgoing sequence numbers start below 2^15")
        self.clockRate = clockRate
        highestOut = Int64(firstSequence) - 1
    }

    /// The highest outgoing number so far.
    var highestSequence: Int64 { highestOut }

    /// What the newest stretch takes of, and which layers.
    var encoding: EncodingID { stretchCount > 0 ? stretches[newest].encoding : .none }

    /// Begins a stretch: the packet will be the next one out.
    ///
    /// If the encoding shows the same as the one before, and both their clocks are known, timestamps go on by those, so
    /// that sound and picture stay together. Else they go on by the time that passed between the arrivals; if the source
    /// is the same as before and its own timestamps fit, they keep their offset.
    ///
    /// - Parameter clockOffset: what leads from the packet's timestamps to those of the encoding before.
    mutating func begin(with packet: PacketInfo, clockOffset: UInt32? = nil) {
        var stretch = Stretch()
        stretch.encoding = packet.encoding
        stretch.firstSource = packet.extendedSequence
        stretch.firstOut = highestOut + 1
        pictureLeftOut = -1
        if hasSent {
            stretch.timestampOffset = timestampOffset(for: packet, clockOffset)
            stretch.pictureIDOffset = lastPictureID &+ 1 &- packet.frame.pictureID
            stretch.tl0PictureIndexOffset = lastTL0PictureIndex &+ 1 &- packet.frame.tl0PictureIndex
            stretch.keyIndexOffset = lastKeyIndex &+ 1 &- packet.frame.keyIndex
            stretch.frameNumberOffset = lastFrameNumber &+ 1 &- packet.frame.frameNumber
        }
        push(stretch)
    }

    /// From this packet on, which begins a frame, other layers go out. Those of a late packet don't change any more.
    mutating func change(to layers: SentLayers, at packet: borrowing PacketInfo) {
        guard stretchCount > 0 else { return }
        var stretch = stretches[newest]
        guard stretch.encoding == packet.encoding, packet.extendedSequence >= stretch.firstSource,
            stretch.layers != layers
        else { return }
        let out = stretch.firstOut + packet.extendedSequence - stretch.firstSource
        guard out > highestOut else { return }
        let isFirst = stretch.firstSource == packet.extendedSequence
        stretch.firstSource = packet.extendedSequence
        stretch.firstOut = out
        stretch.layers = layers
        stretch.isAnnounced = layers.activeTargets != 0
        if isFirst { stretches[newest] = stretch } else { push(stretch) }
    }

    /// Whether the packet would be the highest one out.
    func isAhead(_ packet: borrowing PacketInfo) -> Bool {
        guard stretchCount > 0, stretches[newest].encoding == packet.encoding else { return false }
        let ahead = packet.extendedSequence - stretches[newest].firstSource
        return ahead >= 0 && stretches[newest].firstOut + ahead > highestOut
    }

    private mutating func timestampOffset(for packet: PacketInfo, _ clockOffset: UInt32?) -> UInt32 {
        let elapsed = Int((packet.arrival - lastArrival).wholeNanoseconds / 1_000) * clockRate / 1_000_000
        if stretchCount > 0, let clockOffset {
            let offset = stretches[newest].timestampOffset &- timestampLead &+ clockOffset
            let step = RTPTimestamp(packet.timestamp.rawValue &+ offset).distance(from: lastTimestamp)
            if abs(step - elapsed) < clockRate {
                // The new one may have the picture still to come that the old one had already.
                timestampLead = UInt32(max(step, 1) - step)
                return offset &+ timestampLead
            }
        }
        if stretchCount > 0, stretches[newest].encoding == packet.encoding {
            let offset = stretches[newest].timestampOffset
            let timestamp = RTPTimestamp(packet.timestamp.rawValue &+ offset)
            let step = timestamp.distance(from: lastTimestamp)
            if step > 0, abs(step - elapsed) < clockRate * 2 { return offset }
        }
        timestampLead = 0
        return lastTimestamp.advanced(by: max(1, elapsed)).rawValue &- packet.timestamp.rawValue
    }

    private mutating func push(_ stretch: Stretch) {
        newest = (newest + 1) % Self.stretchLimit
        stretches[newest] = stretch
        stretchCount = min(stretchCount + 1, Self.stretchLimit)
    }

    /// Where the stretch is that is `age` places older than the newest.
    private func index(age: Int) -> Int {
        (newest - age + Self.stretchLimit) % Self.stretchLimit
    }

    /// The packet's numbers, if it belongs to what goes out now: to the newest stretch, or, being late, to an older one
    /// of the same source with nothing else between. One of a layer that doesn't go out is left out.
    mutating func rewrite(_ packet: PacketInfo) -> RewrittenNumbers? {
        // A stretch may end before the one behind it began: what was left out ahead of a switch.
        var bound = Int64.max
        for age in 0..<stretchCount {
            let stretch = stretches[index(age: age)]
            guard stretch.encoding == packet.encoding else { return nil }
            guard packet.extendedSequence >= stretch.firstSource else {
                bound = min(bound, stretch.firstOut)
                continue
            }
            let out = stretch.firstOut + packet.extendedSequence - stretch.firstSource
            guard out < bound else { return nil }
            guard packet.frame.targets & stretch.layers.target != 0 else {
                if age == 0 { leaveOut(packet) }
                return nil
            }
            let numbers = numbers(of: packet, in: stretch, out: out)
            note(numbers, of: packet)
            return numbers
        }
        return nil
    }

    @inline(__always)
    private func numbers(of packet: PacketInfo, in stretch: Stretch, out: Int64) -> RewrittenNumbers {
        var numbers = RewrittenNumbers(
            extendedSequence: out,
            timestamp: RTPTimestamp(packet.timestamp.rawValue &+ stretch.timestampOffset),
            pictureIDOffset: stretch.pictureIDOffset,
            tl0PictureIndexOffset: stretch.tl0PictureIndexOffset,
            keyIndexOffset: stretch.keyIndexOffset, frameNumberOffset: stretch.frameNumberOffset,
            marker: packet.marker)
        if stretch.layers.target != .max || stretch.layers.activeTargets != 0 {
            fit(&numbers, packet, to: stretch)
        }
        return numbers
    }

    /// What is different in a packet because others are left out.
    private func fit(_ numbers: inout RewrittenNumbers, _ packet: PacketInfo, to stretch: Stretch) {
        if packet.frame.isFrameEnd, packet.frame.spatial == stretch.layers.topSpatial {
            numbers.marker = true
        }
        numbers.activeTargets = activeTargets(of: packet, in: stretch, out: numbers.extendedSequence)
    }

    private func activeTargets(of packet: PacketInfo, in stretch: Stretch, out: Int64) -> UInt32 {
        guard stretch.layers.activeTargets != 0, packet.frame.hasDescribedTargets else { return 0 }
        if packet.frame.activeTargets != 0 {
            return packet.frame.activeTargets & stretch.layers.activeTargets
        }
        return stretch.isAnnounced && out == stretch.firstOut ? stretch.layers.activeTargets : 0
    }

    private mutating func note(_ numbers: RewrittenNumbers, of packet: PacketInfo) {
        guard numbers.extendedSequence > highestOut else { return }
        highestOut = numbers.extendedSequence
        lastTimestamp = numbers.timestamp
        lastArrival = packet.arrival
        lastPictureID = packet.frame.pictureID &+ numbers.pictureIDOffset
        lastTL0PictureIndex = packet.frame.tl0PictureIndex &+ numbers.tl0PictureIndexOffset
        lastKeyIndex = packet.frame.keyIndex &+ numbers.keyIndexOffset
        lastFrameNumber = packet.frame.frameNumber &+ numbers.frameNumberOffset
        hasSent = true
    }

    /// Leaves a packet out without a gap: those behind it move up by one. A late one can't be hidden any more.
    ///
    /// VP8's decoders wait for pictures whose ids are missing: theirs move up too. VP9 and the dependency descriptor count
    /// their references in such numbers, so there they stay.
    mutating func leaveOut(_ packet: PacketInfo) {
        guard stretchCount > 0 else { return }
        var stretch = stretches[newest]
        guard stretch.encoding == packet.encoding, packet.extendedSequence >= stretch.firstSource else {
            return
        }
        let out = stretch.firstOut + packet.extendedSequence - stretch.firstSource
        guard out > highestOut else { return }
        let isFirst = stretch.firstSource == packet.extendedSequence
        stretch.firstSource = packet.extendedSequence + 1
        stretch.firstOut = out
        if packet.codec == .vp8, packet.frame.places.pictureID > 0,
            pictureLeftOut != Int32(packet.frame.pictureID)
        {
            pictureLeftOut = Int32(packet.frame.pictureID)
            stretch.pictureIDOffset &-= 1
        }
        if !isFirst { stretch.isAnnounced = false }
        if isFirst { stretches[newest] = stretch } else { push(stretch) }
    }

    /// What was sent under an outgoing number: the source's encoding and extended number.
    func source(
        ofOutgoing sequence: SequenceNumber
    ) -> (encoding: EncodingID, extended: Int64, out: Int64)? {
        let distance = sequence.distance(from: SequenceNumber(UInt16(truncatingIfNeeded: highestOut)))
        guard hasSent, distance <= 0 else { return nil }
        let out = highestOut + Int64(distance)
        for age in 0..<stretchCount {
            let stretch = stretches[index(age: age)]
            guard out >= stretch.firstOut else { continue }
            return (stretch.encoding, stretch.firstSource + out - stretch.firstOut, out)
        }
        return nil
    }

    /// The numbers under which a packet was sent before, for a retransmission.
    func numbers(ofSent packet: PacketInfo, out: Int64) -> RewrittenNumbers? {
        for age in 0..<stretchCount {
            let stretch = stretches[index(age: age)]
            guard out >= stretch.firstOut else { continue }
            guard stretch.encoding == packet.encoding else { return nil }
            return numbers(of: packet, in: stretch, out: out)
        }
        return nil
    }

    /// The outgoing timestamp that stands for the source's timestamp, if the encoding is what goes out now.
    func timestamp(for timestamp: RTPTimestamp, of encoding: EncodingID) -> RTPTimestamp? {
        guard stretchCount > 0, stretches[newest].encoding == encoding, hasSent else { return nil }
        return RTPTimestamp(timestamp.rawValue &+ stretches[newest].timestampOffset)
    }

    /// Forgets stretches of an encoding whose number may be given to another one.
    mutating func forget(_ encoding: EncodingID) {
        for age in 0..<stretchCount where stretches[index(age: age)].encoding == encoding {
            stretches[index(age: age)].encoding = .none
        }
    }
}
