/// What holds for a whole decoding.
struct DecodingOptions {
    /// Path of the value that is decoded, for errors.
    var root: String
    var unknownFields: JSON.UnknownFields
}

/// Decodes from one value. Keyed containers note here which keys were asked for.
final class ValueDecoder: Decoder {
    let value: JSONValue
    let codingPath: [any CodingKey]
    let options: DecodingOptions
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Whether anything was asked for: a type without properties does nothing to be decoded.
    private var isLookedAt = false
    /// The object, once a keyed container was made of it.
    private var keyed: JSONObject?
    /// Which of its members were asked for, by place.
    private var asked: [Bool] = []
    /// Keys that were asked for and aren't there.
    private var absent: Set<String> = []
    /// Decoders of nested containers: nobody else looks at what they leave over.
    private var nested: [ValueDecoder] = []

    init(value: JSONValue, codingPath: [any CodingKey], options: DecodingOptions) {
        self.value = value
        self.codingPath = codingPath
        self.options = options
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        isLookedAt = true
        guard case .object(let object) = value else { throw mismatch("an object", value, key: nil) }
        if keyed == nil {
            keyed = object
            asked = Array(repeating: false, count: object.count)
        }
        return KeyedDecodingContainer(ObjectReader<Key>(decoder: self, object: object))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        isLookedAt = true
        guard case .array(let array) = value else { throw mismatch("an array", value, key: nil) }
        return ArrayReader(decoder: self, array: array)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        isLookedAt = true
        return SingleReader(decoder: self)
    }

    /// The value as it is, with all of its fields accounted for.
    func takeWhole() -> JSONValue {
        isLookedAt = true
        asked = Array(repeating: true, count: asked.count)
        return value
    }

    /// The member of the decoder's object, which counts as asked for from now on.
    func member(_ key: String, of object: JSONObject) -> JSONValue? {
        guard let place = object.place(of: key) else {
            absent.insert(key)
            return nil
        }
        asked[place] = true
        return object.members[place].value
    }

    /// Decodes a value that stands under `key` in this decoder's value, or is that value if there is no key.
    func read<T: Decodable>(_ type: T.Type, from value: JSONValue, key: (any CodingKey)?) throws -> T {
        if let scalar = type as? any JSONScalar.Type, let result = try read(scalar, value, key) as? T {
            return result
        }
        if type == JSONValue.self, let result = value as? T { return result }
        let child = ValueDecoder(value: value, codingPath: codingPath(with: key), options: options)
        let result: T
        do {
            result = try T(from: child)
        } catch DecodingError.dataCorrupted(let context) {
            throw refusal(of: type, context)
        }
        try child.refuseLeftovers()
        return result
    }

    /// A decoder of a container within this decoder's value, whose leftovers are looked at with this one's.
    func nest(_ value: JSONValue, key: any CodingKey) -> ValueDecoder {
        let child = ValueDecoder(value: value, codingPath: codingPath(with: key), options: options)
        nested.append(child)
        return child
    }

    func path(with key: (any CodingKey)?) -> String {
        pathText(root: options.root, codingPath(with: key))
    }

    private func mismatch(_ expected: String, _ found: JSONValue, key: (any CodingKey)?) -> JSONError {
        .typeMismatch(path: path(with: key), expected: expected, found: found.kind)
    }

    private func codingPath(with key: (any CodingKey)?) -> [any CodingKey] {
        if let key { codingPath + [key] } else { codingPath }
    }

    private func read(
        _ scalar: any JSONScalar.Type, _ value: JSONValue, _ key: (any CodingKey)?
    ) throws(JSONError) -> any JSONScalar {
        do throws(ScalarFailure) {
            return try scalar.read(value)
        } catch {
            switch error {
            case .wrongType(let expected): throw mismatch(expected, value, key: key)
            case .outOfRange(let lowest, let highest):
                throw .integerOutOfRange(path: path(with: key), lowest: lowest, highest: highest)
            }
        }
    }

    /// A name as it is said back: whoever sends a long one doesn't get it again twice.
    private static func shown(_ name: String) -> String {
        name.utf8.count <= 100 ? name : String(name.prefix(100)) + "…"
    }

    private func refuseLeftovers() throws(JSONError) {
        guard options.unknownFields == .refuse else { return }
        if !isLookedAt {
            guard case .object(let object) = value else { throw mismatch("an object", value, key: nil) }
            guard let first = object.keys.first else { return }
            throw .unknownField(path: path(with: NameKey(stringValue: Self.shown(first))), known: [])
        }
        if let keyed, let place = asked.firstIndex(of: false) {
            let path = path(with: NameKey(stringValue: Self.shown(keyed.members[place].key)))
            let present = zip(keyed.keys, asked).filter(\.1).map(\.0)
            throw .unknownField(path: path, known: (present + absent).sorted())
        }
        for decoder in nested { try decoder.refuseLeftovers() }
    }

    /// Names the values that an enumeration has; other types explain themselves.
    private func refusal(of type: any Decodable.Type, _ context: DecodingError.Context) -> JSONError {
        let path = pathText(root: options.root, context.codingPath)
        guard let type = type as? any (CaseIterable & RawRepresentable).Type else {
            return .invalidValue(path: path, reason: context.debugDescription)
        }
        return .invalidValue(path: path, reason: "expected one of \(Self.names(of: type))")
    }

    private static func names<T: CaseIterable & RawRepresentable>(of type: T.Type) -> String {
        type.allCases.map { "\($0.rawValue)" }.joined(separator: ", ")
    }
}

extension JSONError {
    /// Whatever a decodable type may throw.
    init(decoding error: any Error, options: DecodingOptions) {
        func path(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
            pathText(root: options.root, context.codingPath + (key.map { [$0] } ?? []))
        }
        switch error {
        case let error as JSONError: self = error
        case DecodingError.keyNotFound(let key, let context):
            self = .missingField(path: path(context, key))
        case DecodingError.valueNotFound(_, let context), DecodingError.typeMismatch(_, let context),
            DecodingError.dataCorrupted(let context):
            self = .invalidValue(path: path(context), reason: context.debugDescription)
        default: self = .invalidValue(path: options.root, reason: "\(error)")
        }
    }
}
