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
        .unknownKey(name, nearest: nearest(to: name), source)
    }

    /// The one that the fewest edits lead to, if they are few: at most one in four characters, and three. Upper and
    /// lower case don't matter.
    private func nearest(to name: String) -> String? {
        // Nobody mistypes a name by more: what follows doesn't count, and costs nothing.
        let written = Array(name.lowercased().utf8.prefix(80))
        let distances = names.map { ($0, editDistance(written, Array($0.lowercased().utf8))) }
        guard let (name, distance) = distances.min(by: { $0.1 < $1.1 }) else { return nil }
        return distance <= min(3, max(0, written.count - commonPrefix) / 4) ? name : nil
    }

    /// How many characters all names begin with, such as `ROSTRUM_`: who writes them has mistyped nothing yet.
    private var commonPrefix: Int {
        guard let first = names.min(), let last = names.max() else { return 0 }
        return zip(first.utf8, last.utf8).prefix { $0 == $1 }.count
    }
}

/// How many insertions, removals and replacements of a byte make one of the other (Levenshtein). O(n·m).
func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, b) in right.enumerated() {
            let replaced = diagonal + (a == b ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
        }
    }
    return row[right.count]
}
