import Glibc
import LoadTest

/// Standard output and error, files, the environment.
enum Terminal {
    static func line(_ text: String) {
        put(Array((text + "\n").utf8), to: 1)
    }

    static func error(_ text: String) {
        put(Array((text + "\n").utf8), to: 2)
    }

    /// Replaces the last progress line; on what is no terminal each is a line of its own. Empty: takes it away.
    static func progress(_ text: String) {
        if isatty(2) == 1 {
            put(Array("\r\u{1b}[K\(text)".utf8), to: 2)
        } else if !text.isEmpty {
            error(text)
        }
    }

    /// `-` is standard output.
    static func write(_ bytes: [UInt8], to path: String) throws(LoadError) {
        guard path != "-" else { return put(bytes, to: 1) }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        guard descriptor >= 0 else { throw .cannotStart("\(path) can't be written") }
        put(bytes, to: descriptor)
        close(descriptor)
    }

    /// The bytes of a scenario: a file, or a name in Config/load beneath the current folder.
    static func scenario(_ name: String) -> [UInt8]? {
        file(name) ?? file("Config/load/\(name).json")
    }

    private static func file(_ path: String) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < 1 << 20 {
            let count = unsafe read(descriptor, &chunk, chunk.count)
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return bytes
    }

    static var environment: [String: String] {
        var result: [String: String] = [:]
        var place = unsafe environ
        while let entry = unsafe place.pointee {
            let text = unsafe String(cString: entry)
            unsafe place += 1
            guard let equals = text.firstIndex(of: "=") else { continue }
            result[String(text[..<equals])] = String(text[text.index(after: equals)...])
        }
        return result
    }

    /// Now, by the clock of the wall.
    static var date: String {
        var now = time(nil)
        var parts = unsafe tm()
        guard unsafe localtime_r(&now, &parts) != nil else { return "" }
        var text = [CChar](repeating: 0, count: 32)
        let count = unsafe strftime(&text, text.count, "%Y-%m-%d %H:%M", &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func put(_ bytes: [UInt8], to descriptor: Int32) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes[written...].withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
            }
            guard count > 0 else { return }
            written += count
        }
    }
}
