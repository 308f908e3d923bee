import Configuration
import Glibc

/// The program: `serve`, `token`, `--help`, `--version`.
@main
struct Rostrum {
    static let version = "0.1.0"

    /// The main thread does nothing but keep signals off itself: an asynchronous `main` would leave it to a run loop
    /// that takes every signal.
    static func main() {
        let signals = Signals()
        Task.detached {
            do throws(CommandError) {
                try await run(Array(CommandLine.arguments.dropFirst()), signals)
                exit(0)
            } catch {
                Output.error("rostrum: \(error.message)")
                exit(2)
            }
        }
        while true { pause() }
    }

    private static func run(_ arguments: [String], _ signals: Signals) async throws(CommandError) {
        let rest = Array(arguments.dropFirst())
        if rest.contains("--help") || rest.contains("-h") { return Output.line(help) }
        switch arguments.first {
        case "serve": try await Serve.run(rest, until: signals)
        case "token": try TokenCommand.run(rest)
        case "--version": Output.line("rostrum \(version)")
        case nil, "--help", "-h", "help": Output.line(help)
        case let unknown?:
            throw CommandError("unknown command \(unknown): there are serve and token, see rostrum --help")
        }
    }

    private static var help: String {
        """
        Rostrum, a group-meeting server.

        rostrum serve [--config FILE] [settings]
            Serves meetings until it is told to stop (SIGTERM, SIGINT).
        rostrum token call --session ID --uid ID [--name NAME] [--scope SCOPE] [--ttl SECONDS] [--key ID] [--open]
            Prints a call token, or with --open the link that joins the session with it.
        rostrum token auth --uid ID [--name NAME] [--ttl SECONDS] [--key ID]
            Prints an auth token. Both take --config FILE and settings too, for the keys.
        rostrum --help | --version

        Settings:
        \(Configuration.help)
        """
    }
}

/// Why a command can't do what it should: one line for the operator. The program ends with code 2.
struct CommandError: Error {
    let message: String

    init(_ message: some CustomStringConvertible) {
        self.message = message.description
    }
}

/// Standard output and standard error, a line at a time.
enum Output {
    static func line(_ text: String) {
        write(text, to: 1)
    }

    static func error(_ text: String) {
        write(text, to: 2)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array((text + "\n").utf8)
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

/// The settings from flags, environment and file.
enum SettingsLoader {
    static func load(_ arguments: [String]) throws(CommandError) -> Settings {
        var environment: [String: String] = [:]
        var place = unsafe environ
        while let entry = unsafe place.pointee {
            let text = unsafe String(cString: entry)
            unsafe place += 1
            guard let equals = text.firstIndex(of: "=") else { continue }
            environment[String(text[..<equals])] = String(text[text.index(after: equals)...])
        }
        do throws(ConfigurationError) {
            return try Configuration.load(arguments: arguments, environment: environment)
        } catch {
            throw CommandError(error)
        }
    }
}
