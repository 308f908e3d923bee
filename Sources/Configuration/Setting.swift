public import JSON

/// One key of the configuration. Files, environment, flags, help and documentation all follow from it.
public struct Setting: Sendable {
    /// As in a file and, with `--` before it, as a flag: `media.maxCoalesceMs`.
    public let name: String
    /// One sentence or two for an operator.
    public let explanation: String
    /// What it may be: "an integer from 1 to 65535".
    public let allowed: String
    /// Must not appear in messages.
    let isSecret: Bool
    /// May stand as a flag without a value, which means true.
    let isSwitch: Bool

    /// The value as a file would have it.
    public let get: @Sendable (Settings) -> JSONValue
    /// Sets the value; false, and nothing changes, if it isn't allowed.
    let set: @Sendable (inout Settings, JSONValue) -> Bool
    /// What text in the environment or a flag means; nil if it can't be one.
    let parse: @Sendable (String) -> JSONValue?

    /// `ROSTRUM_MEDIA_MAX_COALESCE_MS`
    public var environmentName: String {
        var result = Self.environmentPrefix
        for character in name {
            if character.isUppercase, result.last != "_" { result += "_" }
            result += character == "." ? "_" : character.uppercased()
        }
        return result
    }

    /// The default, as a file would have it.
    public var defaultValue: JSONValue { self.get(Settings()) }

    static let environmentPrefix = "ROSTRUM_"
}

extension Setting {
    typealias Path<Value> = any WritableKeyPath<Settings, Value> & Sendable

    /// `check` refuses what is a string but not allowed.
    static func text(
        _ name: String, _ path: Path<String>, allowed: String = "a text",
        check: @escaping @Sendable (String) -> Bool = { _ in true }, _ explanation: String
    ) -> Setting {
        Setting(
            name: name, explanation: explanation, allowed: allowed, isSecret: false, isSwitch: false,
            get: { .string($0[keyPath: path]) },
            set: { settings, value in
                guard let text = value.stringValue, check(text) else { return false }
                settings[keyPath: path] = text
                return true
            },
            parse: { .string($0) })
    }

    /// `check` refuses an element.
    static func texts(
        _ name: String, _ path: Path<[String]>, allowed: String,
        check: @escaping @Sendable (String) -> Bool, _ explanation: String
    ) -> Setting {
        Setting(
            name: name, explanation: explanation, allowed: allowed, isSecret: false, isSwitch: false,
            get: { .array($0[keyPath: path].map(JSONValue.string)) },
            set: { settings, value in
                guard let elements = value.arrayValue else { return false }
                let texts = elements.compactMap(\.stringValue)
                guard texts.count == elements.count, texts.allSatisfy(check) else { return false }
                settings[keyPath: path] = texts
                return true
            },
            parse: { .array($0.split(separator: ",").map { .string(String($0)) }) })
    }

    static func integer(
        _ name: String, _ path: Path<Int>, _ range: ClosedRange<Int>, _ explanation: String
    ) -> Setting {
        whole(
            name, range, explanation, get: { $0[keyPath: path] }, set: { $0[keyPath: path] = $1 })
    }

    /// A duration in whole units; the name ends in the unit.
    static func duration(
        _ name: String, _ path: Path<Duration>, in unit: Duration, _ range: ClosedRange<Int>,
        _ explanation: String
    ) -> Setting {
        whole(
            name, range, explanation, get: { Int($0[keyPath: path] / unit) },
            set: { $0[keyPath: path] = unit * $1 })
    }

    /// A share of a whole, 0 to 1.
    static func share(_ name: String, _ path: Path<Double>, _ explanation: String) -> Setting {
        Setting(
            name: name, explanation: explanation, allowed: "a number from 0 to 1", isSecret: false,
            isSwitch: false,
            get: { .number($0[keyPath: path]) },
            set: { settings, value in
                let share: Double
                switch value {
                case .number(let number): share = number
                case .integer(let integer): share = Double(integer)
                default: return false
                }
                guard (0...1).contains(share) else { return false }
                settings[keyPath: path] = share
                return true
            },
            parse: { Double($0).map(JSONValue.number) })
    }

    static func flag(_ name: String, _ path: Path<Bool>, _ explanation: String) -> Setting {
        Setting(
            name: name, explanation: explanation, allowed: "true or false", isSecret: false, isSwitch: true,
            get: { .bool($0[keyPath: path]) },
            set: { settings, value in
                guard let flag = value.boolValue else { return false }
                settings[keyPath: path] = flag
                return true
            },
            parse: { Bool($0).map(JSONValue.bool) })
    }

    static func choice<Choice: RawRepresentable & CaseIterable & Sendable>(
        _ name: String, _ path: Path<Choice>, _ explanation: String
    ) -> Setting where Choice.RawValue == String {
        let names = Choice.allCases.map(\.rawValue)
        return Setting(
            name: name, explanation: explanation, allowed: "one of " + names.joined(separator: ", "),
            isSecret: false, isSwitch: false,
            get: { .string($0[keyPath: path].rawValue) },
            set: { settings, value in
                guard let choice = value.stringValue.flatMap(Choice.init(rawValue:)) else { return false }
                settings[keyPath: path] = choice
                return true
            },
            parse: { .string($0) })
    }

    static func keys(_ name: String, _ path: Path<[APIKey]>, _ explanation: String) -> Setting {
        Setting(
            name: name, explanation: explanation,
            allowed: "a list of {id, secret}: different ids of 1 to 100 of A-Z a-z 0-9 _ . : @ -, "
                + "secrets of at least \(APIKey.shortestSecret) characters",
            isSecret: true, isSwitch: false,
            get: { (try? JSON.encodeValue($0[keyPath: path])) ?? [] },
            set: { settings, value in
                guard let keys = try? JSON.decode([APIKey].self, from: value), APIKey.areSound(keys) else {
                    return false
                }
                settings[keyPath: path] = keys
                return true
            },
            parse: { APIKey.list(from: $0) })
    }

    private static func whole(
        _ name: String, _ range: ClosedRange<Int>, _ explanation: String,
        get: @escaping @Sendable (Settings) -> Int, set: @escaping @Sendable (inout Settings, Int) -> Void
    ) -> Setting {
        Setting(
            name: name, explanation: explanation,
            allowed: "an integer from \(range.lowerBound) to \(range.upperBound)", isSecret: false,
            isSwitch: false,
            get: { .integer(Int64(get($0))) },
            set: { settings, value in
                guard let integer = value.integerValue, let whole = Int(exactly: integer),
                    range.contains(whole)
                else { return false }
                set(&settings, whole)
                return true
            },
            parse: { Int64($0).map(JSONValue.integer) })
    }
}
