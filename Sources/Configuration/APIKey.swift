import JSON

/// A secret that back ends show, and that signs tokens.
public struct APIKey: Sendable, Equatable, Codable {
    /// 1 to 100 of `A-Z a-z 0-9 _ . : @ -`; what `iss` of a token names.
    public var id: String
    /// At least 16 characters, shorter only for the development key.
    public var secret: String

    public init(id: String, secret: String) {
        self.id = id
        self.secret = secret
    }

    /// The id that marks a key as being for development.
    public static let developmentID = "dev"

    static let shortestSecret = 16

    /// Whether these may be the keys of one server: each of them sound, and no id twice.
    static func areSound(_ keys: [APIKey]) -> Bool {
        keys.allSatisfy(\.isSound) && Set(keys.map(\.id)).count == keys.count
    }

    private var isSound: Bool {
        guard (1...100).contains(id.utf8.count), id.utf8.allSatisfy(Self.isIDCharacter) else { return false }
        return secret.count >= (id == Self.developmentID ? 1 : Self.shortestSecret)
    }

    private static func isIDCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: "_.:@-".utf8.contains(byte)
        }
    }
}

/// Never shows the secret.
extension APIKey: CustomStringConvertible, CustomDebugStringConvertible {
    public var description: String { "\(id):***" }
    public var debugDescription: String { description }
}

extension APIKey {
    /// `id:secret,id:secret`, or the JSON that a file would have; nil if it is neither. A secret may contain colons.
    static func list(from text: String) -> JSONValue? {
        if text.hasPrefix("[") { return try? JSON.parse(text) }
        var keys: [JSONValue] = []
        for pair in text.split(separator: ",") {
            guard let colon = pair.firstIndex(of: ":") else { return nil }
            keys.append([
                "id": .string(String(pair[..<colon])),
                "secret": .string(String(pair[pair.index(after: colon)...])),
            ])
        }
        return .array(keys)
    }
}
