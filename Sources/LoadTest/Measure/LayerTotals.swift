/// Pictures received, by the encoding or layer that they are of: what tells whether viewers get different ones.
public struct LayerTotals: Sendable, Equatable {
    /// By simulcast encoding, the largest first, as offers list them.
    public private(set) var encodings: [UInt64] = [0, 0, 0]
    /// By spatial and by temporal layer, the lowest first.
    public private(set) var spatial: [UInt64] = [0, 0, 0]
    public private(set) var temporal: [UInt64] = [0, 0, 0]

    mutating func count(_ stamp: Stamp) {
        encodings[Int(min(2, max(1, stamp.publication & 7) - 1))] += 1
        spatial[Int(min(2, stamp.spatial))] += 1
        temporal[Int(min(2, stamp.temporal))] += 1
    }

    mutating func combine(_ other: LayerTotals, _ number: (UInt64, UInt64) -> UInt64) {
        for index in 0..<3 {
            encodings[index] = number(encodings[index], other.encodings[index])
            spatial[index] = number(spatial[index], other.spatial[index])
            temporal[index] = number(temporal[index], other.temporal[index])
        }
    }
}

/// Notices when a seat gets other layers of the same encoding than before.
struct LayerWatch {
    /// Pictures in which each layer that is sent occurs.
    private static let window = 16

    private var highest = 0
    private var seen = 0
    private var settled: Int?

    /// Takes the first packet of a picture; whether the highest layer is another one than it was.
    mutating func note(_ stamp: Stamp) -> Bool {
        highest = max(highest, Int(stamp.spatial) << 2 | Int(stamp.temporal))
        seen += 1
        guard seen >= Self.window else { return false }
        defer { (highest, seen, settled) = (0, 0, highest) }
        return settled.map { $0 != highest } ?? false
    }
}
