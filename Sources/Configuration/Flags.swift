/// What the command line says: `--media.port 3478` or `--media.port=3478`, the last one wins.
///
/// Keys that are true or false may stand without a value, which means true.
struct Flags {
    static let configName = "--config"

    private(set) var configFile: String?
    private(set) var assignments: [Assignment] = []

    init(_ arguments: [String]) throws(ConfigurationError) {
        let names = KnownNames(Setting.all.map { ("--" + $0.name, $0) } + [(Self.configName, nil)])
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else { throw .unexpectedArgument(argument) }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            var value = parts.count > 1 ? String(parts[1]) : nil
            guard name == Self.configName || names[name] != nil else {
                throw names.unknown(name, .flag(name))
            }
            if value == nil, let next = rest.first, !next.hasPrefix("--") {
                value = next
                rest.removeFirst()
            }
            if value == nil, names[name]?.isSwitch == true { value = "true" }
            guard let value else { throw .missingValue(flag: name) }
            if let setting = names[name] {
                assignments.append(Assignment(setting: setting, value: .text(value), source: .flag(name)))
            } else {
                configFile = value
            }
        }
    }
}
