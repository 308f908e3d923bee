import Testing
import Wire

@Suite struct HeaderExtensionsTests {
    /// Two-byte form: id 1 with 2 bytes, padding, id 200 with none, id 15 with 1 byte.
    static let twoByte = hex("90 60 0001 00000001 00000001 1005 0003 0102AABB 00 C800 0F01 7F 0000")

    private func elements(of bytes: [UInt8]) throws -> [String] {
        let header = try RTPHeader.parse(bytes.span)
        var result: [String] = []
        var walk = HeaderExtensions(of: header)
        while let element = walk.next(in: bytes.span) {
            result.append("\(element.id)@\(element.offset)+\(element.length)")
        }
        return result
    }

    private func block(_ words: Int, _ text: String) -> [UInt8] {
        hex("90 60 0001 00000001 00000001 BEDE 000\(words)" + text)
    }

    @Test func `one-byte elements are found, padding is skipped`() throws {
        #expect(try elements(of: RTPHeaderTests.full) == ["1@21+1", "2@24+3"])
    }

    @Test func `two-byte elements may be empty and have id 15`() throws {
        #expect(try elements(of: Self.twoByte) == ["1@18+2", "200@23+0", "15@25+1"])
    }

    @Test func `id 15 ends the one-byte form`() throws {
        #expect(try elements(of: block(2, "10AA F0BB 20CC 0000")) == ["1@17+1"])
    }

    @Test func `id 0 with a length ends the one-byte form`() throws {
        #expect(try elements(of: block(2, "10AA 01BBBB 20CC00")) == ["1@17+1"])
    }

    @Test func `an element past the block's end isn't found, nor anything after it`() throws {
        #expect(try elements(of: block(1, "10AA 22BB") + [1, 2, 3, 4]) == ["1@17+1"])
        let twoByte = hex("90 60 0001 00000001 00000001 1000 0001 01FF0203 04050607")
        #expect(try elements(of: twoByte) == [])
        let headless = hex("90 60 0001 00000001 00000001 1000 0001 010100 02")
        #expect(try elements(of: headless) == ["1@18+1"])
    }

    @Test func `a block of an unknown profile has no elements`() throws {
        #expect(try elements(of: hex("90 60 0001 00000001 00000001 ABCD 0001 10AA0000")) == [])
    }

    @Test func `a packet shorter than the parsed one ends the walk`() throws {
        let bytes = RTPHeaderTests.full
        let header = try RTPHeader.parse(bytes.span)
        var walk = HeaderExtensions(of: header)
        let next = walk.next(in: bytes.span.extracting(..<20))
        #expect(next == nil)
    }

    @Test func `values are decoded`() throws {
        let bytes = hex("90 60 0001 00000001 00000001 BEDE 0004 10A5 21BEEF 32010203 4261 3162 00000000")
        let header = try RTPHeader.parse(bytes.span)
        var walk = HeaderExtensions(of: header)
        let packet = bytes.span
        let first = walk.next(in: packet)
        let level = first?.audioLevel(in: packet)
        let isNumber = first?.transportSequenceNumber(in: packet) != nil
        let isTime = first?.absoluteSendTime(in: packet) != nil
        #expect(level == AudioLevel(level: 0x25, isVoice: true))
        #expect(!isNumber && !isTime)
        let number = walk.next(in: packet)?.transportSequenceNumber(in: packet)
        #expect(number == SequenceNumber(0xBEEF))
        let time = walk.next(in: packet)?.absoluteSendTime(in: packet)
        #expect(time == 0x010203)
        let mid = walk.next(in: packet)?.shortID(in: packet)
        #expect(mid == ShortID("a1b"))
    }

    @Test(arguments: HeaderExtensionKind.allCases)
    func `every kind is found by its URI`(kind: HeaderExtensionKind) {
        #expect(HeaderExtensionKind(uri: kind.uri.description) == kind)
        #expect(HeaderExtensionKind(uri: kind.uri.description + "x") == nil)
    }

    @Test func `a map refuses ids and kinds that are taken, and ids 0, 15 and above 31`() {
        var map = HeaderExtensionMap()
        let results = [
            map.map(.mid, to: 3), map.map(.mid, to: 4), map.map(.rid, to: 3), map.map(.rid, to: 0),
            map.map(.rid, to: 15), map.map(.rid, to: 32), map.map(.audioLevel, to: 14),
        ]
        #expect(results == [true, false, false, false, false, false, true])
        #expect(map.id(of: .mid) == 3 && map.kind(of: 3) == .mid)
        #expect(map.id(of: .rid) == 0 && map.kind(of: 4) == nil)
        #expect(map.kind(of: 0) == nil && map.kind(of: 255) == nil)
        #expect(!map.needsTwoByteForm)
        let isMapped = map.map(.rid, to: 31)
        #expect(isMapped && map.needsTwoByteForm && map.kind(of: 31) == .rid)
    }
}

@Suite struct ShortIDTests {
    @Test(arguments: ["0", "hi", "12345678", "123456789", "0123456789abcdef"])
    func `a name comes back as it was`(text: String) throws {
        let id = try #require(ShortID(text))
        #expect(String(id) == text)
        #expect(id.count == text.utf8.count)
        let isSame = ShortID(Array(text.utf8).span) == id
        #expect(isSame)
    }

    @Test(arguments: ["", "0123456789abcdefg", "a b", "a\u{0}", "é", "\u{7F}"])
    func `what isn't 1 to 16 visible ASCII characters is no name`(text: String) {
        #expect(ShortID(text) == nil)
    }

    @Test func `different names differ`() {
        #expect(ShortID("a") != ShortID("aa"))
        #expect(ShortID("12345678") != ShortID("123456788"))
    }
}
