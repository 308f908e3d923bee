/// Writes bit fields the way the specification's tables list them.
public struct BitFields {
    private var bits: [Bool] = []

    public init() {}

    public mutating func append(_ value: Int, _ count: Int) {
        for index in (0..<count).reversed() { bits.append(value >> index & 1 != 0) }
    }

    public var bytes: [UInt8] {
        var padded = bits
        while padded.count % 8 != 0 { padded.append(false) }
        return stride(from: 0, to: padded.count, by: 8).map { start in
            (0..<8).reduce(UInt8(0)) { $0 << 1 | (padded[start + $1] ? 1 : 0) }
        }
    }
}
