import JSON

/// Reads the configuration: defaults, over them a file, over that the environment, over that the flags.
public enum Configuration {
    /// The settings, from the arguments behind the subcommand and from the environment.
    ///
    /// The file is the one that `--config` or `ROSTRUM_CONFIG` names; without them there is none.
    public static func load(
        arguments: [String], environment: [String: String]
    ) throws(ConfigurationError) -> Settings {
        let flags = try Flags(arguments)
        let variables = try Environment(environment)
        var settings = Settings()
        if let path = flags.configFile ?? variables.configFile {
            for assignment in try SettingsFile.assignments(path: path) { try assignment.apply(to: &settings) }
        }
        for assignment in variables.assignments { try assignment.apply(to: &settings) }
        for assignment in flags.assignments { try assignment.apply(to: &settings) }
        try check(settings)
        return settings
    }

    /// What no single key can tell.
    private static func check(_ settings: Settings) throws(ConfigurationError) {
        let guestKey = settings.web.guestKey
        if !guestKey.isEmpty, !settings.auth.keys.contains(where: { $0.id == guestKey }) {
            throw .conflict("web.guestKey names no key of auth.keys: \(ConfigurationError.quoted(guestKey))")
        }
        let http = settings.http
        if http.tlsCertificate.isEmpty != http.tlsPrivateKey.isEmpty {
            let missing = http.tlsCertificate.isEmpty ? "http.tlsCertificate" : "http.tlsPrivateKey"
            throw .conflict("\(missing) is missing: TLS needs both a certificate and its private key")
        }
        let media = settings.media
        if media.tcp, media.port == settings.http.port, media.port != 0 {
            throw .conflict(
                "media.port and http.port are both \(media.port): "
                    + "choose another one, or set media.tcp to false")
        }
    }
}

/// A value that some source gives to a key, not yet looked at.
struct Assignment {
    var setting: Setting
    var value: Value
    var source: SettingSource

    enum Value {
        case json(JSONValue)
        case text(String)
    }

    func apply(to settings: inout Settings) throws(ConfigurationError) {
        let parsed: JSONValue? =
            switch value {
            case .json(let value): value
            case .text(let text): setting.parse(text)
            }
        guard let parsed, setting.set(&settings, parsed) else {
            throw .notAllowed(key: setting.name, value: shown, allowed: setting.allowed, source)
        }
    }

    /// The value for an error message.
    private var shown: String? {
        if setting.isSecret { return nil }
        switch value {
        case .text(let text): return ConfigurationError.quoted(text)
        case .json(.string(let text)): return ConfigurationError.quoted(text)
        case .json(let value):
            let text = (try? value.text()).map { String(decoding: $0, as: UTF8.self) } ?? ""
            return text.count > 80 ? text.prefix(80) + "…" : text
        }
    }
}
