import Foundation

/// Runs the program that writes until it is killed.
struct CrashWriter: Sendable {
    var file: String
    /// The beginning of all ids.
    var name: String

    struct Ended: Error {
        var status: Int32
    }

    /// Starts the writer, kills it once it has printed so many lines, and returns all that it printed. Blocks.
    func run(untilLines wanted: Int) throws -> [String] {
        let process = Process()
        let output = Pipe()
        process.executableURL = try Self.executable()
        process.arguments = [file, name]
        process.standardOutput = output
        try process.run()
        defer { process.waitUntilExit() }
        var printed = Data()
        var isKilled = false
        while true {
            if !isKilled && printed.count(where: { $0 == UInt8(ascii: "\n") }) >= wanted {
                kill(process.processIdentifier, SIGKILL)
                isKilled = true
            }
            let chunk = output.fileHandleForReading.availableData
            if chunk.isEmpty { break }
            printed += chunk
        }
        process.waitUntilExit()
        guard process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGKILL else {
            throw Ended(status: process.terminationStatus)
        }
        return String(decoding: printed, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Beside the program that runs the tests.
    private static func executable() throws -> URL {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: tests).deletingLastPathComponent().appending(path: "StorageCrashWriter")
    }
}

/// Runs what blocks on a thread of its own.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Result { try body() }) }.start()
    }
}
