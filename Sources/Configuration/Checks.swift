import Glibc

/// Which texts are IP addresses. Names aren't: nothing here asks a DNS server.
enum Address {
    static let allowed = "an IP address, or empty"

    static func isEmptyOrAddress(_ text: String) -> Bool {
        text.isEmpty || isAddress(text)
    }

    static func isAddress(_ text: String) -> Bool {
        var v4 = in_addr()
        var v6 = in6_addr()
        guard !text.utf8.contains(0) else { return false }
        return unsafe inet_pton(AF_INET, text, &v4) == 1 || inet_pton(AF_INET6, text, &v6) == 1
    }
}

/// Which texts are origins (RFC 6454): scheme, host and perhaps port, and no path.
enum Origin {
    static func isOriginOrAny(_ text: String) -> Bool {
        if text == "*" { return true }
        for scheme in ["https://", "http://"] where text.hasPrefix(scheme) {
            let host = text.dropFirst(scheme.count)
            return !host.isEmpty && host.utf8.allSatisfy(isHostCharacter)
        }
        return false
    }

    /// Of a host, a port, or an IPv6 address in brackets.
    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: ".-:[]".utf8.contains(byte)
        }
    }
}
