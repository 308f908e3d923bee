@testable import Wire

/// The messages of RFC 5769, made with the password `VOkJxbRl1RmTxUk/WvJxBt`.
enum STUNVectors {
    /// Section 2.1: a request of `evtj:h6vY` in the controlled role.
    static let request = bytes(
        """
        00010058 2112a442 b7e7a701 bc34d686 fa87dfae 80220010 5354554e 20746573 7420636c 69656e74 00240004
        6e0001ff 80290008 932ff9b1 51263b36 00060009 6576746a 3a683676 59202020 00080014 9aeaa70c bfd8cb56
        781ef2b5 b2d3f249 c1b571a2 80280004 e57a3bcf
        """)
    /// Section 2.2: a response with 192.0.2.1:32853.
    static let responseIPv4 = bytes(
        """
        0101003c 2112a442 b7e7a701 bc34d686 fa87dfae 8022000b 74657374 20766563 746f7220 00200008 0001a147
        e112a643 00080014 2b91f599 fd9e90c3 8c7489f9 2af9ba53 f06be7d7 80280004 c07d4c96
        """)
    /// Section 2.3: a response with [2001:db8:1234:5678:11:2233:4455:6677]:32853.
    static let responseIPv6 = bytes(
        """
        01010048 2112a442 b7e7a701 bc34d686 fa87dfae 8022000b 74657374 20766563 746f7220 00200014 0002a147
        0113a9fa a5d3f179 bc25f4b5 bed2b9d9 00080014 a382954e 4be67bf1 1784c97c 8292c275 bfe3ed41 80280004
        c8fb0b4c
        """)

    /// Reads hexadecimal digits in any grouping.
    static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

/// Reads an array: expectations can't hold spans.
func readRequest(_ bytes: [UInt8]) throws(STUNError) -> STUNBindingRequest {
    try STUNBindingRequest(bytes.span)
}

/// Reads an array: expectations can't hold spans.
func readResponse(_ bytes: [UInt8]) throws(STUNError) -> STUNBindingResponse {
    try STUNBindingResponse(bytes.span)
}

/// Reads an array: expectations can't hold spans.
func localUfrag(_ bytes: [UInt8]) -> Range<Int>? {
    STUNBindingRequest.localUfrag(in: bytes.span)
}
