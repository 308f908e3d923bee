import JSON
public import Meeting

/// What a client is told when its request fails: a stable code, a sentence, and what belongs to it.
public struct APIError: Error, Sendable {
    public var code: ErrorCode
    /// For a person.
    public var message: String
    var details: JSONObject

    init(_ code: ErrorCode, _ message: String, details: [(String, JSONValue)] = []) {
        self.code = code
        self.message = message
        self.details = JSONObject(details)
    }

    init(_ error: MeetingError) {
        self.init(error.code, error.message)
        switch error {
        case .invalid(let field, _): details["field"] = .string(field)
        case .full(let maximum): details["maxParticipants"] = .integer(Int64(maximum))
        case .publishNotAllowed(let source): details["source"] = .string(source.rawValue)
        case .presenterLimit(let maximum): details["maxPresenters"] = .integer(Int64(maximum))
        default: break
        }
    }

    /// Does something in the domain; what that refuses is refused.
    static func translating<Value>(
        _ body: () throws(MeetingError) -> Value
    ) throws(APIError) -> Value {
        do throws(MeetingError) {
            return try body()
        } catch {
            throw APIError(error)
        }
    }

    init(_ error: JSONError) {
        if case .tooLarge(_, let limit) = error {
            self.init(.messageTooLarge, error.description, details: [("limitBytes", .integer(Int64(limit)))])
            return
        }
        self.init(.badRequest, error.description)
        if let path = error.path, !path.isEmpty { details["field"] = .string(path) }
        if case .unknownField(_, let known) = error {
            details["known"] = .array(known.map(JSONValue.string))
        }
        if let position = error.position {
            details["line"] = .integer(Int64(position.line))
            details["column"] = .integer(Int64(position.column))
        }
    }

    static func serverFull(retryAfterSeconds: Int) -> APIError {
        APIError(
            .serverFull, "the server has no room for another participant",
            details: [("retryAfterSeconds", .integer(Int64(retryAfterSeconds)))])
    }

    static func tooManyRequests(retryAfterMs: Int) -> APIError {
        APIError(
            .tooManyRequests, "too many requests on this socket",
            details: [("retryAfterMs", .integer(Int64(retryAfterMs)))])
    }

    static let draining = APIError(.serverDraining, "the server is about to stop")

    /// `{"code": …, "message": …, "details": …}`; details are left out if there are none.
    var value: JSONValue {
        var object = JSONObject([("code", .string(code.rawValue)), ("message", .string(message))])
        if !details.isEmpty { object["details"] = .object(details) }
        return .object(object)
    }
}
