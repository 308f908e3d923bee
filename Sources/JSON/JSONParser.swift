import CJansson

/// Text to value, by jansson, with the checks that jansson lacks.
enum JSONParser {
    /// Seeds the hash of jansson's objects, once; jansson wants that done before threads share it.
    private static let seeded: Void = json_object_seed(Int.random(in: 1...Int(UInt32.max)))

    static func parse(
        _ text: Span<UInt8>, limits: JSON.Limits, allowsNUL: Bool = false
    ) throws(JSONError) -> JSONValue {
        guard text.count <= limits.bytes else {
            throw .tooLarge(bytes: text.count, limit: limits.bytes)
        }
        guard !text.isEmpty else { throw .truncated(at: JSONPosition(line: 1, column: 1)) }
        try checkDepth(text, limit: limits.depth)
        _ = seeded
        var report = json_error_t()
        let flags = Int(JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | (allowsNUL ? JSON_ALLOW_NUL : 0))
        let loaded = unsafe text.withUnsafeBytes { bytes in
            unsafe json_loadb(
                bytes.assumingMemoryBound(to: CChar.self).baseAddress, bytes.count, flags, &report)
        }
        guard let root = unsafe loaded else { throw JSONError(report, text) }
        defer { unsafe json_decref(root) }
        return try unsafe value(root)
    }

    /// Bounds the recursion of all that follows. A text that isn't JSON may pass; jansson refuses it then.
    private static func checkDepth(_ text: Span<UInt8>, limit: Int) throws(JSONError) {
        var depth = 0
        var position = JSONPosition(line: 1, column: 0)
        var inString = false
        var escaped = false
        for index in text.indices {
            let byte = text[index]
            if byte & 0xC0 != 0x80 { position.column += 1 }
            if inString {
                if escaped {
                    escaped = false
                } else if byte == UInt8(ascii: "\\") {
                    escaped = true
                } else if byte == UInt8(ascii: "\"") {
                    inString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): inString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                if depth > limit { throw .tooDeep(limit: limit, at: position) }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: "\n"): position = JSONPosition(line: position.line + 1, column: 0)
            default: break
            }
        }
    }

    private static func value(_ node: UnsafeMutablePointer<json_t>) throws(JSONError) -> JSONValue {
        switch unsafe node.pointee.type {
        case JSON_OBJECT: .object(try unsafe object(node))
        case JSON_ARRAY: .array(try unsafe array(node))
        case JSON_STRING:
            .string(unsafe string(json_string_value(node), count: json_string_length(node)))
        case JSON_INTEGER: .integer(unsafe json_integer_value(node))
        case JSON_REAL: .number(unsafe json_real_value(node))
        case JSON_TRUE: .bool(true)
        case JSON_FALSE: .bool(false)
        default: .null
        }
    }

    private static func object(_ node: UnsafeMutablePointer<json_t>) throws(JSONError) -> JSONObject {
        var object = JSONObject()
        var iterator = unsafe json_object_iter(node)
        while let current = unsafe iterator {
            let key = unsafe string(json_object_iter_key(current), count: json_object_iter_key_len(current))
            if let member = unsafe json_object_iter_value(current) {
                // jansson compares bytes, Swift canonical equivalence: "\u{212A}" is "K" here.
                guard object.insert(key, try unsafe value(member)) else {
                    throw .duplicateKey(key, at: nil)
                }
            }
            unsafe iterator = json_object_iter_next(node, current)
        }
        return object
    }

    private static func array(_ node: UnsafeMutablePointer<json_t>) throws(JSONError) -> [JSONValue] {
        let count = unsafe json_array_size(node)
        var array: [JSONValue] = []
        array.reserveCapacity(count)
        for index in 0..<count {
            if let element = unsafe json_array_get(node, index) { array.append(try unsafe value(element)) }
        }
        return array
    }

    private static func string(_ start: UnsafePointer<CChar>?, count: Int) -> String {
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
        return unsafe String(decoding: bytes, as: UTF8.self)
    }
}

extension JSONError {
    /// What jansson reports. The last byte of its text is the code.
    fileprivate init(_ report: json_error_t, _ source: Span<UInt8>) {
        let position = JSONPosition(line: Int(report.line), column: max(1, Int(report.column)))
        let text = unsafe withUnsafeBytes(of: report.text) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        switch json_error_code(UInt32(UInt8(bitPattern: report.text.159))) {
        case json_error_out_of_memory: self = .outOfMemory
        case json_error_stack_overflow: self = .tooDeep(limit: JSON.greatestDepth, at: position)
        case json_error_invalid_utf8: self = .invalidUTF8(at: position)
        case json_error_premature_end_of_input: self = .truncated(at: position)
        case json_error_end_of_input_expected: self = .trailingContent(at: position)
        case json_error_null_character, json_error_null_byte_in_key: self = .nulCharacter(at: position)
        case json_error_numeric_overflow: self = .numberOutOfRange(at: position)
        case json_error_duplicate_key:
            self = .duplicateKey(Self.lastString(in: source, before: Int(report.position)), at: position)
        default: self = .syntax(text, at: position)
        }
    }

    /// The last string that ends before an offset: jansson's own text leaves long keys out.
    private static func lastString(in source: Span<UInt8>, before end: Int) -> String {
        var last: Range<Int>?
        var start: Int?
        var escaped = false
        for index in 0..<min(max(end, 0), source.count) {
            let byte = source[index]
            if escaped {
                escaped = false
            } else if byte == UInt8(ascii: "\\") {
                escaped = start != nil
            } else if byte == UInt8(ascii: "\"") {
                if let opening = start { last = opening..<index + 1 }
                start = start == nil ? index : nil
            }
        }
        guard let last, let key = try? JSON.parse(source.extracting(last)) else { return "" }
        return key.stringValue ?? ""
    }
}
