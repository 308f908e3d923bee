import Testing

@testable import Wire

struct STUNBindingResponseTests {
    private static let ipv4 = SocketAddress(ipv4: 0xc000_0201, port: 32_853)
    private static let ipv6 = SocketAddress(
        high: 0x2001_0db8_1234_5678, low: 0x0011_2233_4455_6677, port: 32_853)

    @Test func `the responses of RFC 5769 carry the addresses they should`() throws {
        let response = try readResponse(STUNVectors.responseIPv4)
        #expect(response.mappedAddress == Self.ipv4)
        #expect(response.errorCode == nil)
        #expect(response.integrity?.offset == 48)
        #expect(try readResponse(STUNVectors.responseIPv6).mappedAddress == Self.ipv6)
    }

    @Test(arguments: [ipv4, ipv6])
    func `a written address is read back`(address: SocketAddress) throws {
        var bytes = [UInt8](repeating: 0xff, count: 200)
        var span = bytes.mutableSpan
        var writer = STUNWriter(.bindingSuccess, STUNTransactionID(high: 3, low: 4), into: &span)
        writer.appendXORMappedAddress(address, into: &span)
        writer.appendFingerprint(into: &span)
        let response = try readResponse(Array(bytes[..<writer.count]))
        #expect(response.mappedAddress == address)
        #expect(response.transactionID == STUNTransactionID(high: 3, low: 4))
        #expect(response.integrity == nil)
    }

    @Test(arguments: [300, 420, 487, 699])
    func `a written error code is read back`(code: Int) throws {
        var bytes = [UInt8](repeating: 0xff, count: 200)
        var span = bytes.mutableSpan
        var writer = STUNWriter(.bindingError, STUNTransactionID(high: 3, low: 4), into: &span)
        writer.appendErrorCode(code, into: &span)
        writer.appendFingerprint(into: &span)
        #expect(try readResponse(Array(bytes[..<writer.count])).errorCode == code)
    }

    @Test func `an error response without a code is refused`() {
        var bytes = [UInt8](repeating: 0, count: 28)
        var span = bytes.mutableSpan
        var writer = STUNWriter(.bindingError, STUNTransactionID(high: 3, low: 4), into: &span)
        writer.appendFingerprint(into: &span)
        #expect(throws: STUNError.malformed) { try readResponse(bytes) }
    }

    @Test func `a message that doesn't fit is given up, and nothing is written past the end`() {
        for capacity in 0..<64 {
            var bytes = [UInt8](repeating: 0, count: capacity)
            var span = bytes.mutableSpan
            var writer = STUNWriter(.bindingSuccess, STUNTransactionID(high: 3, low: 4), into: &span)
            writer.appendXORMappedAddress(Self.ipv4, into: &span)
            _ = writer.appendIntegrity(into: &span)
            writer.appendFingerprint(into: &span)
            #expect(writer.count == 0)
        }
    }
}
