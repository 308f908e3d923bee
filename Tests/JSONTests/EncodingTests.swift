import JSON
import Testing

private func text<T: Encodable>(_ value: T) throws -> String {
    String(decoding: try JSON.encode(value), as: UTF8.self)
}

private struct Event: Codable, Equatable {
    var event: String
    var sessionId: String?
    var seq: UInt64
    var at: Int64
    var level: Double?
    var layouts: [Layout]
    var data: JSONValue
}

@Test func `keys come in order of declaration and absent optionals are left out`() throws {
    let event = Event(
        event: "e", sessionId: nil, seq: 12, at: 1_764_460_800_123, level: nil, layouts: [.tile, .sidebar],
        data: ["z": 1, "a": [nil]])
    #expect(
        try text(event)
            == #"{"event":"e","seq":12,"at":1764460800123,"layouts":["tile","sidebar"],"data":{"z":1,"a":[null]}}"#
    )
}

@Test func `what was encoded decodes to the same`() throws {
    let event = Event(
        event: "Grüße \u{1F600}\"\\\n", sessionId: "s", seq: 0, at: .min, level: 0.1, layouts: [], data: .null
    )
    #expect(try JSON.decode(Event.self, from: JSON.encode(event)) == event)
    let settings = JoinSession(callToken: "t", settings: JoinSettings(layout: .sidebar), metadata: [1, [:]])
    #expect(try JSON.decode(JoinSession.self, from: JSON.encodeValue(settings)) == settings)
}

@Test func `scalars and optionals stand alone`() throws {
    #expect(try text(7 as UInt8) == "7")
    #expect(try text("a") == "\"a\"")
    #expect(try text(nil as Int?) == "null")
    #expect(try text([1, nil, 3]) == "[1,null,3]")
    #expect(try text(Float(0.5)) == "0.5")
    #expect(try text(true) == "true")
}

@Test func `an integer beyond 64 bits with a sign is refused by its path`() {
    let event = Event(event: "e", seq: .max, at: 0, layouts: [], data: 0)
    #expect(
        throws: JSONError.notEncodable(
            path: "seq", reason: "18446744073709551615 is beyond 64 bits with a sign")
    ) { try JSON.encode(event) }
}

@Test func `what isn't finite is refused by its path`() {
    #expect(throws: JSONError.notFinite(path: "[1].level")) {
        try JSON.encode([
            Event(event: "e", seq: 0, at: 0, layouts: [], data: 0),
            Event(event: "e", seq: 0, at: 0, level: .nan, layouts: [], data: 0),
        ])
    }
}

private struct ByHand: Encodable {
    enum Keys: String, CodingKey { case first, inner, list, last }

    func encode(to encoder: any Encoder) throws {
        var outer = encoder.container(keyedBy: Keys.self)
        try outer.encode(1, forKey: .first)
        var inner = outer.nestedContainer(keyedBy: Keys.self, forKey: .inner)
        var list = outer.nestedUnkeyedContainer(forKey: .list)
        try outer.encodeNil(forKey: .last)
        try inner.encode("late", forKey: .first)
        try list.encode(2)
        try list.encodeNil()
        var element = list.nestedContainer(keyedBy: Keys.self)
        try element.encode(true, forKey: .last)
        var more = encoder.container(keyedBy: Keys.self)
        try more.encode(9, forKey: .first)
    }
}

@Test func `containers may be filled in any order`() throws {
    #expect(
        try text(ByHand())
            == #"{"first":9,"inner":{"first":"late"},"list":[2,null,{"last":true}],"last":null}"#)
}

private struct Empty: Encodable {}

@Test func `a type without properties is an empty object`() throws {
    #expect(try text(Empty()) == "{}")
    #expect(try text([Empty()]) == "[{}]")
}

private indirect enum Endless: Encodable {
    case more

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(self)
    }
}

@Test func `a value without end is refused`() {
    #expect(throws: JSONError.tooDeep(limit: 512, at: nil)) { try JSON.encode(Endless.more) }
}
