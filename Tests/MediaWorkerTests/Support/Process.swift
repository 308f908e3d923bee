import Glibc

/// A file of /proc as text.
private func read(_ path: String) throws -> String {
    guard let file = unsafe fopen(path, "r") else { throw ClientSocket.Failed() }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 8_192)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
}

/// Bytes of the process that are in memory.
func residentBytes() throws -> Int {
    let fields = try read("/proc/self/statm").split(separator: " ")
    return (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
}

/// Names of the process's threads.
func threadNames() throws -> [String] {
    guard let directory = unsafe opendir("/proc/self/task") else { throw ClientSocket.Failed() }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
        let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        guard name.first != ".", let text = try? read("/proc/self/task/\(name)/comm") else { continue }
        names.append(String(text.dropLast()))
    }
    return names
}

/// Whether `body` can be done without the process growing by more than `limit` bytes. Other tests run in the process
/// too and grow it: a leak shows each time, so one quiet time out of five is enough.
func staysWithin(_ limit: Int, _ body: () async throws -> Void) async throws -> Bool {
    for _ in 0..<5 {
        let before = try residentBytes()
        try await body()
        if try residentBytes() - before < limit { return true }
    }
    return false
}
