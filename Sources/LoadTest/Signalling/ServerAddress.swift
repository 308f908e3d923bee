/// Where a server listens.
struct ServerAddress: Equatable {
    var host: String
    var port: Int
    var isSecure: Bool

    /// Reads `http://HOST[:PORT]` or `https://…`; nil for anything else.
    init?(_ text: String) {
        let rest: Substring
        if text.hasPrefix("http://") {
            (rest, isSecure) = (text.dropFirst(7), false)
        } else if text.hasPrefix("https://") {
            (rest, isSecure) = (text.dropFirst(8), true)
        } else {
            return nil
        }
        let authority = rest.prefix { $0 != "/" }
        guard let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") else {
            (host, port) = (String(authority), isSecure ? 443 : 80)
            guard !host.isEmpty else { return nil }
            return
        }
        guard let number = UInt16(authority[authority.index(after: colon)...]), number > 0 else { return nil }
        var name = authority[..<colon]
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        guard !name.isEmpty else { return nil }
        (host, port) = (String(name), Int(number))
    }

    /// Reads what stands behind `--server`.
    init(of text: String) throws(LoadError) {
        guard let address = ServerAddress(text) else {
            throw .invalid("--server \(text): it must be http://HOST:PORT")
        }
        self = address
    }
}
