import JSON

/// Schemas as JSON Schema (2020-12), which OpenAPI 3.1 and AsyncAPI 3.0 take.
extension Schema {
    /// Whether objects may have more fields than are described.
    enum Openness {
        /// Answers: they may grow.
        case open
        /// Requests: what isn't described is refused. Named objects stand in them as a whole, since a reference is open.
        case closed
    }

    func json(_ openness: Openness = .open) -> JSONValue {
        switch kind {
        case .text(let least, let most):
            var schema: JSONObject = ["type": "string"]
            if least > 0 { schema["minLength"] = .integer(Int64(least)) }
            if let most { schema["maxLength"] = .integer(Int64(most)) }
            return .object(schema)
        case .id: return ["type": "string", "pattern": "^[A-Za-z0-9_.:@-]{1,100}$"]
        case .words(let words): return ["type": "string", "enum": .array(words.map(JSONValue.string))]
        case .integer(let range):
            var schema: JSONObject = ["type": "integer"]
            if range.lowerBound > .min { schema["minimum"] = .integer(range.lowerBound) }
            if range.upperBound < .max { schema["maximum"] = .integer(range.upperBound) }
            return .object(schema)
        case .time: return ["type": "integer", "format": "int64", "description": "milliseconds since 1970"]
        case .number(let range):
            var schema: JSONObject = ["type": "number"]
            if let range {
                schema["minimum"] = .number(range.lowerBound)
                schema["maximum"] = .number(range.upperBound)
            }
            return .object(schema)
        case .flag: return ["type": "boolean"]
        case .anything: return [:]
        case .null: return ["type": "null"]
        case .list(let element, let least, let most):
            var schema: JSONObject = ["type": "array", "items": element.json(openness)]
            if least > 0 { schema["minItems"] = .integer(Int64(least)) }
            if let most { schema["maxItems"] = .integer(Int64(most)) }
            return .object(schema)
        case .object(let fields): return Self.json(fields, openness)
        case .map(let value): return ["type": "object", "additionalProperties": value.json(openness)]
        case .named(let name):
            if openness == .closed, let object = Self.object(name: name) {
                return object.schema.json(.closed)
            }
            return ["$ref": .string("#/components/schemas/\(name)")]
        case .either(let schemas): return ["anyOf": .array(schemas.map { $0.json(openness) })]
        }
    }

    private static func json(_ fields: [Field], _ openness: Openness) -> JSONValue {
        var properties = JSONObject()
        for field in fields { properties[field.name] = field.json(openness) }
        var schema: JSONObject = ["type": "object"]
        if !fields.isEmpty { schema["properties"] = .object(properties) }
        let needed = fields.filter(\.isNeeded).map { JSONValue.string($0.name) }
        if !needed.isEmpty { schema["required"] = .array(needed) }
        if openness == .closed { schema["additionalProperties"] = false }
        return .object(schema)
    }

    /// The named objects, for `components`.
    static var components: JSONValue {
        var components = JSONObject()
        for object in objects {
            var schema = object.schema.json().objectValue ?? [:]
            schema["description"] = .string(object.summary)
            components[object.name] = .object(schema)
        }
        return .object(components)
    }
}

extension Field {
    /// The field's schema with its note.
    func json(_ openness: Schema.Openness) -> JSONValue {
        guard !note.isEmpty else { return schema.json(openness) }
        var value = schema.json(openness).objectValue ?? [:]
        let text = value["description"]?.stringValue.map { "\($0); \(note)" } ?? note
        value["description"] = .string(text)
        return .object(value)
    }
}

extension JSONValue {
    /// The same value with the members of every object in the order of their keys.
    var sorted: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.sorted))
        case .object(let object):
            .object(JSONObject(object.members.sorted { $0.key < $1.key }.map { ($0.key, $0.value.sorted) }))
        default: self
        }
    }
}
