import JSON
import Meeting

extension Schema {
    /// What is wrong with a value, each with its place: `data.participant.name: missing`. Stricter than what clients
    /// are told: a field that isn't described is wrong too.
    func faults(in value: JSONValue, at place: String = "") -> [String] {
        func fault(_ text: String) -> [String] { ["\(place.isEmpty ? "the whole" : place): \(text)"] }
        switch (kind, value) {
        case (.anything, _), (.flag, .bool), (.null, .null): return []
        case (.text(let least, let most), .string(let text)):
            let count = text.unicodeScalars.count
            return count >= least && count <= most ?? .max ? [] : fault("\(count) characters")
        case (.id, .string(let text)): return Limit.isValidID(text) ? [] : fault("\(text) is no id")
        case (.words(let words), .string(let text)):
            return words.contains(text) ? [] : fault("\(text) is none of \(words.joined(separator: ", "))")
        case (.integer(let range), .integer(let number)):
            return range.contains(number) ? [] : fault("\(number) is out of range")
        case (.time, .integer(let number)):
            return number >= 0 ? [] : fault("\(number) is before 1970")
        case (.number(let range), .integer), (.number(let range), .number):
            let number = value.numberValue ?? .nan
            return range?.contains(number) ?? true ? [] : fault("\(number) is out of range")
        case (.list(let element, let least, let most), .array(let elements)):
            guard elements.count >= least, elements.count <= most ?? .max else {
                return fault("\(elements.count) elements")
            }
            return elements.enumerated().flatMap { element.faults(in: $1, at: "\(place)[\($0)]") }
        case (.object(let fields), .object(let object)):
            return Self.faults(in: object, fields, at: place)
        case (.map(let element), .object(let object)):
            return object.members.flatMap { element.faults(in: $0.value, at: "\(place).\($0.key)") }
        case (.named(let name), _):
            guard let object = Self.object(name: name) else { return fault("there is no object \(name)") }
            return object.schema.faults(in: value, at: place)
        case (.either(let schemas), _):
            let all = schemas.map { $0.faults(in: value, at: place) }
            return all.min { $0.count < $1.count } ?? fault("nothing is allowed")
        default: return fault("the wrong type")
        }
    }

    private static func faults(in object: JSONObject, _ fields: [Field], at place: String) -> [String] {
        func inner(_ name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }
        var faults: [String] = []
        for field in fields {
            if let value = object[field.name] {
                faults += field.schema.faults(in: value, at: inner(field.name))
            } else if field.isNeeded {
                faults.append("\(inner(field.name)): missing")
            }
        }
        let known = Set(fields.map(\.name))
        return faults + object.keys.filter { !known.contains($0) }.map { "\(inner($0)): not described" }
    }

    /// A value that it takes, with every field, for tests and examples.
    var sample: JSONValue {
        switch kind {
        case .text(let least, _): return .string(String(repeating: "x", count: max(1, least)))
        case .id: return "ada"
        case .words(let words): return .string(words.first ?? "")
        case .integer(let range): return .integer(range.contains(1) ? 1 : range.lowerBound)
        case .time: return 1_764_460_800_123
        case .number(let range): return .number(range?.lowerBound ?? 1.5)
        case .flag: return true
        case .anything: return ["any": "value"]
        case .null: return .null
        case .list(let element, let least, _):
            return .array(Array(repeating: element.sample, count: max(1, least)))
        case .object(let fields): return .object(JSONObject(fields.map { ($0.name, $0.schema.sample) }))
        case .map(let value): return ["0": value.sample]
        case .named(let name): return Self.object(name: name)?.schema.sample ?? .null
        case .either(let schemas): return schemas.first?.sample ?? .null
        }
    }
}
