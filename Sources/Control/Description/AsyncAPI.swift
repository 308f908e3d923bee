import JSON
import Meeting

/// The socket as an AsyncAPI 3.0 document. Its operations are the server's: it receives requests and sends events.
enum AsyncAPI {
    static let document: JSONValue = [
        "asyncapi": "3.0.0",
        "info": info,
        "defaultContentType": "application/json",
        "channels": [
            "socket": [
                "address": .string(Route.socketPath),
                "title": "The socket",
                "description": .string(channelText),
                "messages": .object(messages),
                "bindings": ["ws": ["method": "GET", "query": query, "bindingVersion": "0.1.0"]],
            ]
        ],
        "operations": .object(operations),
        "components": ["schemas": Schema.components],
    ]

    private static let info: JSONValue = [
        "title": "Rostrum",
        "version": "1",
        "description": .string(
            """
            The control API of a group-meeting server: its socket. A request is answered once, after its effect, \
            with the same `id`. Events of a session are numbered by `seq`, one by one for each participant. The \
            HTTP requests are in /openapi.json; /docs has all of it for people.
            """),
        "license": ["name": "Apache-2.0"],
    ]

    private static var channelText: String {
        let codes = CloseCode.allCases.map { "- \($0.rawValue): \($0.meaning)" }
        return """
            A WebSocket with subprotocol `rostrum.v1`. The token comes in `Authorization`, in the query, with \
            `login` or with `joinSession`, within 10 s. The server closes with these codes:

            \(codes.joined(separator: "\n"))
            """
    }

    private static let query: JSONValue = [
        "type": "object",
        "properties": ["access_token": ["type": "string", "description": "an auth or call token"]],
    ]

    // MARK: - Messages

    private static var messages: JSONObject {
        var messages = JSONObject()
        for method in SocketMethod.all {
            messages[method.name] = request(method)
            messages[method.name + "Answer"] = message(
                "The answer to \(method.name)",
                payload: object([
                    ("id", id), ("result", method.resultSchema.json()),
                ]), isCorrelated: true)
            messages[method.name + "Refusal"] = message(
                "Why \(method.name) is refused", payload: refusal(method.refusals), isCorrelated: true)
        }
        for event in SocketEvent.all { messages[event.name] = message(of: event) }
        return messages
    }

    private static func request(_ method: SocketMethod) -> JSONValue {
        let names = [method.name] + method.aliases
        var fields: [(String, JSONValue)] = [
            ("id", id), ("method", ["type": "string", "enum": .array(names.map(JSONValue.string))]),
        ]
        let parameters = Schema.object(method.parameters).json(.closed)
        let areNeeded = method.parameters.contains(where: \.isNeeded)
        fields.append(("params", parameters))
        return message(
            method.summary,
            payload: object(fields, optional: areNeeded ? [] : ["params"], isClosed: true),
            isCorrelated: true)
    }

    private static func message(of event: SocketEvent) -> JSONValue {
        message(event.summary, payload: event.frame.json(), isCorrelated: false)
    }

    private static func message(_ title: String, payload: JSONValue, isCorrelated: Bool) -> JSONValue {
        var message: JSONObject = ["title": .string(title), "payload": payload]
        if isCorrelated { message["correlationId"] = ["location": "$message.payload#/id"] }
        return .object(message)
    }

    private static func refusal(_ codes: [ErrorCode]) -> JSONValue {
        let code: JSONValue = ["enum": .array(codes.map { .string($0.rawValue) })]
        return [
            "allOf": [
                ["$ref": "#/components/schemas/Error"],
                [
                    "type": "object",
                    "properties": ["id": id, "error": ["properties": ["code": code]]],
                ],
            ]
        ]
    }

    /// That of the request: an integer, or a string of at most 100 bytes.
    private static let id: JSONValue = [
        "anyOf": [["type": "integer"], ["type": "string", "maxLength": 100]]
    ]

    private static func object(
        _ fields: [(String, JSONValue)], optional: Set<String> = [], isClosed: Bool = false
    ) -> JSONValue {
        let needed = fields.map(\.0).filter { !optional.contains($0) }
        var schema: JSONObject = [
            "type": "object", "properties": .object(JSONObject(fields)),
            "required": .array(needed.map(JSONValue.string)),
        ]
        if isClosed { schema["additionalProperties"] = false }
        return .object(schema)
    }

    // MARK: - Operations

    private static var operations: JSONObject {
        var operations = JSONObject()
        for method in SocketMethod.all {
            operations[method.name] = [
                "action": "receive", "channel": channel, "summary": .string(method.summary),
                "description": .string(text(of: method)),
                "messages": [reference(method.name)],
                "reply": [
                    "channel": channel,
                    "messages": [reference(method.name + "Answer"), reference(method.name + "Refusal")],
                ],
                "tags": [["name": .string(method.topic.rawValue)]],
            ]
        }
        for event in SocketEvent.all {
            operations[event.name] = [
                "action": "send", "channel": channel, "summary": .string(event.summary),
                "messages": [reference(event.name)],
                "tags": [["name": .string(event.reach == .app ? "App-wide events" : "Session events")]],
            ]
        }
        return operations
    }

    private static func text(of method: SocketMethod) -> String {
        var parts = method.notes.isEmpty ? [] : [method.notes]
        if let scope = method.scope { parts.append("Needs scope \(scope.rawValue).") }
        if !method.aliases.isEmpty { parts.append("Also called \(method.aliases.joined(separator: ", ")).") }
        return parts.isEmpty ? method.summary : parts.joined(separator: "\n\n")
    }

    private static let channel: JSONValue = ["$ref": "#/channels/socket"]

    private static func reference(_ message: String) -> JSONValue {
        ["$ref": .string("#/channels/socket/messages/\(message)")]
    }
}
