import Configuration
import Control
import Glibc

/// `rostrum token call|auth`: signs a token with a key of the configuration.
enum TokenCommand {
    static func run(_ arguments: [String]) throws(CommandError) {
        guard let kind = arguments.first, kind == "call" || kind == "auth" else {
            throw CommandError("token needs call or auth, see rostrum --help")
        }
        let options = try Options(Array(arguments.dropFirst()))
        let settings = try SettingsLoader.load(options.rest)
        let uid = try options.required("--uid")
        let seconds = try options.seconds("--ttl", default: kind == "call" ? 300 : 1_800)
        var token = Token(
            uid: uid, name: options["--name"], expiresAt: Int64(time(nil)) + seconds)
        if kind == "call" {
            var call = Token.Call(sessionID: try options.required("--session"))
            if let text = options["--scope"] {
                guard let scope = Token.Call.scope(named: text) else {
                    throw CommandError("--scope must be owner, admin, moderator, participant or viewer")
                }
                call.scope = scope
            }
            token.call = call
        } else if options["--session"] != nil || options["--scope"] != nil || options.open {
            throw CommandError("--session, --scope and --open belong to call tokens")
        }
        let authority = TokenAuthority(keys: settings.auth.keys)
        do throws(APIError) {
            try token.check()
        } catch {
            throw CommandError(error.message)
        }
        guard let text = authority.sign(token, keyID: options["--key"]) else {
            throw CommandError(
                options["--key"].map { "there is no key \($0) in auth.keys" }
                    ?? "auth.keys is empty: name a configuration with --config")
        }
        Output.line(options.open ? Link.base(settings, port: settings.http.port) + "?token=" + text : text)
    }
}

/// The command's own flags; what is left is for the configuration.
struct Options {
    private static let names: Set<String> = ["--session", "--uid", "--name", "--scope", "--ttl", "--key"]
    private var values: [String: String] = [:]
    private(set) var open = false
    private(set) var rest: [String] = []

    init(_ arguments: [String]) throws(CommandError) {
        var left = arguments[...]
        while let argument = left.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if name == "--open" {
                open = true
            } else if Self.names.contains(name) {
                guard let value = parts.count > 1 ? String(parts[1]) : left.popFirst() else {
                    throw CommandError("\(name) needs a value")
                }
                values[name] = value
            } else {
                rest.append(argument)
            }
        }
    }

    subscript(name: String) -> String? { values[name] }

    func required(_ name: String) throws(CommandError) -> String {
        guard let value = values[name] else { throw CommandError("\(name) is missing") }
        return value
    }

    func seconds(_ name: String, default fallback: Int64) throws(CommandError) -> Int64 {
        guard let text = values[name] else { return fallback }
        guard let seconds = Int64(text), (1...31_536_000).contains(seconds) else {
            throw CommandError("\(name) must be from 1 to 31536000")
        }
        return seconds
    }
}
