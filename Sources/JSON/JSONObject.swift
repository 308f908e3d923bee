/// The members of a JSON object, in order. No two keys are equal, canonically equivalent Unicode included.
///
/// Looking a key up is O(1); removing a member is O(n).
public struct JSONObject: Sendable {
    /// The members in order.
    public private(set) var members: [(key: String, value: JSONValue)] = []
    /// Key to place in `members`; empty while the object is so small that searching is quicker.
    private var places: [String: Int] = [:]

    private static let smallCount = 12

    public init() {}

    /// The last one of several members with one key wins, at the place of the first.
    public init(_ members: some Sequence<(String, JSONValue)>) {
        for (key, value) in members { self[key] = value }
    }

    public var count: Int { members.count }
    public var isEmpty: Bool { members.isEmpty }

    /// The keys in order.
    public var keys: [String] { members.map(\.key) }

    /// The value of a key. A new key goes to the end; nil removes the member.
    public subscript(key: String) -> JSONValue? {
        get {
            place(of: key).map { members[$0].value }
        }
        set {
            switch (place(of: key), newValue) {
            case (let place?, let value?): members[place].value = value
            case (let place?, nil): remove(at: place)
            case (nil, let value?): append(key, value)
            case (nil, nil): break
            }
        }
    }

    /// Adds a member whose key must be new; false if it isn't, and nothing changes then.
    mutating func insert(_ key: String, _ value: JSONValue) -> Bool {
        guard place(of: key) == nil else { return false }
        append(key, value)
        return true
    }

    /// Where in `members` a key is.
    func place(of key: String) -> Int? {
        if members.count <= Self.smallCount { return members.firstIndex { $0.key == key } }
        return places[key]
    }

    private mutating func append(_ key: String, _ value: JSONValue) {
        members.append((key, value))
        if members.count == Self.smallCount + 1 {
            index()
        } else if members.count > Self.smallCount {
            places[key] = members.count - 1
        }
    }

    private mutating func remove(at place: Int) {
        members.remove(at: place)
        places = [:]
        if members.count > Self.smallCount { index() }
    }

    private mutating func index() {
        for (place, member) in members.enumerated() { places[member.key] = place }
    }
}

/// Two objects are equal if their members are, in whatever order.
extension JSONObject: Hashable {
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.members.allSatisfy { right[$0.key] == $0.value }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(Set(members.map(\.key)))
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements)
    }
}
