import Dispatch
import Glibc

/// Files below a folder on disk, for development.
///
/// They are read on a queue of its own, one at a time: the cooperative pool must not wait for a disk. What waits is
/// bounded by the connections that there are.
final class Folder: Sendable {
    private static let largest = 16 << 20

    private let path: String
    private let queue = DispatchQueue(label: "pages")

    /// - Parameter path: may be a symbolic link, other than everything below it.
    init(path: String) {
        self.path = path
    }

    /// The bytes of a file; nil for what isn't a readable file of at most 16 MiB, and for what a symbolic link leads to.
    ///
    /// - Parameter name: its parts, none of them `.` or `..`, with slashes between them.
    func contents(of name: String) async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            queue.async { [path] in continuation.resume(returning: Self.read(name, below: path)) }
        }
    }

    private static func read(_ name: String, below path: String) -> [UInt8]? {
        var descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        let parts = name.split(separator: "/").map(String.init)
        // One part after the other: O_NOFOLLOW says nothing about folders on the way.
        for (index, part) in parts.enumerated() where descriptor >= 0 {
            let kind = index == parts.count - 1 ? O_NONBLOCK : O_DIRECTORY
            let next = unsafe openat(descriptor, part, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | kind)
            close(descriptor)
            descriptor = next
        }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return read(descriptor)
    }

    private static func read(_ descriptor: Int32) -> [UInt8]? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= largest
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var filled = 0
        while filled < bytes.count {
            let wanted = bytes.count - filled
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress?.advanced(by: filled), wanted)
            }
            guard count > 0 else { return nil }
            filled += count
        }
        return bytes
    }
}
