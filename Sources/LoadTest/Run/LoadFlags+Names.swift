import Configuration

extension LoadFlags {
    /// Flags that stand alone.
    static let switches: Set = [
        "--quiet", "--no-transport-cc", "--no-rtx", "--dtx", "--publishers-only-send",
    ]

    /// Flags that have a value behind them.
    static let valued: Set = [
        "--server", "--key", "--forwarder", "--json", "--csv", "--html", "--session", "--server-pid",
        "--workers",
        "--seed", "--sample", "--expect", "--sessions", "--places", "--participants", "--publishers",
        "--seats",
        "--simulcast", "--temporal-layers", "--spatial-layers", "--bitrate", "--audio-bitrate", "--fps",
        "--speakers", "--turn", "--duration", "--settle", "--ramp", "--churn", "--srtp-suite", "--codec",
        "--viewports",
        "--layout", "--moderator", "--chaos", "--calls", "--talk", "--requests", "--loss", "--delay",
        "--jitter",
        "--rate",
    ]

    static func unknown(_ name: String) -> LoadError {
        let meant = NearestName.nearest(to: name, among: (switches.union(valued)).sorted())
        return .invalid(
            "unknown flag \(name)" + (meant.map { ", did you mean \($0)?" } ?? ", see rostrum-load --help"))
    }

    /// Flags and values in the order in which they stand, and the scenario among them, if there is one.
    static func split(
        _ arguments: [String]
    ) throws(LoadError) -> (given: [(name: String, value: String)], scenario: String?) {
        var left = arguments[...]
        var given: [(name: String, value: String)] = []
        var scenario: String?
        while let argument = left.popFirst() {
            guard argument.hasPrefix("-") else {
                guard scenario == nil else { throw .invalid("two scenarios: there can be one") }
                scenario = argument
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if switches.contains(name) {
                given.append((name, ""))
                continue
            }
            guard valued.contains(name) else { throw unknown(name) }
            guard let value = parts.count > 1 ? String(parts[1]) : left.popFirst() else {
                throw .invalid("\(name) needs a value")
            }
            given.append((name, value))
        }
        return (given, scenario)
    }
}
