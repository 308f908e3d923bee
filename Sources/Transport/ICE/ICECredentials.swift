/// What a peer must know to have its connectivity checks accepted (RFC 8445 section 5.3).
public struct ICECredentials: Hashable, Sendable {
    public let ufrag: ICEUfrag
    /// 24 ICE characters, 144 random bits.
    public let password: String

    /// Draws new ones. That no other transport has the same ufrag is for the owner of the table to see to.
    ///
    /// - Parameter lane: 0 to `ICEUfrag.laneCount` − 1; found again in `ICEUfrag.lane`.
    public static func random(lane: Int = 0) throws(TransportError) -> ICECredentials {
        let bytes = try OpenSSL.randomBytes(8 + 24)
        var number: UInt64 = 0
        for index in 0..<8 { number = number << 8 | UInt64(bytes[index]) }
        var password = ""
        for index in 8..<bytes.count {
            password.unicodeScalars.append(Unicode.Scalar(ICECharacter.encode(bytes[index])))
        }
        return ICECredentials(ufrag: ICEUfrag(lane: lane, random: number), password: password)
    }
}
