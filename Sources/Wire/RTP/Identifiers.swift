/// A synchronization source identifier (RFC 3550 section 3).
public struct SSRC: Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt32

    @inlinable
    public init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }
}

/// An RTP payload type, 0 to 127.
public struct PayloadType: Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt8

    @inlinable
    public init(_ rawValue: UInt8) {
        self.rawValue = rawValue
    }
}

/// A 16-bit RTP sequence number that wraps. Order is serial-number order (RFC 1982): `a` is newer than `b` when it is
/// ahead of it by less than half the number space.
public struct SequenceNumber: Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt16

    @inlinable
    public init(_ rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Steps from `other` to this number, −32,768 to 32,767.
    @inlinable
    public func distance(from other: SequenceNumber) -> Int {
        Int(Int16(truncatingIfNeeded: rawValue &- other.rawValue))
    }

    @inlinable
    public func isNewer(than other: SequenceNumber) -> Bool {
        distance(from: other) > 0
    }

    /// The number `steps` ahead (behind, if negative), wrapped.
    @inlinable
    public func advanced(by steps: Int) -> SequenceNumber {
        SequenceNumber(rawValue &+ UInt16(truncatingIfNeeded: steps))
    }
}

/// A 32-bit RTP media timestamp that wraps, in units of the codec's clock rate.
public struct RTPTimestamp: Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt32

    @inlinable
    public init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Ticks from `other` to this timestamp, −2^31 to 2^31 − 1.
    @inlinable
    public func distance(from other: RTPTimestamp) -> Int {
        Int(Int32(truncatingIfNeeded: rawValue &- other.rawValue))
    }

    @inlinable
    public func advanced(by ticks: Int) -> RTPTimestamp {
        RTPTimestamp(rawValue &+ UInt32(truncatingIfNeeded: ticks))
    }
}

/// A rate in bits per second.
public struct Bitrate: Hashable, Comparable, Sendable, BitwiseCopyable {
    public var bitsPerSecond: Int

    @inlinable
    public init(bitsPerSecond: Int) {
        self.bitsPerSecond = bitsPerSecond
    }

    @inlinable
    public static func < (left: Bitrate, right: Bitrate) -> Bool {
        left.bitsPerSecond < right.bitsPerSecond
    }
}
