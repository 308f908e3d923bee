import Testing
import Wire
import TestSupport

@Suite struct NackTests {
    /// 65534, 65535, 0 (over the wrap), 14 (the last one the mask reaches), and 100 alone.
    static let message = hex("81CD0004 00000001 00000002 FFFE8003 00640000")

    private func numbers(of bytes: [UInt8]) throws -> [UInt16] {
        var nack = try Nack.parse(bytes.span)
        var result: [UInt16] = []
        while let number = nack.next(in: bytes.span) { result.append(number.rawValue) }
        return result
    }

    @Test func `numbers are read over the wrap`() throws {
        #expect(try numbers(of: Self.message) == [65_534, 65_535, 0, 14, 100])
        let bytes = Self.message
        let nack = try Nack.parse(bytes.span)
        #expect(nack.sender == SSRC(1) && nack.media == SSRC(2))
    }

    @Test func `a sorted list is packed into masks`() throws {
        var bytes = [UInt8](repeating: 0, count: 20)
        var span = bytes.mutableSpan
        let missing = [65_534, 65_535, 0, 14, 100].map { SequenceNumber(UInt16($0)) }
        let written = try Nack.write(sender: SSRC(1), media: SSRC(2), missing.span, into: &span, at: 0)
        #expect(written.length == 20 && written.count == 5)
        #expect(bytes == Self.message)
    }

    @Test func `a list that doesn't fit is written in parts`() throws {
        let missing = (0..<50).map { SequenceNumber(UInt16($0 * 20)) }
        var found: [UInt16] = []
        var rest = missing
        var messages = 0
        while !rest.isEmpty {
            var bytes = [UInt8](repeating: 0, count: 100)
            var span = bytes.mutableSpan
            let written = try Nack.write(sender: SSRC(1), media: SSRC(2), rest.span, into: &span, at: 0)
            rest.removeFirst(written.count)
            found += try numbers(of: Array(bytes.prefix(written.length)))
            messages += 1
        }
        #expect(found == missing.map(\.rawValue))
        #expect(messages == 3)
    }

    @Test func `an empty list writes nothing, a full buffer is refused`() throws {
        var bytes = [UInt8](repeating: 0, count: 15)
        var span = bytes.mutableSpan
        let none: [SequenceNumber] = []
        let one = [SequenceNumber(1)]
        let empty = try Nack.write(sender: SSRC(1), media: SSRC(2), none.span, into: &span, at: 0)
        #expect(empty.length == 0)
        let error = outcome { () throws(RTCPError) in
            _ = try Nack.write(sender: SSRC(1), media: SSRC(2), one.span, into: &span, at: 0)
        }
        #expect(error == .noSpace)
    }

    @Test func `random lists come back as they were`() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            var number = SequenceNumber(UInt16.random(in: .min ... .max, using: &generator))
            var missing: [SequenceNumber] = []
            for _ in 0..<Int.random(in: 1...60, using: &generator) {
                missing.append(number)
                number = number.advanced(by: Int.random(in: 1...30, using: &generator))
            }
            var bytes = [UInt8](repeating: 0, count: 300)
            var span = bytes.mutableSpan
            let written = try Nack.write(sender: SSRC(1), media: SSRC(2), missing.span, into: &span, at: 0)
            #expect(written.count == missing.count)
            let found = try numbers(of: Array(bytes.prefix(written.length)))
            #expect(found == missing.map(\.rawValue))
        }
    }
}
