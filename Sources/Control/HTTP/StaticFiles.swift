import Glibc
import Web

/// The pages: those in the binary, or a folder on disk while somebody works on them.
struct StaticFiles: Sendable {
    private let directory: String?
    private let embedded: [String: HTTPResponse]

    init(directory: String?) {
        self.directory = directory
        var files: [String: HTTPResponse] = [:]
        for index in 0..<web_file_count() {
            guard let file = unsafe web_file_at(index)?.pointee else { continue }
            let path = unsafe String(cString: file.path)
            let bytes = unsafe Array(UnsafeBufferPointer(start: file.bytes, count: Int(file.size)))
            let contentType = unsafe String(cString: file.content_type)
            files[path] = Self.page(contentType: contentType, body: bytes)
        }
        embedded = files
    }

    /// The file at a path of a URL, decoded; nil if there is none.
    func file(at path: String) async -> HTTPResponse? {
        guard let directory else { return embedded[path] ?? embedded[path + "index.html"] }
        guard let name = Self.safeName(path) else { return nil }
        return await withCheckedContinuation { continuation in
            FileReader.read(directory + "/" + name) { bytes in
                let body = bytes.map { Self.page(contentType: Self.contentType(of: name), body: $0) }
                continuation.resume(returning: body)
            }
        }
    }

    private static func page(contentType: String, body: [UInt8]) -> HTTPResponse {
        var response = HTTPResponse(contentType: contentType, body: body)
        response.headers = [(name: "cache-control:", value: "no-cache")]
        return response
    }

    /// The path below the folder, or nil if any part of it could lead out, or is hidden.
    static func safeName(_ path: String) -> String? {
        guard path.hasPrefix("/"), !path.utf8.contains(0), !path.utf8.contains(UInt8(ascii: "\\")) else {
            return nil
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard parts.allSatisfy({ !$0.hasPrefix(".") }) else { return nil }
        let name = parts.joined(separator: "/")
        return name.isEmpty || path.hasSuffix("/") ? (name.isEmpty ? "" : name + "/") + "index.html" : name
    }

    static func contentType(of name: String) -> String {
        let ending = name.split(separator: ".").last ?? ""
        return switch ending {
        case "html": "text/html; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "json", "map": "application/json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "ico": "image/x-icon"
        case "txt", "md": "text/plain; charset=utf-8"
        default: "application/octet-stream"
        }
    }
}

/// Reads a file on a thread of its own, for the cooperative pool must not wait for a disk. For development only.
enum FileReader {
    private static let largest = 16 << 20

    /// `done` gets nil for what isn't a readable file of at most 16 MiB that lies where its path says.
    static func read(_ path: String, done: @escaping @Sendable ([UInt8]?) -> Void) {
        let job = unsafe Unmanaged.passRetained(Job(path: path, done: done))
        var thread = pthread_t()
        guard unsafe pthread_create(&thread, nil, readFile, job.toOpaque()) == 0 else {
            unsafe job.release()
            return done(nil)
        }
        pthread_detach(thread)
    }

    final class Job {
        let path: String
        let done: @Sendable ([UInt8]?) -> Void

        init(path: String, done: @escaping @Sendable ([UInt8]?) -> Void) {
            self.path = path
            self.done = done
        }
    }

    static func contents(of path: String) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
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

private func readFile(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    let job = unsafe Unmanaged<FileReader.Job>.fromOpaque(argument).takeRetainedValue()
    job.done(FileReader.contents(of: job.path))
    return nil
}
