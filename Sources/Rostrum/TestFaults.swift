import Glibc
import MediaWorker

/// Faults that a test wants the server to have. No key of the configuration: a file or a flag can't bring them about, nor
/// can a variable that looks like one of the configuration's.
enum TestFaults {
    private static let variable = "FAULTS_FOR_TESTS_ONLY"

    static func read() throws(CommandError) -> MediaFaults? {
        guard let value = unsafe getenv(variable) else { return nil }
        let text = unsafe String(cString: value)
        guard let faults = MediaFaults(text) else { throw CommandError("\(variable): can't read \(text)") }
        return faults
    }
}
