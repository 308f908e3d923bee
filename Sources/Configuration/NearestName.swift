/// Finds the name that was probably meant by one that there isn't.
public enum NearestName {
    /// The one of `names` that the fewest edits lead to, if they are few: at most one in four characters, and three.
    /// Upper and lower case don't matter, and what all names begin with doesn't count. O(names · length²).
    public static func nearest(to name: String, among names: [String]) -> String? {
        // Nobody mistypes a name by more: what follows doesn't count, and costs nothing.
        let written = Array(name.lowercased().utf8.prefix(80))
        let distances = names.map { ($0, editDistance(written, Array($0.lowercased().utf8))) }
        guard let (nearest, distance) = distances.min(by: { $0.1 < $1.1 }) else { return nil }
        return distance <= min(3, max(0, written.count - commonPrefix(of: names)) / 4) ? nearest : nil
    }

    /// How many characters all names begin with, such as `ROSTRUM_`: who writes them has mistyped nothing yet.
    private static func commonPrefix(of names: [String]) -> Int {
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
