/// What an H.264 packet holds (RFC 6184 section 5.2): a single NAL unit, a STAP-A or a piece in an FU-A, as
/// packetization modes 0 and 1 have them.
public struct H264Payload: Hashable, Sendable, BitwiseCopyable {
    public enum Packaging: UInt8, Sendable, BitwiseCopyable {
        case single
        /// STAP-A: several whole NAL units.
        case aggregate
        /// FU-A: a piece of one.
        case fragment
    }

    public var packaging: Packaging
    /// The packet starts a key frame: a sequence parameter set or the first piece of an IDR slice is in it.
    public var isKeyFrame = false
    /// The packet starts a picture, as far as it can be told: an access unit delimiter, parameter sets, SEI, or the
    /// first slice. True for several packets of a picture when its parameter sets come in packets of their own.
    public var isFrameStart = false
    /// A sequence parameter set is in the packet.
    public var hasSequenceParameters = false
    /// NAL reference idc of 0 in all units: no other picture depends on this one.
    public var isNonReference = true

    private init(_ packaging: Packaging) {
        self.packaging = packaging
    }

    /// Parses an RTP payload.
    ///
    /// Throws `truncated` for lengths past the end, `malformed` for a forbidden bit or empty unit, `unsupported` for
    /// the packagings of interleaved mode.
    public static func parse(_ payload: Span<UInt8>) throws(CodecError) -> H264Payload {
        guard payload.count >= 1 else { throw .truncated }
        guard payload[0] & 0x80 == 0 else { throw .malformed }
        switch payload[0] & 0x1F {
        case 1...23: return single(payload)
        case 24: return try aggregate(payload)
        case 28: return try fragment(payload)
        case 0: throw .malformed
        default: throw .unsupported
        }
    }

    private static func single(_ payload: Span<UInt8>) -> H264Payload {
        var result = H264Payload(.single)
        result.note(payload[0], secondByte: payload.count > 1 ? payload[1] : 0)
        return result
    }

    private static func aggregate(_ payload: Span<UInt8>) throws(CodecError) -> H264Payload {
        var result = H264Payload(.aggregate)
        var position = 1
        guard payload.count > 1 else { throw .truncated }
        while position < payload.count {
            guard payload.holds(2, at: position) else { throw .truncated }
            let length = Int(payload.loadUInt16(at: position))
            position += 2
            guard length > 0 else { throw .malformed }
            guard payload.holds(length, at: position) else { throw .truncated }
            result.note(payload[position], secondByte: length > 1 ? payload[position + 1] : 0)
            position += length
        }
        return result
    }

    private static func fragment(_ payload: Span<UInt8>) throws(CodecError) -> H264Payload {
        guard payload.count >= 2 else { throw .truncated }
        var result = H264Payload(.fragment)
        if payload[1] & 0x80 != 0 {
            let header = payload[0] & 0x60 | payload[1] & 0x1F
            result.note(header, secondByte: payload.count > 2 ? payload[2] : 0)
        } else {
            result.isNonReference = payload[0] & 0x60 == 0
        }
        return result
    }

    /// The size of the pictures that begin with this payload, if a whole sequence parameter set in it tells that.
    public func frameSize(in payload: Span<UInt8>) -> FrameSize? {
        guard hasSequenceParameters else { return nil }
        switch packaging {
        case .single: return H264SequenceParameters.frameSize(of: payload)
        case .fragment: return nil
        case .aggregate: break
        }
        var position = 1
        while payload.holds(2, at: position) {
            let length = Int(payload.loadUInt16(at: position))
            position += 2
            guard length > 0, payload.holds(length, at: position) else { return nil }
            if payload[position] & 0x1F == 7 {
                return H264SequenceParameters.frameSize(
                    of: payload.extracting(position..<(position + length)))
            }
            position += length
        }
        return nil
    }

    /// Takes one NAL unit into account, whole or its first piece.
    private mutating func note(_ header: UInt8, secondByte: UInt8) {
        if header & 0x60 != 0 { isNonReference = false }
        switch header & 0x1F {
        case 5:
            isKeyFrame = true
            // first_mb_in_slice is 0 when its Exp-Golomb code is a single 1 bit.
            if secondByte & 0x80 != 0 { isFrameStart = true }
        case 1, 2:
            if secondByte & 0x80 != 0 { isFrameStart = true }
        case 6, 8, 9:
            isFrameStart = true
        case 7:
            isKeyFrame = true
            isFrameStart = true
            hasSequenceParameters = true
        default:
            break
        }
    }
}
