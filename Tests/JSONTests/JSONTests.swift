import JSON
import Testing

struct Smoke: Codable, Equatable {
    var name: String
    var at: Int64
    var half: Double?
    var metadata: JSONValue?
}

@Test func `a struct survives the round trip`() throws {
    let value = Smoke(name: "Zoë\n", at: 1_764_460_800_123, half: nil, metadata: ["a": [1, 0.1, nil, true]])
    let text = try JSON.encode(value)
    #expect(
        String(decoding: text, as: UTF8.self)
            == #"{"name":"Zoë\n","at":1764460800123,"metadata":{"a":[1,0.1,null,true]}}"#)
    #expect(try JSON.decode(Smoke.self, from: text) == value)
}
