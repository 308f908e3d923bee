/// The place in an array, as a coding key.
struct IndexKey: CodingKey {
    var index: Int

    init(_ index: Int) { self.index = index }
    init?(intValue: Int) { index = intValue }
    init?(stringValue: String) { nil }

    var intValue: Int? { index }
    var stringValue: String { String(index) }
}

/// A key that is only known at run time.
struct NameKey: CodingKey {
    var stringValue: String

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { stringValue = String(intValue) }

    var intValue: Int? { nil }
}

/// Coding keys as people write them: `params.seats[2].mid`.
func pathText(root: String, _ keys: [any CodingKey]) -> String {
    var text = root
    for key in keys {
        if key is IndexKey {
            text += "[\(key.stringValue)]"
        } else {
            text += text.isEmpty ? key.stringValue : "." + key.stringValue
        }
    }
    return text
}
