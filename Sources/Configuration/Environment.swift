/// What the environment says: variables that begin with `ROSTRUM_`.
struct Environment {
    static let configName = Setting.environmentPrefix + "CONFIG"
    /// Of the commands that ask a server for something: no settings, and no mistakes either.
    static let ofCommands: Set<String> = [
        "ROSTRUM_SERVER", "ROSTRUM_KEY", "ROSTRUM_LOAD_SERVER", "ROSTRUM_LOAD_KEY",
    ]

    private(set) var configFile: String?
    private(set) var assignments: [Assignment] = []

    init(_ variables: [String: String]) throws(ConfigurationError) {
        let names = KnownNames(
            Setting.all.map { ($0.environmentName, $0) } + [(Self.configName, nil)])
        let ours = variables.filter { $0.key.hasPrefix(Setting.environmentPrefix) }
        // Sorted, so that the same environment gives the same error.
        for (name, value) in ours.sorted(by: { $0.key < $1.key }) {
            if name == Self.configName {
                configFile = value
            } else if let setting = names[name] {
                assignments.append(
                    Assignment(setting: setting, value: .text(value), source: .environment(name)))
            } else if !Self.isFromKubernetes(name), !Self.ofCommands.contains(name) {
                throw names.unknown(name, .environment(name))
            }
        }
    }

    /// Kubernetes gives such variables to every container beside a service that is called `rostrum`.
    private static func isFromKubernetes(_ name: String) -> Bool {
        let rest = name.dropFirst(Setting.environmentPrefix.count)
        return rest == "PORT" || rest.hasPrefix("PORT_") || rest.hasPrefix("SERVICE_HOST")
            || rest.hasPrefix("SERVICE_PORT")
    }
}
