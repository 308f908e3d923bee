/// Which pages of other origins may use the API (the Fetch standard's CORS protocol).
///
/// Browsers ask; nobody else is kept out by this. The client module may be loaded by any page, since it is no secret.
struct CrossOrigin: Sendable {
    /// `*`: any.
    let origins: [String]

    private static let methods = "GET, POST, PUT, PATCH, DELETE"
    private static let module = "/rostrum"

    /// What to add to the answer to a request from a page.
    func headers(for request: HTTPRequest) -> [(name: String, value: String)] {
        guard let origin = request.origin else { return [] }
        if request.path == Self.module + ".js" || request.path.hasPrefix(Self.module + "/") {
            return [(name: "access-control-allow-origin:", value: "*")]
        }
        guard origins.contains("*") || origins.contains(origin) else { return [] }
        return [(name: "access-control-allow-origin:", value: origin), (name: "vary:", value: "Origin")]
    }

    /// The answer to a browser that asks before it sends; `nil` if this isn't such a question.
    func preflight(_ request: HTTPRequest) -> HTTPResponse? {
        guard request.method == .options, request.origin != nil else { return nil }
        var response = HTTPResponse.noContent
        let allowed = headers(for: request)
        guard !allowed.isEmpty else { return response }
        response.headers = [
            (name: "access-control-allow-methods:", value: Self.methods),
            (name: "access-control-allow-headers:", value: "Authorization, Content-Type"),
            (name: "access-control-max-age:", value: "600"),
        ]
        return response
    }
}
