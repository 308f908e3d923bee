import Meeting

/// What one HTTP request does, for those who make it. There is one for each route.
struct Operation: Sendable {
    /// What it belongs to.
    enum Topic: String, Sendable, CaseIterable {
        case tokens = "Tokens"
        case users = "Users"
        case groups = "Groups"
        case members = "Members and bans"
        case sessions = "Sessions"
        case moderation = "Moderation"
        case messages = "Messages"
        case calls = "Calls"
        case server = "The server"
        case socket = "The socket"
    }

    /// An answer that isn't an error.
    struct Answer: Sendable {
        let status: Int
        var schema: Schema?
        /// Of what isn't JSON.
        var contentType: String?
        var note = ""

        static let noContent = Answer(status: 204, note: "Done.")

        static func ok(_ schema: Schema, _ note: String = "") -> Answer {
            Answer(status: 200, schema: schema, note: note)
        }

        static func created(_ schema: Schema, _ note: String = "") -> Answer {
            Answer(status: 201, schema: schema, note: note)
        }
    }

    let method: HTTPRequest.Method
    let path: String
    /// Its name in `openapi.json`.
    let name: String
    let topic: Topic
    let credential: Route.Credential
    /// Who may, in words; empty where the credential says all.
    var who = ""
    let summary: String
    /// What else there is to know.
    var notes = ""
    var query: [Field] = []
    var body: Schema?
    /// Whether a request without a body is as one with an empty object.
    var mayLackBody = false
    let answers: [Answer]
    /// Errors of its own; `refusals` has those that many share, too.
    var codes: [ErrorCode] = []

    var id: String { "\(method.rawValue) \(path)" }

    /// The named places of the path.
    var parameters: [Field] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { part in
            let name = String(part.dropFirst().dropLast())
            return Field(name, .id, Self.places[name] ?? "")
        }
    }

    private static let places = [
        "uid": "the user", "guid": "the group", "sessionId": "the session", "pid": "the participant",
    ]

    /// Values of the named places, by which programs may try the API.
    static let examples = ["uid": "ada", "guid": "team", "sessionId": "weekly"]

    /// All errors that it may be answered with, by status and then name.
    var refusals: [ErrorCode] {
        var codes = Set(self.codes + [.badRequest, .exception])
        switch credential {
        case .none: break
        case .apiKey: codes.insert(.apiKeyNotFound)
        case .authToken, .apiKeyOrAuthToken:
            codes.formUnion([.emptyToken, .tokenNotFound, .authTokenExpired])
            codes.formUnion([.callTokenExpired, .callTokenInvalid])
        }
        if credential != .none { codes.formUnion([.serverFull, .serverDraining]) }
        if method != .get { codes.insert(.messageTooLarge) }
        // What is no id, such as one with a slash, may be another path.
        if !parameters.isEmpty { codes.insert(.apiNotFound) }
        return codes.sorted { ($0.status, $0.rawValue) < ($1.status, $1.rawValue) }
    }

    /// All of them, in the order in which documents show them.
    static let all: [Operation] =
        tokens + users + groups + members + sessions + moderation + messages + calls + server

    /// That of a route; nil if there is none.
    static func of(_ method: HTTPRequest.Method, _ path: String) -> Operation? {
        all.first { $0.method == method && $0.path == path }
    }

    /// What every list takes.
    static let page = [
        Field("page?", .integer(1...1_000_000), "counts from 1; 1 if absent"),
        Field("perPage?", .integer(1...100), "30 if absent"),
    ]

    /// What every history takes.
    static let history = [
        Field("before?", .text(1...100), "a message's id, or a time in milliseconds since 1970"),
        Field("limit?", .integer(1...100), "30 if absent"),
    ]
}
