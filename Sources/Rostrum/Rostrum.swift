import Configuration
import Glibc

/// The program: `serve`, `check`, `token`, the commands that ask a server for something, `--help`, `--version`.
@main
struct Rostrum {
    static let version = "0.1.0"

    /// The main thread does nothing but keep signals off itself: an asynchronous `main` would leave it to a run loop
    /// that takes every signal.
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        // Ctrl-C ends the other commands as it does any program.
        let signals = arguments.first == "serve" ? Signals() : nil
        Task.detached {
            do throws(CommandError) {
                try await run(arguments, signals)
                exit(0)
            } catch {
                Output.error("rostrum: \(error.message)")
                exit(error.code)
            }
        }
        while true { pause() }
    }

    private static func run(_ arguments: [String], _ signals: Signals?) async throws(CommandError) {
        let rest = Array(arguments.dropFirst())
        if rest.contains("--help") || rest.contains("-h") {
            return Output.line(Help.text(for: arguments.first))
        }
        switch arguments.first {
        case "serve": try await Serve.run(rest, until: signals ?? Signals())
        case "check": try await CheckCommand.run(rest)
        case "token": try TokenCommand.run(rest)
        case "session": try SessionCommand.run(rest)
        case "user": try UserCommand.run(rest)
        case "group": try GroupCommand.run(rest)
        case "server": try ServerCommand.run(rest)
        case "--version": Output.line("rostrum \(version)")
        case nil, "--help", "-h", "help": Output.line(Help.text(for: nil))
        case let unknown?:
            throw CommandError(
                "unknown command \(unknown): there are serve, check, token, session, user, group and server, "
                    + "see rostrum --help"
            )
        }
    }
}

/// Why a command can't do what it should: one line for the operator.
struct CommandError: Error {
    let message: String
    /// What the program ends with: 2 if it was asked wrongly, 1 if what it asked for was refused.
    let code: Int32

    init(_ message: some CustomStringConvertible, code: Int32 = 2) {
        self.message = message.description
        self.code = code
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
