import JSON
import Meeting
import Storage

/// The arguments behind a path, each of which may stand once and must be one of those that the request has.
struct Query {
    private let values: [String: String]

    /// None.
    init() {
        values = [:]
    }

    init(_ request: HTTPRequest, _ names: Set<String>) throws(APIError) {
        var values: [String: String] = [:]
        for (name, value) in request.query {
            guard names.contains(name) else {
                var refusal = Self.refusal(of: name, "isn't an argument of this request")
                refusal.details["known"] = .array(names.sorted().map(JSONValue.string))
                throw refusal
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw Self.refusal(of: name, "stands there twice")
            }
        }
        self.values = values
    }

    subscript(name: String) -> String? { values[name] }

    func integer(_ name: String) throws(APIError) -> Int64? {
        guard let text = values[name] else { return nil }
        guard let number = Int64(text) else { throw Self.refusal(of: name, "must be an integer") }
        return number
    }

    func flag(_ name: String) throws(APIError) -> Bool? {
        guard let text = values[name] else { return nil }
        guard let flag = Bool(text) else { throw Self.refusal(of: name, "must be true or false") }
        return flag
    }

    func word<Word: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Word.Type
    ) throws(APIError) -> Word? where Word.RawValue == String {
        guard let text = values[name] else { return nil }
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw Self.refusal(of: name, "must be one of \(words)")
        }
        return word
    }

    /// The arguments that every list has.
    static let page: Set<String> = ["page", "perPage"]

    func page() throws(APIError) -> PageRequest {
        var page = PageRequest()
        if let number = try integer("page") { page.number = Int(number) }
        if let size = try integer("perPage") { page.size = Int(size) }
        return page
    }

    static func refusal(of name: String, _ reason: String) -> APIError {
        let shown = name.isEmpty ? "an argument without a name" : String(name.prefix(100))
        return APIError(.badRequest, "\(shown) \(reason)", details: [("field", .string(shown))])
    }
}
