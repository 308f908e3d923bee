/// What the peer's SDP says about its side of ICE: `a=ice-ufrag` and `a=ice-pwd` (RFC 8839 section 5.4).
public struct RemoteICECredentials: Hashable, Sendable {
    /// 4 to 256 ICE characters.
    public var ufrag: String
    /// 22 to 256 ICE characters.
    public var password: String

    public init(ufrag: String, password: String) {
        self.ufrag = ufrag
        self.password = password
    }
}
