import CLinux
public import Wire

extension SocketAddress {
    /// Parses "127.0.0.1:3478" or "[::1]:3478"; nil for anything else, names included.
    ///
    /// A link-local address may carry its scope as a number: "[fe80::1%2]:3478".
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(digits)
        else { return nil }
        var host = text[..<colon]
        if host.first == "[" {
            guard host.last == "]" else { return nil }
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { return nil }
        } else if host.contains(":") {
            return nil
        }
        self.init(host: String(host), port: port)
    }

    /// Parses an address without a port: "0.0.0.0", "::", "fe80::1%2"; nil for anything else.
    public init?(host: String, port: UInt16) {
        var name = host[...]
        var scope: UInt32 = 0
        if let percent = host.lastIndex(of: "%") {
            guard let number = UInt32(host[host.index(after: percent)...]) else { return nil }
            scope = number
            name = host[..<percent]
        }
        // A zero byte would end the C string early and hide what follows it.
        guard name.utf8.count < 64, !name.utf8.contains(0) else { return nil }
        var parsed = cl_address()
        guard unsafe cl_parse_address(String(name), &parsed) == 0 else { return nil }
        self.init(high: parsed.high, low: parsed.low, scope: scope, port: port)
        if isIPv4 && scope != 0 { return nil }
    }

    /// The address without its port: "127.0.0.1", "::1", "fe80::1%2".
    public var hostText: String {
        var address = native
        let host = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            guard let start = text.baseAddress else { return "" }
            unsafe cl_print_address(&address, start)
            return unsafe String(cString: start)
        }
        return scope == 0 ? host : "\(host)%\(scope)"
    }

    /// The address and its port: "127.0.0.1:3478", "[::1]:3478".
    public var text: String {
        isIPv4 ? "\(hostText):\(port)" : "[\(hostText)]:\(port)"
    }
}

extension SocketAddress {
    /// Reachable on one link only: fe80::/10 or 169.254.0.0/16.
    public var isLinkLocal: Bool {
        isIPv4 ? ipv4 >> 16 == 0xa9fe : high >> 54 == 0xfe80 >> 6
    }

    var native: cl_address {
        cl_address(high: high, low: low, scope: scope, port: port)
    }

    init(_ native: cl_address) {
        self.init(high: native.high, low: native.low, scope: native.scope, port: native.port)
    }
}
