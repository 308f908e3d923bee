import JSON
import Meeting

/// The HTTP requests as an OpenAPI 3.1 document.
enum OpenAPI {
    static let document: JSONValue = [
        "openapi": "3.1.0",
        "info": info,
        // Wherever the document came from.
        "servers": [["url": "/"]],
        "tags": .array(Operation.Topic.allCases.map { ["name": .string($0.rawValue)] }),
        "paths": paths,
        "components": ["schemas": Schema.components, "securitySchemes": credentials],
    ]

    private static let info: JSONValue = [
        "title": "Rostrum",
        "version": "1",
        "summary": "The control API of a group-meeting server: its HTTP requests.",
        "description": .string(
            """
            JSON in UTF-8. Fields of a request that aren't described are refused; clients ignore fields of an \
            answer that they don't know. Times are milliseconds since 1970. What happens on the socket is in \
            /asyncapi.json; /docs has all of it for people.
            """),
        "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
    ]

    private static let credentials: JSONValue = [
        "apiKey": [
            "type": "http", "scheme": "bearer",
            "description": "An API key of the configuration (`auth.keys`): back ends and operators.",
        ],
        "authToken": [
            "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
            "description": "An auth token: one user, app-wide.",
        ],
    ]

    private static var paths: JSONValue {
        var paths = JSONObject()
        for operation in Operation.all {
            var item = paths[operation.path]?.objectValue ?? [:]
            item[operation.method.rawValue.lowercased()] = value(of: operation)
            paths[operation.path] = .object(item)
        }
        return .object(paths)
    }

    private static func value(of operation: Operation) -> JSONValue {
        var value: JSONObject = [
            "operationId": .string(operation.name),
            "tags": [.string(operation.topic.rawValue)],
            "summary": .string(operation.summary),
            "security": security(operation.credential),
            "responses": responses(of: operation),
        ]
        let notes = [operation.who.isEmpty ? "" : operation.who + ".", operation.notes].filter { !$0.isEmpty }
        if !notes.isEmpty { value["description"] = .string(notes.joined(separator: "\n\n")) }
        let parameters =
            operation.parameters.map { parameter($0, in: "path", example: Operation.examples[$0.name]) }
            + operation.query.map { parameter($0, in: "query") }
        if !parameters.isEmpty { value["parameters"] = .array(parameters) }
        if let body = operation.body {
            value["requestBody"] = [
                "required": .bool(!operation.mayLackBody),
                "content": ["application/json": ["schema": body.json(.closed)]],
            ]
        }
        return .object(value)
    }

    private static func parameter(_ field: Field, in place: String, example: String? = nil) -> JSONValue {
        var value: JSONObject = [
            "name": .string(field.name), "in": .string(place), "required": .bool(field.isNeeded),
            "schema": field.schema.json(.closed),
        ]
        if !field.note.isEmpty { value["description"] = .string(field.note) }
        if let example { value["example"] = .string(example) }
        return .object(value)
    }

    private static func security(_ credential: Route.Credential) -> JSONValue {
        switch credential {
        case .none: []
        case .apiKey: [["apiKey": []]]
        case .authToken: [["authToken": []]]
        case .apiKeyOrAuthToken: [["apiKey": []], ["authToken": []]]
        }
    }

    // MARK: - Answers

    private static func responses(of operation: Operation) -> JSONValue {
        var responses = JSONObject()
        let refusals = Dictionary(grouping: operation.refusals, by: \.status)
        for status in Set(operation.answers.map(\.status) + refusals.keys).sorted() {
            let answer = operation.answers.first { $0.status == status }
            responses[String(status)] = response(answer, refusals[status] ?? [])
        }
        return .object(responses)
    }

    private static func response(_ answer: Operation.Answer?, _ codes: [ErrorCode]) -> JSONValue {
        var notes = answer.map { [$0.note.isEmpty ? "Done." : $0.note] } ?? []
        notes += codes.map { "`\($0.rawValue)`: \($0.meaning)" }
        var response: JSONObject = ["description": .string(notes.joined(separator: "\n\n"))]
        var schemas = [answer?.schema?.json()].compactMap { $0 }
        if !codes.isEmpty { schemas.append(error(codes)) }
        var content = JSONObject()
        if let type = answer?.contentType { content[type] = [:] }
        if let first = schemas.first {
            let schema: JSONValue = schemas.count == 1 ? first : ["anyOf": .array(schemas)]
            content["application/json"] = ["schema": schema]
        }
        if !content.isEmpty { response["content"] = .object(content) }
        return .object(response)
    }

    /// An error with one of these codes.
    private static func error(_ codes: [ErrorCode]) -> JSONValue {
        let code: JSONValue = ["enum": .array(codes.map { .string($0.rawValue) })]
        return [
            "allOf": [
                ["$ref": "#/components/schemas/Error"],
                ["properties": ["error": ["properties": ["code": code]]]],
            ]
        ]
    }
}
