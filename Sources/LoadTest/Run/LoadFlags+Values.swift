/// What stands behind a flag.
extension LoadFlags {
    static func integer(
        _ name: String, _ text: String, _ range: ClosedRange<Int> = 0...Int(Int32.max)
    ) throws(LoadError) -> Int {
        guard let value = Int(text), range.contains(value) else {
            throw .invalid("\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// The unit may be left out.
    static func number(
        _ name: String, _ text: String, ending unit: String = "s"
    ) throws(LoadError) -> Double {
        let digits = text.hasSuffix(unit) ? text.dropLast(unit.count) : text[...]
        guard let value = Double(digits), value.isFinite else {
            throw .invalid("\(name) must be a number")
        }
        return value
    }

    /// `1.2M`, `300k` or plain bits a second.
    static func bitrate(_ name: String, _ text: String) throws(LoadError) -> Int {
        let factor: Double = text.hasSuffix("M") ? 1e6 : text.hasSuffix("k") ? 1e3 : 1
        let digits = factor == 1 ? text[...] : text.dropLast()
        guard let value = Double(digits), value >= 0, value * factor < 1e9 else {
            throw .invalid("\(name) must be bits a second, such as 1.2M or 300k")
        }
        return Int(value * factor)
    }

    /// `mutes=30,hands=60`: any of the names.
    static func rates(
        _ name: String, _ text: String, _ known: [String]
    ) throws(LoadError) -> [String: Double] {
        var result: [String: Double] = [:]
        for part in text.split(separator: ",") {
            let sides = part.split(separator: "=").map(String.init)
            guard sides.count == 2, known.contains(sides[0]), let rate = Double(sides[1]), rate.isFinite
            else {
                throw .invalid("\(name) must be \(known.map { "\($0)=A-MINUTE" }.joined(separator: ","))")
            }
            result[sides[0]] = rate
        }
        return result
    }

    /// `audio=2,video=1`, either part or both.
    static func pair(_ name: String, _ text: String) throws(LoadError) -> [String: Int] {
        var result: [String: Int] = [:]
        for part in text.split(separator: ",") {
            let sides = part.split(separator: "=")
            guard sides.count == 2, sides[0] == "audio" || sides[0] == "video", let count = Int(sides[1])
            else {
                throw .invalid("\(name) must be audio=N,video=N")
            }
            result[String(sides[0])] = count
        }
        return result
    }
}
