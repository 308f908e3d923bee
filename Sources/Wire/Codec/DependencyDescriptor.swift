/// The dependency descriptor header extension of one packet (AV1 RTP specification, appendix A). It goes with AV1, and
/// with VP8, VP9 and H.264 where a browser offers it.
public struct DependencyDescriptor: Sendable, BitwiseCopyable {
    /// The first packet of a frame (of one spatial layer).
    public var startsFrame: Bool
    public var endsFrame: Bool
    /// Which template of the structure the frame follows, 0 to 63, as sent.
    public var templateID: UInt8
    /// Counts the frames, and wraps; a frame is one spatial layer of a picture.
    public var frameNumber: UInt16
    public var spatialID: UInt8 = 0
    public var temporalID: UInt8 = 0
    /// A new structure came with this packet.
    public var hasStructure = false
    /// Bit k: decode target k is being sent. Nil if the packet says nothing, and the last word holds.
    public var activeTargets: UInt32?
    /// The bit at which the word on the active targets stands, or would stand; 0 in a value of three bytes, which has
    /// no place for it.
    public var activeTargetsPosition = 0
    /// The packet says which targets are active, with a structure or without.
    public var hasActiveTargets = false
    /// Number of frames this one refers to, 0 to 8.
    public var referenceCount = 0
    // The decode target of exactly the frame's layers; 255 if there is none.
    private var ownTarget: UInt8 = 255
    private var references = InlineArray<8, UInt16>(repeating: 0)
    private var indications: UInt64 = 0
    private var chainDistances = InlineArray<32, UInt8>(repeating: 0)

    /// The packet starts a frame that brings a structure with it: a key frame, where decoding can begin.
    public var isKeyFrame: Bool { hasStructure && startsFrame }

    /// Whoever decodes the next lower layers may begin with this frame's own here: it is marked as a switch for the
    /// decode target of its layers.
    public var isSwitchingUpPoint: Bool {
        isKeyFrame || (ownTarget < 32 && indication(forTarget: Int(ownTarget)) == .switch)
    }

    /// Parses the extension's value against `structure`, and puts the new one there if the packet brings one and is
    /// right as a whole.
    ///
    /// Throws `truncated`; `malformed` if there is no structure or no such template; `unsupported` for more than 4
    /// spatial or 8 temporal layers or 8 references.
    public static func parse(
        _ value: Span<UInt8>, structure: inout DependencyStructure
    ) throws(CodecError) -> DependencyDescriptor {
        guard value.count >= 3 else { throw .truncated }
        var descriptor = DependencyDescriptor(value)
        guard value.count > 3 else {
            try descriptor.apply(&structure)
            return descriptor
        }
        var reader = BitReader(bitCount: 8 * value.count)
        _ = reader.read(24, in: value)
        let flags = reader.read(5, in: value)
        if flags & 0x10 != 0 {
            var fresh = try DependencyStructure(&reader, in: value)
            descriptor.hasStructure = true
            descriptor.activeTargets = fresh.allTargets
            try descriptor.readExtended(flags, &reader, value, &fresh)
            structure = fresh
        } else {
            try descriptor.readExtended(flags, &reader, value, &structure)
        }
        return descriptor
    }

    private init(_ value: Span<UInt8>) {
        startsFrame = value[0] & 0x80 != 0
        endsFrame = value[0] & 0x40 != 0
        templateID = value[0] & 0x3F
        frameNumber = value.loadUInt16(at: 1)
    }

    /// What the template says.
    private mutating func apply(_ structure: inout DependencyStructure) throws(CodecError) {
        guard structure.isKnown else { throw .malformed }
        let index = Int((templateID &- structure.templateIDOffset) & 63)
        guard index < structure.templateCount else { throw .malformed }
        let template = structure.template(at: index)
        spatialID = template.spatialID
        temporalID = template.temporalID
        indications = template.indications
        ownTarget = template.ownTarget
        referenceCount = Int(template.referenceCount)
        for index in 0..<referenceCount {
            references[index] = UInt16(template.references >> UInt32(4 * index) & 0x0F) + 1
        }
        for chain in 0..<structure.chainCount {
            let distances = chain < 16 ? template.chains0 : template.chains1
            chainDistances[chain] = UInt8(distances >> UInt64(4 * (chain & 15)) & 0x0F)
        }
    }

    /// What follows the flags and the structure; it overrides the template.
    private mutating func readExtended(
        _ flags: UInt32, _ reader: inout BitReader, _ value: Span<UInt8>,
        _ structure: inout DependencyStructure
    ) throws(CodecError) {
        try apply(&structure)
        activeTargetsPosition = reader.position
        if flags & 0x08 != 0 {
            hasActiveTargets = true
            activeTargets = reader.read(structure.targetCount, in: value)
        }
        if flags & 0x04 != 0 {
            indications = DependencyStructure.readIndications(&reader, value, count: structure.targetCount)
        }
        if flags & 0x02 != 0 {
            referenceCount = 0
            while true {
                let size = Int(reader.read(2, in: value))
                if size == 0 { break }
                guard referenceCount < DependencyStructure.largestReferenceCount else { throw .unsupported }
                references[referenceCount] = UInt16(reader.read(4 * size, in: value)) + 1
                referenceCount += 1
            }
        }
        if flags & 0x01 != 0 {
            for chain in 0..<structure.chainCount {
                chainDistances[chain] = UInt8(truncatingIfNeeded: reader.read(8, in: value))
            }
        }
        guard !reader.isExhausted else { throw .truncated }
    }

    /// How many frames back the reference at `index`, below `referenceCount`, is: 1 to 4,096.
    public func referenceDistance(_ index: Int) -> Int {
        Int(references[index])
    }

    /// What the frame means for `target`, 0 to 31; `notPresent` beyond the structure's targets.
    public func indication(forTarget target: Int) -> DecodeTargetIndication {
        DecodeTargetIndication(rawValue: UInt8(indications >> UInt64(2 * target) & 3)) ?? .notPresent
    }

    /// Bit k: the frame belongs to target k.
    public var presentTargets: UInt32 {
        Self.evenBits(of: indications | indications >> 1)
    }

    /// Bit k: whoever starts with this frame can decode target k from here on, if it can decode the frame.
    public var switchTargets: UInt32 {
        Self.evenBits(of: indications >> 1 & ~indications)
    }

    /// Bits 0, 2, 4 and so on, side by side.
    private static func evenBits(of word: UInt64) -> UInt32 {
        var bits = word & 0x5555_5555_5555_5555
        bits = (bits | bits >> 1) & 0x3333_3333_3333_3333
        bits = (bits | bits >> 2) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | bits >> 4) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits >> 8) & 0x0000_FFFF_0000_FFFF
        return UInt32(truncatingIfNeeded: bits | bits >> 16)
    }

    /// How many frames back the last frame of `chain`, 0 to 31, is; 0 if this is the chain's first.
    public func chainDistance(_ chain: Int) -> Int {
        Int(chainDistances[chain])
    }
}
