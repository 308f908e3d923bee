import Configuration
import Control
import Glibc

/// `rostrum token call|auth`: signs a token with a key of the configuration.
enum TokenCommand {
    private static let flags: Set<String> = ["--session", "--uid", "--name", "--scope", "--ttl", "--key"]

    static func run(_ arguments: [String]) throws(CommandError) {
        guard let kind = arguments.first, kind == "call" || kind == "auth" else {
            throw CommandError("token needs call or auth, see rostrum --help")
        }
        let options = try Options(Array(arguments.dropFirst()), valued: flags, switches: ["--open"])
        let settings = try SettingsLoader.load(options.rest)
        let uid = try options.required("--uid")
        let seconds = try options.integer("--ttl", in: 1...31_536_000) ?? (kind == "call" ? 300 : 1_800)
        let now = Int64(time(nil))
        var token = Token(uid: uid, name: options["--name"], expiresAt: now + seconds, issuedAt: now)
        if kind == "call" {
            var call = Token.Call(sessionID: try options.required("--session"))
            if let text = options["--scope"] {
                guard let scope = Token.Call.scope(named: text) else {
                    throw CommandError("--scope must be owner, admin, moderator, participant or viewer")
                }
                call.scope = scope
            }
            token.call = call
        } else if options["--session"] != nil || options["--scope"] != nil || options.has("--open") {
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
        Output.line(
            options.has("--open") ? Link.base(settings, port: settings.http.port) + "?token=" + text : text)
    }
}
