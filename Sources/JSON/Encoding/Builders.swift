/// Fills an object.
struct ObjectBuilder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let box: ObjectBox
    let codingPath: [any CodingKey]

    func encodeNil(forKey key: Key) throws {
        add(.value(.null), key)
    }

    // Stands for each of the protocol's `encode` methods.
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        add(.value(try ValueEncoder.value(of: value, codingPath: codingPath + [key])), key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        nestedEncoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nestedEncoder(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        nestedEncoder(NameKey(stringValue: "super"))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        nestedEncoder(key)
    }

    private func nestedEncoder(_ key: any CodingKey) -> ValueEncoder {
        let encoder = ValueEncoder(codingPath: codingPath + [key])
        add(.encoder(encoder), key)
        return encoder
    }

    private func add(_ slot: Slot, _ key: any CodingKey) {
        box.members.append((key.stringValue, slot))
    }
}

/// Fills an array.
struct ArrayBuilder: UnkeyedEncodingContainer {
    let box: ArrayBox
    let codingPath: [any CodingKey]

    var count: Int { box.elements.count }

    func encodeNil() throws {
        box.elements.append(.value(.null))
    }

    // Stands for each of the protocol's `encode` methods.
    func encode<T: Encodable>(_ value: T) throws {
        let key = IndexKey(count)
        box.elements.append(.value(try ValueEncoder.value(of: value, codingPath: codingPath + [key])))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        nestedEncoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        nestedEncoder().unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        nestedEncoder()
    }

    private func nestedEncoder() -> ValueEncoder {
        let encoder = ValueEncoder(codingPath: codingPath + [IndexKey(count)])
        box.elements.append(.encoder(encoder))
        return encoder
    }
}

/// Takes the encoder's one value.
struct SingleBuilder: SingleValueEncodingContainer {
    let encoder: ValueEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() throws {
        encoder.put(.null)
    }

    // Stands for each of the protocol's `encode` methods.
    func encode<T: Encodable>(_ value: T) throws {
        encoder.put(try ValueEncoder.value(of: value, codingPath: codingPath))
    }
}
