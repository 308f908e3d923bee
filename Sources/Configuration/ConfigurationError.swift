/// Where a value came from.
public enum SettingSource: Hashable, Sendable, CustomStringConvertible {
    case file(String)
    /// By name of the variable.
    case environment(String)
    /// As it was written, without its value.
    case flag(String)

    public var description: String {
        switch self {
        case .file(let path): "file \(path)"
        case .environment(let name): "environment variable \(name)"
        case .flag(let name): "flag \(name)"
        }
    }
}

/// Why there are no settings. `description` is one line for the operator.
public enum ConfigurationError: Error, Hashable, Sendable {
    case unreadable(file: String, reason: String)
    /// The file isn't JSON, or not an object of objects.
    case malformed(file: String, reason: String)
    /// `name` is as its source spells it; so is `nearest`, the known one that was probably meant, if there is one.
    case unknownKey(String, nearest: String?, SettingSource)
    /// `value` is as written; nil for a secret.
    case notAllowed(key: String, value: String?, allowed: String, SettingSource)
    /// A flag without its value.
    case missingValue(flag: String)
    /// An argument that isn't a flag.
    case unexpectedArgument(String)
    /// Values that are fine each and can't be together.
    case conflict(String)
}

extension ConfigurationError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let file, let reason): "can't read \(Self.quoted(file)): \(reason)"
        case .malformed(let file, let reason): "file \(file): \(reason)"
        case .unknownKey(let name, let nearest, let source):
            "unknown key \(Self.quoted(name))"
                + (nearest.map { ", did you mean \($0)?" } ?? ", see rostrum --help") + " (\(source))"
        case .notAllowed(let key, let value, let allowed, let source):
            "\(key) must be \(allowed)\(value.map { ", not \($0)" } ?? "") (\(source))"
        case .missingValue(let flag): "\(flag) needs a value"
        case .unexpectedArgument(let argument): "unexpected argument \(Self.quoted(argument))"
        case .conflict(let reason): reason
        }
    }

    /// A text in quotes, cut if it is long, without anything that could end the line.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars.prefix(80) {
            if scalar.properties.generalCategory == .control {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result + (text.unicodeScalars.count > 80 ? "…\"" : "\"")
    }
}
