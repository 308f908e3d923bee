/// A session's media on one worker.
public struct RouterID: Hashable, Sendable, BitwiseCopyable {
    public var index: Int32

    @inlinable
    public init(_ index: Int) {
        self.index = Int32(truncatingIfNeeded: index)
    }
}

/// One peer: what it publishes and the seats that it watches. The index is that of its transport.
public struct PeerID: Hashable, Sendable, BitwiseCopyable {
    public var index: Int32

    @inlinable
    public init(_ index: Int) {
        self.index = Int32(truncatingIfNeeded: index)
    }
}

/// What a participant sends from one source.
public struct PublicationID: Hashable, Sendable, BitwiseCopyable {
    public var index: Int32

    @inlinable
    public init(_ index: Int) {
        self.index = Int32(truncatingIfNeeded: index)
    }

    @inlinable public static var none: PublicationID { PublicationID(-1) }
}

/// One stream of a publication: a simulcast encoding, or the only one.
public struct EncodingID: Hashable, Sendable, BitwiseCopyable {
    public var index: Int32

    @inlinable
    public init(_ index: Int) {
        self.index = Int32(truncatingIfNeeded: index)
    }

    @inlinable public static var none: EncodingID { EncodingID(-1) }
}

/// Where a viewer receives somebody.
public struct SeatID: Hashable, Sendable, BitwiseCopyable {
    public var index: Int32

    @inlinable
    public init(_ index: Int) {
        self.index = Int32(truncatingIfNeeded: index)
    }

    @inlinable public static var none: SeatID { SeatID(-1) }
}

/// What a viewer's link carries.
struct LinkID: Hashable, Sendable, BitwiseCopyable {
    var index: Int32

    init(_ index: Int) {
        self.index = Int32(truncatingIfNeeded: index)
    }

    static var none: LinkID { LinkID(-1) }
}

/// A codec format known to the forwarder, numbered in the order in which it was first seen.
public struct FormatID: Hashable, Sendable, BitwiseCopyable {
    public var index: UInt8

    @inlinable
    public init(_ index: UInt8) {
        self.index = index
    }

    /// Formats that a forwarder can tell apart.
    @inlinable public static var limit: Int { 32 }
}

/// What a publication shows.
public enum Source: UInt8, Sendable, BitwiseCopyable, CaseIterable {
    case microphone, camera, screen, screenAudio

    @inlinable public var isVideo: Bool { self == .camera || self == .screen }
}
