/// The names that a source knows keys by, and the one that was probably meant by a name that it doesn't know.
struct KnownNames {
    private let settings: [String: Setting]
    private let names: [String]

    /// Names without a setting are only there to be suggested.
    init(_ names: [(String, Setting?)]) {
        self.names = names.map(\.0)
        settings = Dictionary(names.compactMap { name, setting in setting.map { (name, $0) } }) { $1 }
    }

    subscript(name: String) -> Setting? {
        settings[name]
    }

    func unknown(_ name: String, _ source: SettingSource) -> ConfigurationError {
        .unknownKey(name, nearest: NearestName.nearest(to: name, among: names), source)
    }
}
