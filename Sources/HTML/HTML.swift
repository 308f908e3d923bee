/// A piece of a page, in which text is escaped where it isn't markup.
public struct HTML: ExpressibleByStringInterpolation, Sendable {
    /// Markup.
    public private(set) var source: String

    public init(stringLiteral source: String) { self.source = source }

    public init(stringInterpolation: StringInterpolation) { source = stringInterpolation.source }

    public init(_ parts: some Sequence<HTML>) {
        source = parts.map(\.source).joined()
    }

    /// Literals are markup; strings that are put in are text.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate(set) var source = ""

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) { source += literal }

        public mutating func appendInterpolation(_ text: String) { source += HTML.escape(text) }

        public mutating func appendInterpolation(_ number: Int) { source += String(number) }

        public mutating func appendInterpolation(_ html: HTML) { source += html.source }

        public mutating func appendInterpolation(_ parts: [HTML]) { source += parts.map(\.source).joined() }
    }

    /// What is between backticks as code.
    public static func prose(_ text: String) -> HTML {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        return HTML(
            parts.enumerated().map { index, part -> HTML in
                index.isMultiple(of: 2) ? "\(String(part))" : "<code>\(String(part))</code>"
            })
    }

    /// Text as it may stand between tags, and in quoted attributes.
    public static func escape(_ text: String) -> String {
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
