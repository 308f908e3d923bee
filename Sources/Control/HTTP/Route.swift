import JSON
import Meeting

/// One request of the REST API: method, path and what answers it.
struct Route: Sendable {
    enum Credential: Sendable {
        case none
        case apiKey
        case authToken
        case apiKeyOrAuthToken
    }

    /// Who makes a request.
    enum Caller: Sendable {
        case anybody
        case backEnd
        case user(Token)
    }

    typealias Run = @Sendable (ControlCore, HTTPRequest, Caller) async throws(APIError) -> HTTPResponse

    let method: HTTPRequest.Method
    /// Parts in braces stand for any text: `/v1/users/{uid}`.
    let path: String
    private let parts: [Substring]
    let credential: Credential
    /// The arguments that may stand behind the path.
    let arguments: Set<String>
    let run: Run

    init(
        _ method: HTTPRequest.Method, _ path: String, _ credential: Credential, arguments: Set<String> = [],
        _ run: @escaping Run
    ) {
        self.method = method
        self.path = path
        parts = path.split(separator: "/", omittingEmptySubsequences: false)
        self.credential = credential
        self.arguments = arguments
        self.run = run
    }

    /// All of them.
    static let all: [Route] =
        operations + tokens + users + groups + members + bans + messages + calls + [socket]
        + sessions + participants + ringing + documents

    /// What stands in the named places of a path that this route is for; nil if it is for others.
    func parameters(of path: [Substring]) -> [String: String]? {
        guard path.count == parts.count else { return nil }
        var parameters: [String: String] = [:]
        for (part, given) in zip(parts, path) {
            if part.hasPrefix("{") {
                parameters[String(part.dropFirst().dropLast())] = String(given)
            } else if part != given {
                return nil
            }
        }
        return parameters
    }

    /// Where WebSockets are opened.
    static let socketPath = "/v1/connect"

    /// What asks there without an upgrade: those with one never come here.
    private static let socket = Route(.get, socketPath, .none, arguments: ["access_token"]) {
        _, _, _ throws(APIError) in
        throw APIError(.badRequest, "this takes WebSockets only: the Upgrade header is missing")
    }
}

/// Finds the route of a request, checks the credential, and falls back to the pages.
struct Router: Sendable {
    let core: ControlCore
    let files: StaticFiles
    let crossOrigin: CrossOrigin

    func answer(_ request: HTTPRequest) async -> HTTPResponse {
        var response: HTTPResponse
        if request.refusal == nil, let preflight = crossOrigin.preflight(request) {
            response = preflight
        } else {
            response = await route(request)
        }
        response.headers += crossOrigin.headers(for: request)
        return response
    }

    private func route(_ request: HTTPRequest) async -> HTTPResponse {
        var request = request
        let isHead = request.method == .head
        if isHead { request.method = .get }
        // Pages are found with a slash behind them as without one; this one is a route.
        let path = request.path == "/docs/" ? "/docs" : request.path
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let matches = Route.all.compactMap { route in
            route.parameters(of: parts).map { (route: route, parameters: $0) }
        }
        let known = matches.map(\.route)
        var label = known.first?.path ?? "other"
        var response: HTTPResponse
        do throws(APIError) {
            if let refusal = request.refusal { throw refusal }
            if let (route, parameters) = matches.first(where: { $0.route.method == request.method }) {
                request.parameters = parameters
                let caller = try await core.caller(of: request, for: route.credential)
                request.arguments = try Query(request, route.arguments)
                response = try await route.run(core, request, caller)
            } else if !known.isEmpty {
                throw APIError(.methodNotAllowed, "\(request.path) doesn't take \(request.method.rawValue)")
            } else if request.method == .get, let file = await files.file(at: request.path) {
                label = "pages"
                response = file
            } else {
                throw APIError(.apiNotFound, "there is nothing here")
            }
        } catch {
            response = HTTPResponse(error)
            if error.code == .methodNotAllowed {
                let allowed = known.map(\.method.rawValue).joined(separator: ", ")
                response.headers.append((name: "allow:", value: allowed))
            }
            if request.path == Route.socketPath {
                response.headers.append((name: "sec-websocket-version:", value: "13"))
            }
        }
        core.count(route: label, method: isHead ? .head : request.method, status: response.status)
        return response
    }
}

extension ControlCore {
    /// Who makes a request, if the credential is one that the route takes.
    func caller(
        of request: HTTPRequest, for credential: Route.Credential
    ) async throws(APIError) -> Route.Caller {
        if case .none = credential { return .anybody }
        let text = request.authorization.flatMap(BearerToken.parse) ?? ""
        if authority.key(withSecret: text) != nil, credential != .authToken { return .backEnd }
        guard credential != .apiKey else {
            throw APIError(.apiKeyNotFound, "this needs an API key, as Authorization: Bearer …")
        }
        let token = try await verify(text)
        guard token.kind == .auth else {
            throw APIError(.tokenNotFound, "a call token, where an auth token belongs")
        }
        return .user(token)
    }
}

extension HTTPRequest {
    /// The body as one of the API's objects.
    func decode<Body: Decodable>(_ type: Body.Type) throws(APIError) -> Body {
        do throws(JSONError) {
            return try JSON.decode(type, from: body)
        } catch {
            throw APIError(error)
        }
    }

    /// The id in a named place of the path.
    func id(_ name: String) throws(APIError) -> String {
        let id = parameters[name] ?? ""
        do throws(MeetingError) {
            try Limit.checkID(id, field: name)
        } catch {
            throw APIError(error)
        }
        return id
    }
}
