import JSON
import Meeting

/// A request with its whole body.
struct HTTPRequest: Sendable {
    enum Method: String, Sendable, CaseIterable {
        case get = "GET"
        case post = "POST"
        case options = "OPTIONS"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
        case head = "HEAD"
    }

    var method: Method
    /// Decoded, without the query.
    var path: String
    /// The arguments behind the path, decoded, in order.
    var query: [(name: String, value: String)] = []
    /// What stands in the places of the route's path that have a name in braces.
    var parameters: [String: String] = [:]
    /// The query, once it is known to have nothing that the route doesn't.
    var arguments = Query()
    /// The value of the header, if there is one.
    var authorization: String?
    /// Where the page that asks comes from; nobody but browsers says so.
    var origin: String?
    /// The tags of what the client has already.
    var ifNoneMatch: String?
    var body: [UInt8]
    /// Why it can't be taken, whatever it asks for.
    var refusal: APIError?
}

/// An answer.
struct HTTPResponse: Sendable {
    var status: Int
    var contentType: String
    var body: [UInt8]
    /// Further headers, names in lower case.
    var headers: [(name: String, value: String)]

    init(
        status: Int = 200, contentType: String, body: [UInt8], headers: [(name: String, value: String)] = []
    ) {
        self.status = status
        self.contentType = contentType
        self.body = body
        self.headers = headers
    }

    static func json(_ value: some Encodable, status: Int = 200) throws(APIError) -> HTTPResponse {
        do throws(JSONError) {
            let body = try JSON.encode(value)
            return HTTPResponse(status: status, contentType: "application/json", body: body)
        } catch {
            throw APIError(.exception, "the answer couldn't be written")
        }
    }

    /// What was asked for is done, and there is nothing to say about it.
    static let noContent = HTTPResponse.text("", status: 204)

    static func text(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
    }

    init(_ error: APIError) {
        let object: JSONValue = ["error": error.value]
        self.init(
            status: error.code.status, contentType: "application/json", body: (try? object.text()) ?? [])
        if let seconds = error.details["retryAfterSeconds"]?.integerValue {
            headers.append((name: "retry-after:", value: String(seconds)))
        }
    }
}
