public import FixedCollections
public import Wire

/// What the forwarder knows of a packet in the store; parsed once, used for each seat.
///
/// It is kept below 128 bytes, in an order that leaves no holes: what is larger is copied by a call each time that one of
/// its values is read.
public struct PacketInfo: BitwiseCopyable, Sendable {
    public var encoding = EncodingID.none
    public var marker = false
    /// It is the newest, and the one before it had come.
    public var followsOn = false
    /// It goes to the viewers: not so a voice that isn't heard.
    public var isHeard = true
    public var codec = Codec.opus
    /// The sequence number, extended to 64 bits; it never goes back when the sender starts over.
    public var extendedSequence: Int64 = 0
    public var arrival = Instant.zero
    public var timestamp = RTPTimestamp(0)
    /// Where the payload lies in the packet's block, without padding.
    public var payloadOffset: UInt16 = 0
    public var payloadLength: UInt16 = 0
    public var format = FormatID(0)
    public var frame = FrameInfo()
    /// Header extensions that are passed on, by their place in the block.
    public var extensions = PassedExtensions()

    public init() {}

    /// Whether a viewer can begin here: any packet of audio, the first one of a key frame.
    public var isEntryPoint: Bool { !codec.isVideo || (frame.isKeyFrame && frame.isFrameStart) }
}

/// Up to eight header extensions of a packet that go to the viewers as they came.
public struct PassedExtensions: BitwiseCopyable, Sendable {
    public struct Element: BitwiseCopyable, Sendable {
        public var offset: UInt16
        public var kind: HeaderExtensionKind
        public var length: UInt8
    }

    public static var limit: Int { 8 }
    private var elements: InlineArray<8, Element>
    public private(set) var count: Int8
    // All bits: there are more than four.
    private var form: UInt64 = 0

    /// Kinds and lengths of the elements; equal for packets whose headers have the same form. `nil` with more than four.
    public var shape: UInt64? { form == .max ? nil : form }

    public init() {
        elements = InlineArray(repeating: Element(offset: 0, kind: .mid, length: 0))
        count = 0
    }

    /// Elements beyond the eighth are left out.
    public mutating func append(_ kind: HeaderExtensionKind, offset: Int, length: Int) {
        guard Int(count) < Self.limit else { return }
        elements[Int(count)] = Element(
            offset: UInt16(truncatingIfNeeded: offset), kind: kind, length: UInt8(truncatingIfNeeded: length))
        count += 1
        form = count > 4 ? .max : form << 16 | UInt64(kind.rawValue + 1) << 8 | UInt64(length & 0xff)
    }

    public subscript(index: Int) -> Element {
        precondition(index < count, "no such extension")
        return elements[index]
    }
}

extension HeaderExtensionKind {
    /// Whether a viewer gets the extension as the publisher wrote it.
    var isPassedOn: Bool {
        switch self {
        case .audioLevel, .absoluteCaptureTime, .dependencyDescriptor, .videoOrientation, .playoutDelay,
            .contentType, .colorSpace, .videoTiming:
            true
        case .mid, .rid, .repairedRID, .transportCC, .absoluteSendTime, .videoLayersAllocation,
            .transmissionOffset:
            false
        }
    }
}
