/// Text of the page, escaped where it isn't markup.
struct HTML: ExpressibleByStringInterpolation, Sendable {
    /// Markup.
    private(set) var source: String

    init(stringLiteral source: String) { self.source = source }

    init(stringInterpolation: StringInterpolation) { source = stringInterpolation.source }

    init(_ parts: some Sequence<HTML>) {
        source = parts.map(\.source).joined()
    }

    /// Literals are markup; strings that are put in are text.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate(set) var source = ""

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) { source += literal }

        mutating func appendInterpolation(_ text: String) { source += HTML.escape(text) }

        mutating func appendInterpolation(_ number: Int) { source += String(number) }

        mutating func appendInterpolation(_ html: HTML) { source += html.source }

        mutating func appendInterpolation(_ parts: [HTML]) { source += parts.map(\.source).joined() }
    }

    /// What is between backticks as code.
    static func prose(_ text: String) -> HTML {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        return HTML(
            parts.enumerated().map { index, part -> HTML in
                index.isMultiple(of: 2) ? "\(String(part))" : "<code>\(String(part))</code>"
            })
    }

    private static func escape(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
