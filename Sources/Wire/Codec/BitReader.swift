/// Reads numbers of 1 to 32 bits, highest bit first.
///
/// Past the end it gives zeros and remembers that: a parser tests `isExhausted` once in a while, and not at each bit.
struct BitReader: BitwiseCopyable {
    /// Bits read so far.
    private(set) var position = 0
    private let end: Int
    /// More bits were asked for than there are.
    private(set) var isExhausted = false

    init(bitCount: Int) {
        end = bitCount
    }

    mutating func read(_ count: Int, in bytes: Span<UInt8>) -> UInt32 {
        guard count <= end - position else {
            isExhausted = true
            position = end
            return 0
        }
        var value: UInt32 = 0
        for _ in 0..<count {
            let bit = bytes[position >> 3] >> UInt8(7 - (position & 7)) & 1
            value = value << 1 | UInt32(bit)
            position += 1
        }
        return value
    }

    mutating func readFlag(in bytes: Span<UInt8>) -> Bool {
        read(1, in: bytes) != 0
    }

    /// A number below `bound` (1 to 64) in as few bits as that takes: `ns(n)` of the AV1 specification.
    mutating func readNonSymmetric(below bound: Int, in bytes: Span<UInt8>) -> Int {
        let width = Int.bitWidth - bound.leadingZeroBitCount
        let short = (1 << width) - bound
        let value = Int(read(width - 1, in: bytes))
        guard value >= short else { return value }
        return (value << 1) - short + Int(read(1, in: bytes))
    }

    /// An Exp-Golomb code of at most 32 bits: `ue(v)` of H.264 section 9.1.
    mutating func readExpGolomb(in bytes: Span<UInt8>) -> UInt32 {
        var zeros = 0
        while zeros < 32, !isExhausted, !readFlag(in: bytes) { zeros += 1 }
        guard zeros < 32, !isExhausted else {
            isExhausted = true
            return 0
        }
        return zeros == 0 ? 0 : (1 << UInt32(zeros)) - 1 + read(zeros, in: bytes)
    }
}
