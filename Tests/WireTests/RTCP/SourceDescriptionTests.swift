import Testing
import Wire

@Suite struct SourceDescriptionTests {
    private func items(of bytes: [UInt8]) throws -> [String] {
        var walk = try SourceDescription.parse(bytes.span)
        var result: [String] = []
        while let item = try walk.next(in: bytes.span) {
            result.append(
                "\(item.ssrc.rawValue)/\(item.type)/\(String(decoding: bytes[item.range], as: UTF8.self))")
        }
        return result
    }

    @Test func `items of several chunks are found`() throws {
        let bytes = hex("82CA0006 00000001 0102 6162 0201 63 00 00000002 0103 646566 000000 00000000")
        #expect(try items(of: bytes) == ["1/1/ab", "1/2/c", "2/1/def"])
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 255])
    func `a canonical name of any length comes back as it was`(length: Int) throws {
        var bytes = [UInt8](repeating: 0xEE, count: 300)
        let name = [UInt8](repeating: 0x61, count: length)
        var span = bytes.mutableSpan
        let written = try SourceDescription.write(ssrc: SSRC(7), cname: name.span, into: &span, at: 4)
        #expect(written % 4 == 0)
        let message = Array(bytes[4..<(4 + written)])
        var reader = RTCPReader()
        let packet = try reader.next(in: message.span)
        #expect(packet?.length == written)
        #expect(try items(of: message) == ["7/1/" + String(repeating: "a", count: length)])
        // At least one zero byte ends the list.
        #expect(message.last == 0)
    }

    @Test(arguments: [
        "81CA0000", "81CA0001 00000001", "81CA0002 00000001 01050000", "81CA0002 00000001 01026162",
    ])
    func `a chunk or an item past the end is refused`(text: String) {
        #expect(throws: RTCPError.truncated) { try items(of: hex(text)) }
    }

    @Test func `goodbye names its sources`() throws {
        var bytes = [UInt8](repeating: 0, count: 12)
        var span = bytes.mutableSpan
        let sources = [SSRC(5), SSRC(6)]
        let length = try Goodbye.write(sources.span, into: &span, at: 0)
        #expect(length == 12)
        #expect(bytes == hex("82CB0002 00000005 00000006"))
        let goodbye = try Goodbye.parse(bytes.span)
        let found = (0..<goodbye.count).map { goodbye.ssrc($0, in: bytes.span) }
        #expect(found == sources)
        #expect(throws: RTCPError.truncated) { try Goodbye.parse(hex("83CB0002 00000005 00000006").span) }
    }
}
