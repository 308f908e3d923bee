/// Reads the space-separated fields of one line's value.
///
/// It works on bytes: in a Swift `String` a combining mark would merge with the delimiter before it.
struct SDPFields {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        self.position = bytes.startIndex
    }

    /// Whether nothing but spaces is left.
    var isAtEnd: Bool { bytes[position...].allSatisfy { $0 == UInt8(ascii: " ") } }

    /// Bytes up to the next space, which is skipped with those that follow it; nil at the end.
    mutating func word() -> ArraySlice<UInt8>? {
        skipSpaces()
        guard position < bytes.endIndex else { return nil }
        let rest = bytes[position...]
        let end = rest.firstIndex(of: UInt8(ascii: " ")) ?? bytes.endIndex
        position = end
        return bytes[rest.startIndex..<end]
    }

    mutating func text() -> String? {
        word().map { String(decoding: $0, as: UTF8.self) }
    }

    /// The next field as a token (RFC 8866 section 9); nil at the end or for other characters.
    mutating func token() -> String? {
        word().flatMap(SDPFields.token)
    }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number? {
        guard let word = word() else { return nil }
        return SDPFields.number(word)
    }

    /// Everything that is left, without spaces at its ends.
    mutating func rest() -> ArraySlice<UInt8> {
        let rest = SDPFields.trimmed(bytes[position...])
        position = bytes.endIndex
        return rest
    }

    /// The fields that are left.
    mutating func remainingTexts() -> [String] {
        var result: [String] = []
        while let text = text() { result.append(text) }
        return result
    }

    private mutating func skipSpaces() {
        while position < bytes.endIndex, bytes[position] == UInt8(ascii: " ") { position += 1 }
    }

    /// A decimal number without sign; nil if there is anything but digits, or if it doesn't fit.
    static func number<Number: FixedWidthInteger>(_ digits: ArraySlice<UInt8>) -> Number? {
        guard !digits.isEmpty else { return nil }
        var value: Number = 0
        for digit in digits {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9"),
                let figure = Number(exactly: digit - UInt8(ascii: "0"))
            else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(figure)
            guard !overflow, !carry else { return nil }
            value = sum
        }
        return value
    }

    static func token(_ bytes: ArraySlice<UInt8>) -> String? {
        guard !bytes.isEmpty, bytes.allSatisfy(isTokenByte) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// 1 to 16 letters, digits, '-' and '_' (RFC 8851 section 10): what fits a one-byte header extension.
    static func rid(_ bytes: ArraySlice<UInt8>) -> String? {
        guard (1...16).contains(bytes.count), bytes.allSatisfy(isRIDByte) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Letters, digits, '+' and '/' (RFC 8839 section 5.4); '-', '_' and '=' too, which some stacks use.
    static func iceString(_ bytes: ArraySlice<UInt8>, count: ClosedRange<Int>) -> String? {
        guard count.contains(bytes.count),
            bytes.allSatisfy({ isRIDByte($0) || "+/=".utf8.contains($0) })
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var result = bytes
        while result.first == UInt8(ascii: " ") { result.removeFirst() }
        while result.last == UInt8(ascii: " ") { result.removeLast() }
        return result
    }

    /// Splits at the first `separator`; the second part is nil if there is none.
    static func halves(
        _ bytes: ArraySlice<UInt8>, at separator: UInt8
    ) -> (ArraySlice<UInt8>, ArraySlice<UInt8>?) {
        guard let index = bytes.firstIndex(of: separator) else { return (bytes, nil) }
        return (bytes[..<index], bytes[(index + 1)...])
    }

    /// `name=value` parts between semicolons; nil if a part has no name.
    static func parameters(_ bytes: ArraySlice<UInt8>) -> FormatParameters? {
        var list: [FormatParameters.Parameter] = []
        for part in bytes.split(separator: UInt8(ascii: ";")) {
            let part = trimmed(part)
            if part.isEmpty { continue }
            let (name, value) = halves(part, at: UInt8(ascii: "="))
            let trimmedName = trimmed(name)
            guard !trimmedName.isEmpty else { return nil }
            let text = value.map { String(decoding: trimmed($0), as: UTF8.self) }
            list.append(.init(name: String(decoding: trimmedName, as: UTF8.self), value: text))
        }
        return FormatParameters(list)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x27, 0x2a, 0x2b, 0x2d, 0x2e, 0x30...0x39, 0x41...0x5a, 0x5e...0x7e: true
        default: false
        }
    }

    private static func isRIDByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x5f: true
        default: false
        }
    }
}
