import JSON
import Synchronization

/// What the server says about itself, made once, when somebody first asks.
enum Documents {
    static let openAPI = file(OpenAPI.document)
    static let asyncAPI = file(AsyncAPI.document)
    static let page = HTTPResponse(
        contentType: "text/html; charset=utf-8", body: Array(DocumentPage.text.utf8),
        // It has nothing but its own text and style.
        headers: [
            (
                name: "content-security-policy:",
                value: "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'"
            )
        ]
    ).tagged

    private static func file(_ document: JSONValue) -> HTTPResponse {
        // It is ours: it can be written.
        let body = (try? document.sorted.text()) ?? []
        return HTTPResponse(contentType: "application/json", body: body).tagged
    }
}

extension HTTPResponse {
    /// With an `ETag`, by which clients ask again whether it is still the same.
    var tagged: HTTPResponse {
        var response = self
        response.headers.append((name: "cache-control:", value: "no-cache"))
        if let digest = Digest.sha256(body) {
            response.headers.append((name: "etag:", value: "\"\(Base64URL.encode(digest))\""))
        }
        return response
    }

    /// Itself, or 304 for those who have it already (RFC 9110, section 13.1.2).
    func unless(matching tags: String?) -> HTTPResponse {
        guard let tags, let own = headers.first(where: { $0.name == "etag:" })?.value else { return self }
        let given = tags.split(separator: ",").map { tag in
            let text = tag.split(separator: " ").joined()
            return text.hasPrefix("W/") ? String(text.dropFirst(2)) : text
        }
        guard given.contains(own) || given == ["*"] else { return self }
        var response = self
        response.status = 304
        response.body = []
        return response
    }
}
