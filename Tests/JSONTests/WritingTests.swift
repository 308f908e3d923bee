import JSON
import Testing

private func text(_ value: JSONValue) throws -> String {
    String(decoding: try value.text(), as: UTF8.self)
}

@Test func `text is compact and in order`() throws {
    #expect(try text(["b": 1, "a": [true, nil, "x"], "c": [:]]) == #"{"b":1,"a":[true,null,"x"],"c":{}}"#)
}

@Test func `strings are escaped where they must be`() throws {
    #expect(try text(.string("\"\\\n\u{1}\u{0}/é😀")) == #""\"\\\n\u0001\u0000/é😀""#)
    #expect(try text(["a\u{0}b": 1]) == #"{"a\u0000b":1}"#)
}

@Test func `numbers are short and exact`() throws {
    #expect(try text([0.1, 0.5, 100.25]) == "[0.1,0.5,100.25]")
    for number in [
        0.1 + 0.2, .pi, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -1.0 / 3, 1e21, 123_456_789.123,
    ] {
        #expect(try JSON.parse(text(.number(number))) == .number(number))
    }
    #expect(try text([.integer(.min), .integer(.max)]) == "[-9223372036854775808,9223372036854775807]")
}

@Test func `every power of two and its neighbours read back as they are`() throws {
    // Beside a power of two the next number below is nearer than the one above: rounding goes wrong there first.
    for exponent in -1074...1023 {
        let power = Double(sign: .plus, exponent: exponent, significand: 1)
        for number in [power.nextDown, power, power.nextUp] where number.isFinite {
            #expect(try JSON.parse(text(.number(number))) == .number(number))
            #expect(try JSON.parse(text([0.1, .number(number)])) == [0.1, .number(number)])
        }
    }
}

@Test func `a whole number stays a number`() throws {
    #expect(try JSON.parse(text(.number(2))) == .number(2))
}

@Test(arguments: [Double.nan, .infinity, -.infinity])
func `what isn't finite can't be written`(number: Double) {
    #expect(throws: JSONError.notFinite(path: "")) { try JSONValue.array([.number(number)]).text() }
}

@Test func `a value nested too deep can't be written`() {
    var value: JSONValue = 1
    for _ in 0..<600 { value = [value] }
    #expect(throws: JSONError.tooDeep(limit: 512, at: nil)) { try value.text() }
    #expect(throws: JSONError.tooDeep(limit: 512, at: nil)) { try JSONValue.object(["a": value]).text() }
}

@Test func `members are replaced in place, appended and removed`() {
    var object = JSONObject()
    for number in 0..<40 { object["k\(number)"] = .integer(Int64(number)) }
    object["k3"] = "three"
    object["k0"] = nil
    object["none"] = nil
    #expect(object.count == 39)
    #expect(object.keys.prefix(3) == ["k1", "k2", "k3"])
    #expect(object["k3"] == "three")
    #expect(object["k39"] == 39)
    #expect(object["k0"] == nil)
    for number in 1..<40 { object["k\(number)"] = nil }
    #expect(object.isEmpty)
}

@Test func `objects with the same members are equal in any order`() {
    let left: JSONValue = ["a": 1, "b": 2]
    #expect(left == ["b": 2, "a": 1])
    #expect(left.hashValue == (["b": 2, "a": 1] as JSONValue).hashValue)
    #expect(left != ["a": 1, "b": 3])
    #expect(left != ["a": 1])
}
