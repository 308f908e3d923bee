import Configuration
import Glibc
import JSON

/// The server that a command asks: its REST API with an API key.
struct RemoteServer {
    /// Flags that every command has which asks a server.
    static let flags: Set<String> = ["--server", "--key", "--config", "--ca"]
    static let switches: Set<String> = ["--json"]

    private let origin: String
    private let http: HTTPClient

    /// Where the server is and by which key, as the flags, the environment and the configuration say, in this order.
    init(_ options: Options) throws(CommandError) {
        let settings = try SettingsLoader.load(options["--config"].map { ["--config", $0] } ?? [])
        var origin =
            options["--server"] ?? Self.variable("ROSTRUM_SERVER")
            ?? Link.base(settings, port: settings.http.port)
        while origin.hasSuffix("/") { origin.removeLast() }
        guard origin.hasPrefix("http://") || origin.hasPrefix("https://") else {
            throw CommandError("--server must be a URL such as https://meet.example.org, not \(origin)")
        }
        self.origin = origin
        let secret = try Self.secret(options["--key"] ?? Self.variable("ROSTRUM_KEY"), settings.auth.keys)
        http = try HTTPClient(bearer: secret, authorities: options["--ca"])
    }

    private static func secret(_ named: String?, _ keys: [APIKey]) throws(CommandError) -> String {
        guard let named else {
            guard let first = keys.first else {
                throw CommandError("no key: say --key ID:SECRET, ROSTRUM_KEY or --config FILE")
            }
            return first.secret
        }
        if let known = keys.first(where: { $0.id == named }) { return known.secret }
        guard let colon = named.firstIndex(of: ":") else {
            throw CommandError("--key must be ID:SECRET, or the id of a key in the file of --config")
        }
        return String(named[named.index(after: colon)...])
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    // MARK: - Requests

    /// The answer to a request; null if it has no body. `path` has the parts behind `/v1`.
    ///
    /// - Throws: What the server says against it, or why it couldn't be asked: with code 1.
    @discardableResult
    func ask(
        _ method: String, _ path: [String], query: String = "", _ body: JSONValue? = nil
    ) throws(CommandError) -> JSONValue {
        let (status, value) = try exchange(method, path, query, body)
        guard (200..<300).contains(status) else { throw refusal(status, value) }
        return value
    }

    /// What is at a path, or nil if there is nothing.
    ///
    /// - Throws: As `ask`.
    func find(_ path: [String]) throws(CommandError) -> JSONValue? {
        let (status, value) = try exchange("GET", path, "", nil)
        // Without a code of Rostrum's it is somebody else who has nothing there.
        if status == 404, value["error"]?["code"] != nil { return nil }
        guard (200..<300).contains(status) else { throw refusal(status, value) }
        return value
    }

    private func exchange(
        _ method: String, _ path: [String], _ query: String, _ body: JSONValue?
    ) throws(CommandError) -> (status: Int, JSONValue) {
        let url = origin + "/v1/" + path.map(http.escaped).joined(separator: "/") + query
        let text: [UInt8]?
        do throws(JSONError) {
            text = try body?.text()
        } catch {
            throw CommandError(error)
        }
        let answer = try http.send(method, url, body: text)
        let value = try? JSON.parse(answer.body, limits: JSON.Limits(bytes: answer.body.count + 1))
        if value == nil, !answer.body.isEmpty, (200..<300).contains(answer.status) {
            throw CommandError("\(url) answered something else than JSON: is it Rostrum?", code: 1)
        }
        return (answer.status, value ?? .null)
    }

    /// All elements of a list, whatever the number of pages.
    ///
    /// - Parameter filter: more of the query, from `&` on.
    func list(_ path: [String], _ filter: String = "") throws(CommandError) -> [JSONValue] {
        var elements: [JSONValue] = []
        var page: Int64 = 1
        while true {
            let answer = try ask("GET", path, query: "?page=\(page)&perPage=100\(filter)")
            elements += answer["data"]?.arrayValue ?? []
            guard let pages = answer["meta"]?["pagination"]?["totalPages"]?.integerValue, page < pages else {
                return elements
            }
            page += 1
        }
    }

    private func refusal(_ status: Int, _ body: JSONValue) -> CommandError {
        guard let code = body["error"]?["code"]?.stringValue else {
            return CommandError("\(origin) answered with status \(status): is it Rostrum?", code: 1)
        }
        let message = Terminal.safe(body["error"]?["message"]?.stringValue ?? "")
        let hint =
            switch code {
            case "AUTH_ERR_APIKEY_NOT_FOUND": "; the key that was shown is none of the server's auth.keys"
            case "ERR_UID_NOT_FOUND": "; users are made by rostrum user create"
            default: ""
            }
        return CommandError("\(Terminal.safe(code)): \(message)\(hint)", code: 1)
    }
}
