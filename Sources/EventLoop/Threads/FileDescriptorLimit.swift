import CLinux

/// How many files and sockets the process may have open (RLIMIT_NOFILE).
public struct FileDescriptorLimit: Hashable, Sendable {
    /// What holds now.
    public let soft: UInt64
    /// What the process may raise it to.
    public let hard: UInt64

    /// Connections are taken with descriptors below this one, so that some dozens are left for files, and for what the
    /// runtime opens itself: it ends the process when it can't.
    public static var forConnections: Int32 {
        let limit = Int(clamping: cl_descriptor_limit())
        guard limit > 0 else { return .max }
        return Int32(clamping: limit - max(16, min(128, limit / 8)))
    }

    /// Raises the soft limit to the hard one, and tells both as they are then.
    public static func raise() throws(SocketError) -> FileDescriptorLimit {
        var soft: UInt64 = 0
        var hard: UInt64 = 0
        let result = unsafe cl_raise_descriptor_limit(&soft, &hard)
        guard result >= 0 else { throw SocketError("raising the descriptor limit", result: result) }
        return FileDescriptorLimit(soft: soft, hard: hard)
    }
}
