/// The members of an object.
struct ObjectReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ValueDecoder
    let object: JSONObject

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { object.keys.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool {
        decoder.member(key.stringValue, of: object) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        try member(key) == .null
    }

    // Stands for each of the protocol's `decode` methods.
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decoder.read(type, from: member(key), key: key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try decoder.nest(member(key), key: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder.nest(member(key), key: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        let key = NameKey(stringValue: "super")
        return decoder.nest(decoder.member(key.stringValue, of: object) ?? .null, key: key)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try decoder.nest(member(key), key: key)
    }

    private func member(_ key: Key) throws(JSONError) -> JSONValue {
        guard let value = decoder.member(key.stringValue, of: object) else {
            throw .missingField(path: decoder.path(with: key))
        }
        return value
    }
}

/// The elements of an array.
struct ArrayReader: UnkeyedDecodingContainer {
    let decoder: ValueDecoder
    let array: [JSONValue]
    private(set) var currentIndex = 0

    init(decoder: ValueDecoder, array: [JSONValue]) {
        self.decoder = decoder
        self.array = array
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { array.count }
    var isAtEnd: Bool { currentIndex >= array.count }

    mutating func decodeNil() throws -> Bool {
        guard try element() == .null else { return false }
        currentIndex += 1
        return true
    }

    // Stands for each of the protocol's `decode` methods.
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let result = try decoder.read(type, from: element(), key: IndexKey(currentIndex))
        currentIndex += 1
        return result
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try superDecoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try superDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
        let child = decoder.nest(try element(), key: IndexKey(currentIndex))
        currentIndex += 1
        return child
    }

    private func element() throws(JSONError) -> JSONValue {
        guard array.indices.contains(currentIndex) else {
            throw .missingField(path: decoder.path(with: IndexKey(currentIndex)))
        }
        return array[currentIndex]
    }
}

/// The decoder's value itself.
struct SingleReader: SingleValueDecodingContainer {
    let decoder: ValueDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.value == .null }

    // Stands for each of the protocol's `decode` methods.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try decoder.read(type, from: decoder.value, key: nil)
    }
}
