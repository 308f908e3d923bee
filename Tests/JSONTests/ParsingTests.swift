import JSON
import Testing
import TestSupport

/// Why a text is refused; nil if it isn't.
private func refusal(_ text: [UInt8], limits: JSON.Limits = .message) -> JSONError? {
    do throws(JSONError) {
        _ = try JSON.parse(text, limits: limits)
        return nil
    } catch {
        return error
    }
}

private func refusal(_ text: String, limits: JSON.Limits = .message) -> JSONError? {
    refusal(Array(text.utf8), limits: limits)
}

private func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
}

@Test func `every kind of value is parsed`() throws {
    let value = try JSON.parse(
        #" {"a": [null, true, false, -7, 1.5, "x\né\u00e9"], "b": {}, "c": 9223372036854775807} "#)
    #expect(value["a"] == [nil, true, false, -7, 1.5, "x\néé"])
    #expect(value["b"] == [:])
    #expect(value["c"]?.integerValue == .max)
    #expect(value["d"] == nil)
}

@Test(arguments: ["1", "\"a\"", "null", "true", "[]", "-0.5"])
func `any value may stand at the top`(text: String) throws {
    #expect(String(decoding: try JSON.parse(text).text(), as: UTF8.self) == text)
}

@Test func `objects keep the order of their keys`() throws {
    let keys = (0..<100).map { "key\(($0 * 37) % 100)" }
    let text = "{" + keys.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
    #expect(try JSON.parse(text).objectValue?.keys == keys)
    #expect(String(decoding: try JSON.parse(text).text(), as: UTF8.self) == text)
}

@Test func `a duplicate key is refused and named, with its place`() {
    #expect(
        refusal("{\"a\":1,\n \"b\":2, \"b\":3}") == .duplicateKey("b", at: JSONPosition(line: 2, column: 11)))
    #expect(refusal(#"{"x":{"a":1,"a":1}}"#)?.what == "duplicate key \"a\"")
    let long = String(repeating: "é", count: 100)
    #expect(refusal("{\"\(long)\":\"\\\"\",\"\(long)\":\"x\"}")?.what == "duplicate key \"\(long)\"")
    #expect(refusal(#"{"a\"b\u00e9":1,"a\"bé":2}"#)?.what == "duplicate key \"a\"bé\"")
}

@Test func `keys that are equivalent in Unicode are duplicates`() {
    // KELVIN SIGN is canonically equivalent to K: one could pass a check that the other is read by.
    #expect(refusal("{\"K\":1,\"\u{212A}\":2}") == .duplicateKey("\u{212A}", at: nil))
}

@Test func `nesting is allowed up to the limit and no deeper`() {
    #expect(refusal(nested(32)) == nil)
    #expect(refusal(nested(33)) == .tooDeep(limit: 32, at: JSONPosition(line: 1, column: 33)))
    #expect(refusal(String(repeating: "{\"a\":", count: 33))?.position?.column == 161)
    #expect(refusal(nested(200), limits: .init(depth: 200)) == nil)
    #expect(refusal(String(repeating: "[", count: 200_000))?.what == "nested deeper than 32")
}

@Test func `brackets in strings are no nesting`() {
    let brackets = String(repeating: "[", count: 100)
    #expect(refusal("[\"\(brackets)\", \"\\\"\(brackets)\"]") == nil)
}

@Test func `a text over the limit is refused unread`() {
    let long = "\"" + String(repeating: "x", count: 262_142) + "\""
    #expect(refusal(long) == nil)
    #expect(refusal(long + " ") == .tooLarge(bytes: 262_145, limit: 262_144))
    #expect(refusal("[1]", limits: .init(bytes: 2)) == .tooLarge(bytes: 3, limit: 2))
}

@Test(
    arguments: [
        [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80],
    ] as [[UInt8]])
func `invalid UTF-8 is refused`(bytes: [UInt8]) {
    let text = Array("[\"".utf8) + bytes + Array("\"]".utf8)
    guard case .invalidUTF8(let position)? = refusal(text) else {
        Issue.record("not refused as UTF-8: \(String(describing: refusal(text)))")
        return
    }
    #expect(position.line == 1)
}

@Test func `what follows the value is refused`() {
    #expect(refusal("[1] x") == .trailingContent(at: JSONPosition(line: 1, column: 5)))
    #expect(refusal("{}{}")?.what == "something follows the value")
    #expect(refusal("[1] \r\n\t ") == nil)
}

@Test(arguments: ["", "[", "{\"a\"", "\"abc", "[1,", "{\"a\":"])
func `a text that ends too early is refused as such`(text: String) {
    guard case .truncated? = refusal(text) else {
        Issue.record("\(String(describing: refusal(text)))")
        return
    }
}

@Test func `a NUL in a string or key is refused`() {
    #expect(refusal(#"["a\u0000b"]"#)?.what == "U+0000 in a string")
    #expect(refusal(#"{"a\u0000b":1}"#)?.what == "U+0000 in a string")
    #expect(refusal("[\"a\u{0}b\"]") != nil)
    #expect(refusal("[1]\u{0}") != nil)
}

@Test(arguments: ["9223372036854775808", "-9223372036854775809", "1e999", "-1e400"])
func `numbers that nothing can hold are refused`(text: String) {
    guard case .numberOutOfRange? = refusal(text) else {
        Issue.record("\(String(describing: refusal(text)))")
        return
    }
}

@Test(arguments: [
    "nul", "[1,]", "{a:1}", "{'a':1}", "[01]", "[1.]", "[.5]", "[+1]", "[NaN]", "[Infinity]", "// x\n1",
    "[\"\t\"]", #"["\x"]"#, #"["\ud800"]"#, #"["\udc00\ud800"]"#, "{\"a\" 1}", "[1 2]", "]", "\u{FEFF}[]",
])
func `what isn't JSON is refused with its place`(text: String) {
    let error = refusal(text)
    #expect(error?.position != nil, "\(text)")
    #expect(error?.path == nil)
}

@Test func `an error is one line that says what and where`() {
    #expect(refusal("{\"a\":\n  tru}")?.description.hasSuffix("at line 2, column 5") == true)
}

@Test func `random bytes never trap`() throws {
    var generator = SeededGenerator(seed: 0x5EED)
    let alphabet = Array("{}[]:,\"\\ue0019-+.truefalsn \n".utf8) + [0, 0x80, 0xC3, 0xFF]
    var parsed = 0
    for round in 0..<100_000 {
        var text: [UInt8] = []
        for _ in 0..<generator.next() % 6 {
            // Eight bytes a draw; every other round from the characters that JSON is made of.
            var draw = generator.next()
            for _ in 0..<8 {
                let byte = UInt8(truncatingIfNeeded: draw)
                text.append(round % 2 == 0 ? alphabet[Int(byte) % alphabet.count] : byte)
                draw >>= 8
            }
            text.removeLast(text.count % 3)
        }
        if let value = try? JSON.parse(text) {
            parsed += 1
            // What is accepted can be written, and reads back as it was.
            #expect(try JSON.parse(value.text()) == value)
        }
    }
    #expect(parsed > 0)
}

@Test func `threads may parse and write at once`() async throws {
    let text = #"{"a":[1,2,{"b":"c"}],"d":0.1}"#
    await withTaskGroup(of: Int.self) { group in
        for _ in 0..<4 {
            group.addTask {
                (0..<2_000).count { _ in
                    guard let value = try? JSON.parse(text), let written = try? value.text() else {
                        return false
                    }
                    return written == Array(text.utf8)
                }
            }
        }
        for await right in group { #expect(right == 2_000) }
    }
}
