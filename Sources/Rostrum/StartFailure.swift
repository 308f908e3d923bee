import Configuration
import Control
import Glibc
import MediaWorker

/// Why a server can't start: one line, which names the key to change.
enum StartFailure {
    /// What is fine for the configuration by itself, and no server can be started with.
    static func check(_ settings: Settings) throws(CommandError) {
        guard !settings.auth.keys.isEmpty else {
            throw CommandError(
                "auth.keys is empty, and without a key nobody can get in: say one, such as "
                    + "ROSTRUM_AUTH_KEYS=main:SECRET with a secret of 16 characters or more")
        }
        guard !settings.storage.path.isEmpty else {
            throw CommandError(
                "storage.path is empty: name a file for the database, or :memory: to keep nothing")
        }
        let directory = settings.web.directory
        // Its page is what shows that it is the right one.
        if !directory.isEmpty, unsafe access(directory + "/index.html", R_OK) != 0 {
            let reason = unsafe String(cString: strerror(errno))
            throw CommandError("web.directory: can't read \(directory)/index.html: \(reason)")
        }
    }

    static func of(_ error: ServerError) -> CommandError {
        switch error {
        case .portTaken(_, let port):
            CommandError("http.port: \(error); \(advice("http.port", "ROSTRUM_HTTP_PORT", port))")
        case .cannotBind: CommandError("http.host, http.port: \(error)")
        case .badAddress: CommandError("http.host: \(error)")
        case .badCertificate: CommandError("http.tlsCertificate, http.tlsPrivateKey: \(error)")
        case .cannotStart: CommandError(error)
        }
    }

    /// - Parameter port: the one that was asked for.
    static func of(_ error: MediaStartError, port: UInt16) -> CommandError {
        guard error.description.hasSuffix("is taken") else { return CommandError("media: \(error)") }
        return CommandError("media.port: \(error); \(advice("media.port", "ROSTRUM_MEDIA_PORT", port))")
    }

    private static func advice(_ key: String, _ variable: String, _ port: UInt16) -> String {
        let other = port < .max ? port + 1 : port - 1
        return "choose another, such as --\(key) \(other) or \(variable)=\(other)"
    }
}
