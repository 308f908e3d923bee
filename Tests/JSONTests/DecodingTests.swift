import JSON
import Testing

enum Layout: String, Codable, CaseIterable {
    case tile, spotlight, sidebar
}

struct JoinSettings: Codable, Equatable {
    var displayName: String?
    var layout: Layout?
    var startAudioMuted: Bool?
}

struct JoinSession: Codable, Equatable {
    var callToken: String
    var settings: JoinSettings
    var seats: [Seat]?
    var metadata: JSONValue?
}

struct Seat: Codable, Equatable {
    var mid: String
    var height: UInt16?
}

private func refusal<T: Decodable>(_ type: T.Type, _ text: String, at path: String = "") -> JSONError? {
    do throws(JSONError) {
        _ = try JSON.decode(type, from: JSON.parse(text), at: path)
        return nil
    } catch {
        return error
    }
}

@Test func `a request is decoded`() throws {
    let text = #"""
        {"callToken":"t","settings":{"layout":"tile","startAudioMuted":true},"seats":[{"mid":"0","height":720}],
         "metadata":{"x":[1,{"y":null}]}}
        """#
    let expected = JoinSession(
        callToken: "t", settings: JoinSettings(layout: .tile, startAudioMuted: true),
        seats: [Seat(mid: "0", height: 720)], metadata: ["x": [1, ["y": nil]]])
    #expect(try JSON.decode(JoinSession.self, from: text) == expected)
    #expect(try JSON.decode(JoinSession.self, from: Array(text.utf8)) == expected)
    #expect(try JSON.decode(JoinSession.self, from: Array(text.utf8).span) == expected)
}

@Test func `the long name of an unknown field is cut when it is said back`() {
    struct Nothing: Decodable {}
    let text = #"{"\#(String(repeating: "k", count: 5_000))":1}"#
    let shown = String(repeating: "k", count: 100) + "…"
    #expect(refusal(Nothing.self, text, at: "params") == .unknownField(path: "params.\(shown)", known: []))
}

@Test func `an unknown field is refused by its path, with those that are known`() {
    #expect(
        refusal(JoinSession.self, #"{"callToken":"t","settings":{"layuot":"tile"}}"#, at: "params")
            == .unknownField(
                path: "params.settings.layuot", known: ["displayName", "layout", "startAudioMuted"]))
    #expect(
        refusal(JoinSession.self, #"{"callToken":"t","settings":{},"seats":[{"mid":"0"},{"mid":"1","x":1}]}"#)
            == .unknownField(path: "seats[1].x", known: ["height", "mid"]))
    #expect(
        refusal(JoinSession.self, #"{"callToken":"t","settings":{},"more":null}"#)
            == .unknownField(path: "more", known: ["callToken", "metadata", "seats", "settings"]))
}

@Test func `a type without fields takes an empty object and nothing else`() throws {
    struct Nothing: Decodable {}
    struct Holder: Decodable { var nothing: Nothing? }
    _ = try JSON.decode(Nothing.self, from: "{}")
    #expect(refusal(Nothing.self, #"{"x":1}"#, at: "params") == .unknownField(path: "params.x", known: []))
    #expect(
        refusal(Holder.self, #"{"nothing":7}"#)
            == .typeMismatch(path: "nothing", expected: "an object", found: "an integer"))
    _ = try JSON.decode(Nothing.self, from: #"{"x":1}"#, unknownFields: .ignore)
}

@Test func `unknown fields are skipped if so wished`() throws {
    let seats = try JSON.decode([Seat].self, from: #"[{"mid":"0","x":{"y":1}}]"#, unknownFields: .ignore)
    #expect(seats == [Seat(mid: "0")])
}

@Test func `a missing field is refused by its path`() {
    #expect(refusal(JoinSession.self, #"{"settings":{}}"#) == .missingField(path: "callToken"))
    #expect(
        refusal(JoinSession.self, #"{"callToken":"t","settings":{},"seats":[{}]}"#, at: "params")
            == .missingField(path: "params.seats[0].mid"))
}

@Test func `a wrong type is refused with path, expected and found`() {
    #expect(
        refusal(JoinSession.self, #"{"callToken":7,"settings":{}}"#)
            == .typeMismatch(path: "callToken", expected: "a string", found: "an integer"))
    #expect(
        refusal(JoinSession.self, #"{"callToken":"t","settings":[]}"#)
            == .typeMismatch(path: "settings", expected: "an object", found: "an array"))
    #expect(
        refusal(JoinSession.self, #"{"callToken":"t","settings":{"startAudioMuted":"yes"}}"#)?.description
            == "settings.startAudioMuted: expected a boolean, found a string")
    #expect(
        refusal([Int].self, #"{"a":1}"#)
            == .typeMismatch(path: "", expected: "an array", found: "an object"))
    #expect(
        refusal([Double].self, "[1,true]")
            == .typeMismatch(path: "[1]", expected: "a number", found: "a boolean"))
}

@Test func `a required field may not be null, an optional one may`() throws {
    #expect(
        refusal(Seat.self, #"{"mid":null}"#)
            == .typeMismatch(path: "mid", expected: "a string", found: "null"))
    #expect(try JSON.decode(Seat.self, from: #"{"mid":"0","height":null}"#) == Seat(mid: "0"))
}

@Test func `an integer must fit its type`() {
    #expect(
        refusal(Seat.self, #"{"mid":"0","height":65536}"#)
            == .integerOutOfRange(path: "height", lowest: "0", highest: "65535"))
    #expect(
        refusal([UInt64].self, "[-1]")
            == .integerOutOfRange(path: "[0]", lowest: "0", highest: "18446744073709551615"))
    #expect(refusal([Int8].self, "[-128,127]") == nil)
    #expect(refusal([Int8].self, "[128]")?.description == "[0]: must be from -128 to 127")
    #expect(refusal([Float].self, "[1e300]")?.path == "[0]")
}

@Test func `a fraction is no integer, an integer is a number`() throws {
    #expect(
        refusal([Int].self, "[1.0]") == .typeMismatch(path: "[0]", expected: "an integer", found: "a number"))
    #expect(try JSON.decode([Double].self, from: "[3, 0.25]") == [3, 0.25])
}

@Test func `a value that an enumeration lacks is refused with those that it has`() {
    #expect(
        refusal(JoinSession.self, #"{"callToken":"t","settings":{"layout":"hexagon"}}"#)
            == .invalidValue(path: "settings.layout", reason: "expected one of tile, spotlight, sidebar"))
}

@Test func `dictionaries take all keys, and their paths are named`() throws {
    #expect(try JSON.decode([String: Int].self, from: #"{"a":1,"b":2}"#) == ["a": 1, "b": 2])
    #expect(
        refusal([String: Seat].self, #"{"a":{"mid":"0","y":1}}"#)
            == .unknownField(path: "a.y", known: ["height", "mid"]))
    #expect(
        refusal([Int: Int].self, #"{"3":"x"}"#)
            == .typeMismatch(path: "3", expected: "an integer", found: "a string"))
}

/// Looks at containers by hand, as a type with its own decoding does.
private struct ByHand: Decodable {
    enum Keys: String, CodingKey { case inner, list, rest }
    enum InnerKeys: String, CodingKey { case number }

    var number: Int
    var list: [Int] = []
    var rest: Seat

    init(from decoder: any Decoder) throws {
        let outer = try decoder.container(keyedBy: Keys.self)
        let inner = try outer.nestedContainer(keyedBy: InnerKeys.self, forKey: .inner)
        number = try inner.decode(Int.self, forKey: .number)
        var elements = try outer.nestedUnkeyedContainer(forKey: .list)
        while !elements.isAtEnd {
            if try elements.decodeNil() { continue }
            list.append(try elements.decode(Int.self))
        }
        rest = try Seat(from: outer.superDecoder(forKey: .rest))
    }
}

@Test func `nested containers are as strict`() throws {
    let value = try JSON.decode(
        ByHand.self, from: #"{"inner":{"number":1},"list":[1,null,2],"rest":{"mid":"a"}}"#)
    #expect(value.number == 1 && value.list == [1, 2] && value.rest.mid == "a")
    #expect(
        refusal(ByHand.self, #"{"inner":{"number":1,"x":2},"list":[],"rest":{"mid":"a"}}"#)
            == .unknownField(path: "inner.x", known: ["number"]))
    #expect(
        refusal(ByHand.self, #"{"inner":{"number":1},"list":[],"rest":{"mid":"a","z":1}}"#)
            == .unknownField(path: "rest.z", known: ["height", "mid"]))
    #expect(
        refusal(ByHand.self, #"{"inner":{"number":1},"list":[1,"2"],"rest":{"mid":"a"}}"#)
            == .typeMismatch(path: "list[1]", expected: "an integer", found: "a string"))
}

/// One of two shapes: the first that fits.
private enum Either: Decodable, Equatable {
    case seat(Seat)
    case name(String)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let name = try? container.decode(String.self) {
            self = .name(name)
        } else {
            self = .seat(try container.decode(Seat.self))
        }
    }
}

@Test func `a type may try one shape after the other`() throws {
    #expect(
        try JSON.decode([Either].self, from: #"["a",{"mid":"0"}]"#) == [.name("a"), .seat(Seat(mid: "0"))])
    #expect(
        refusal([Either].self, #"[{"mid":"0","q":0}]"#)
            == .unknownField(path: "[0].q", known: ["height", "mid"]))
}

/// Reads one element more than there is.
private struct Greedy: Decodable {
    init(from decoder: any Decoder) throws {
        var elements = try decoder.unkeyedContainer()
        while true { _ = try elements.decode(Int.self) }
    }
}

@Test func `reading past the end of an array is an error`() {
    #expect(refusal(Greedy.self, "[1,2]") == .missingField(path: "[2]"))
}

private struct Refusing: Decodable {
    struct Reason: Error, CustomStringConvertible { var description: String { "no such luck" } }
    init(from decoder: any Decoder) throws { throw Reason() }
}

@Test func `a type's own error becomes an invalid value`() {
    #expect(
        refusal(Refusing.self, "1", at: "params") == .invalidValue(path: "params", reason: "no such luck"))
}

/// Two types that share one object, each with its own fields.
private struct Shared: Decodable {
    struct Name: Decodable { var displayName: String }

    var name: Name
    var seat: Seat

    init(from decoder: any Decoder) throws {
        name = try Name(from: decoder)
        seat = try Seat(from: decoder)
    }
}

@Test func `two types may share an object, and what neither asks for is unknown`() throws {
    let shared = try JSON.decode(Shared.self, from: #"{"mid":"0","displayName":"Z"}"#)
    #expect(shared.name.displayName == "Z" && shared.seat.mid == "0")
    #expect(
        refusal(Shared.self, #"{"mid":"0","other":1,"displayName":"Z"}"#)
            == .unknownField(path: "other", known: ["displayName", "height", "mid"]))
}
