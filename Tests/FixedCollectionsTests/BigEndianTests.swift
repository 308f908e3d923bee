import FixedCollections
import Testing

@Suite struct BigEndianTests {
    @Test func `numbers are read as they were stored, at every offset`() {
        var bytes = FixedArray<UInt8>(repeating: 0xee, count: 24)
        for offset in 0...16 {
            var span = bytes.mutableSpan
            span.storeBigEndian(UInt64(0x0102_0304_0506_0708), at: offset)
            let (eight, four, two) = (
                span.loadBigEndian(at: offset, as: UInt64.self),
                span.loadBigEndian(at: offset + 2, as: UInt32.self),
                span.loadBigEndian(at: offset + 6, as: UInt16.self)
            )
            #expect(eight == 0x0102_0304_0506_0708)
            #expect(four == 0x0304_0506)
            #expect(two == 0x0708)
        }
    }

    @Test func `a copy changes its own bytes only`() {
        let source = FixedArray<UInt8>(repeating: 7, count: 5)
        var target = FixedArray<UInt8>(repeating: 1, count: 12)
        var span = target.mutableSpan
        span.copy(source.span, to: 4)
        span.copy(source.span.extracting(0..<0), to: 12)
        let read = (0..<12).map { target[$0] }
        #expect(read == [1, 1, 1, 1, 7, 7, 7, 7, 7, 1, 1, 1])
    }

    @Test(arguments: [-1, 13, Int.max, Int.min])
    func `what doesn't fit traps`(offset: Int) async {
        await #expect(processExitsWith: .failure) { [offset] in
            var bytes = FixedArray<UInt8>(repeating: 0, count: 16)
            var span = bytes.mutableSpan
            span.storeBigEndian(UInt32(1), at: offset)
        }
        await #expect(processExitsWith: .failure) { [offset] in
            let bytes = FixedArray<UInt8>(repeating: 0, count: 16)
            _ = bytes.span.loadBigEndian(at: offset, as: UInt32.self)
        }
        await #expect(processExitsWith: .failure) { [offset] in
            let source = FixedArray<UInt8>(repeating: 0, count: 4)
            var bytes = FixedArray<UInt8>(repeating: 0, count: 16)
            var span = bytes.mutableSpan
            span.copy(source.span, to: offset)
        }
    }
}
