import Glibc

/// Keeps other processes, and other stores of this one, from a database while this one has it.
///
/// It is an exclusive lock (flock(2)) on an empty file beside the database, `…-lock`, which goes with it. The kernel gives
/// the lock back when the process ends, however that comes about; what is left of the file then does no harm. It isn't on
/// the database itself, since SQLite has locks of its own there, which closing another descriptor of the file would drop.
final class FileLock: Sendable {
    private let name: String
    private let descriptor: Int32

    /// Takes the lock, and doesn't wait for it. Whatever links lead to the database, the lock is beside the file itself.
    ///
    /// - Parameter path: of a database that exists.
    /// - Throws: `inUse`, `cannotOpen`.
    init(database path: String) throws(StoreError) {
        guard let resolved = unsafe realpath(path, nil) else { throw Self.failure(path) }
        name = unsafe String(cString: resolved) + "-lock"
        unsafe free(resolved)
        var locked: Int32?
        // The one who had the file may have removed it between the two calls: then it locks nothing.
        while locked == nil { locked = try Self.lock(name, of: path) }
        descriptor = locked ?? -1
    }

    deinit {
        // Before it is unlocked: who comes afterwards makes a new one.
        unsafe unlink(name)
        close(descriptor)
    }

    /// - Returns: the descriptor; nil if the file has gone meanwhile.
    private static func lock(_ name: String, of path: String) throws(StoreError) -> Int32? {
        let descriptor = unsafe open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = errno == EWOULDBLOCK ? StoreError.inUse(path: path) : failure(path)
            close(descriptor)
            throw error
        }
        var mine = stat()
        var there = stat()
        if unsafe fstat(descriptor, &mine) == 0, unsafe stat(name, &there) == 0,
            mine.st_ino == there.st_ino, mine.st_dev == there.st_dev
        {
            return descriptor
        }
        close(descriptor)
        return nil
    }

    private static func failure(_ path: String) -> StoreError {
        let reason = unsafe String(cString: strerror(errno))
        return .cannotOpen(path: path, reason: "its lock: \(reason)")
    }
}
