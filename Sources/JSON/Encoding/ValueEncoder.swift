/// What is being built: containers stay open until everything is encoded, so they are kept by reference.
enum Slot {
    case value(JSONValue)
    case object(ObjectBox)
    case array(ArrayBox)
    case encoder(ValueEncoder)

    /// Nothing encoded is an empty object, as for a type without properties.
    var resolved: JSONValue {
        switch self {
        case .value(let value): return value
        case .object(let box):
            var object = JSONObject()
            for (key, slot) in box.members { object[key] = slot.resolved }
            return .object(object)
        case .array(let box): return .array(box.elements.map(\.resolved))
        case .encoder(let encoder): return encoder.slot?.resolved ?? .object(JSONObject())
        }
    }
}

final class ObjectBox {
    var members: [(key: String, slot: Slot)] = []
}

final class ArrayBox {
    var elements: [Slot] = []
}

/// Encodes one value to a `JSONValue`.
final class ValueEncoder: Encoder {
    let codingPath: [any CodingKey]
    private(set) var slot: Slot?
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(codingPath: [any CodingKey]) {
        self.codingPath = codingPath
    }

    static func value<T: Encodable>(of value: T, codingPath: [any CodingKey]) throws -> JSONValue {
        // As the writer does: a value nested without end must not take the stack with it.
        guard codingPath.count <= JSON.greatestDepth else {
            throw JSONError.tooDeep(limit: JSON.greatestDepth, at: nil)
        }
        if let scalar = value as? any JSONScalar { return try written(scalar, codingPath) }
        if let value = value as? JSONValue { return value }
        let encoder = ValueEncoder(codingPath: codingPath)
        try value.encode(to: encoder)
        return Slot.encoder(encoder).resolved
    }

    /// Takes a whole value, in place of what was encoded before.
    func put(_ value: JSONValue) {
        slot = .value(value)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        let box: ObjectBox
        if case .object(let open)? = slot { box = open } else { box = ObjectBox() }
        slot = .object(box)
        return KeyedEncodingContainer(ObjectBuilder<Key>(box: box, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        let box: ArrayBox
        if case .array(let open)? = slot { box = open } else { box = ArrayBox() }
        slot = .array(box)
        return ArrayBuilder(box: box, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleBuilder(encoder: self)
    }

    private static func written(
        _ scalar: any JSONScalar, _ codingPath: [any CodingKey]
    ) throws(JSONError) -> JSONValue {
        do throws(ScalarRefusal) {
            return try scalar.written
        } catch {
            let path = pathText(root: "", codingPath)
            switch error {
            case .notFinite: throw .notFinite(path: path)
            case .tooLarge:
                throw .notEncodable(path: path, reason: "\(scalar) is beyond 64 bits with a sign")
            }
        }
    }
}

extension JSONError {
    /// Whatever an encodable type may throw.
    init(encoding error: any Error) {
        switch error {
        case let error as JSONError: self = error
        case EncodingError.invalidValue(_, let context):
            self = .notEncodable(
                path: pathText(root: "", context.codingPath), reason: context.debugDescription)
        default: self = .notEncodable(path: "", reason: "\(error)")
        }
    }
}
