import TestSupport

/// The bytes that hex digits stand for; blanks and line ends are left out.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// Hostile inputs: random bytes, and valid packets with some bytes changed and the end cut off or random bytes added.
struct HostileInputs {
    private var generator: SeededGenerator
    private let samples: [[UInt8]]

    init(seed: UInt64, changing samples: [[UInt8]]) {
        generator = SeededGenerator(seed: seed)
        self.samples = samples
    }

    mutating func next() -> [UInt8] {
        let choice = generator.next()
        guard choice & 3 != 0, let sample = samples.randomElement(using: &generator) else {
            let count = Int(choice >> 8 & 63)
            return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        }
        var bytes = sample
        for _ in 0..<(1 + choice >> 8 & 3) where !bytes.isEmpty {
            let place = Int(generator.next() % UInt64(bytes.count))
            bytes[place] = UInt8(truncatingIfNeeded: generator.next())
        }
        if choice & 4 != 0 { bytes.removeLast(min(bytes.count, Int(choice >> 16 & 15))) }
        if choice & 8 != 0 { bytes.append(UInt8(truncatingIfNeeded: choice >> 24)) }
        return bytes
    }
}
