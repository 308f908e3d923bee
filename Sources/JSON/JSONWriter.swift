import CJansson
import Glibc

/// Value to text, by jansson.
enum JSONWriter {
    private typealias Node = UnsafeMutablePointer<json_t>

    static func write(_ value: JSONValue) throws(JSONError) -> [UInt8] {
        var digits = Self.shortDigits
        let root = unsafe try node(value, depth: 0, digits: &digits)
        defer { unsafe json_decref(root) }
        // What the macro JSON_REAL_PRECISION(digits) expands to.
        let flags = Int(JSON_COMPACT | JSON_ENCODE_ANY) | digits << 11
        guard let text = unsafe json_dumps(root, flags) else { throw .outOfMemory }
        defer { unsafe free(text) }
        // A NUL in a string is written as an escape: the first zero byte is the end.
        return unsafe [UInt8](UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    /// So many digits give every decimal back that has no more of them (`DBL_DIG`): 0.1 stays 0.1.
    private static let shortDigits = 15
    /// So many digits give every `Double` back.
    private static let allDigits = 17

    /// The value as jansson's; the caller owns the reference.
    ///
    /// `digits` grows to those that the numbers met need to be read back as they are.
    private static func node(
        _ value: JSONValue, depth: Int, digits: inout Int
    ) throws(JSONError) -> Node {
        switch value {
        case .null: try unsafe made(json_null())
        case .bool(let value): try unsafe made(value ? json_true() : json_false())
        case .integer(let value): try unsafe made(json_integer(value))
        case .number(let value): try unsafe number(value, digits: &digits)
        case .string(var value):
            try unsafe made(value.withUTF8 { unsafe json_stringn_nocheck(Self.characters($0), $0.count) })
        case .array(let elements): try unsafe array(elements, depth: depth + 1, digits: &digits)
        case .object(let object): try unsafe self.object(object, depth: depth + 1, digits: &digits)
        }
    }

    private static func number(_ value: Double, digits: inout Int) throws(JSONError) -> Node {
        guard value.isFinite else { throw .notFinite(path: "") }
        // The standard library's description is the shortest that reads back as the same number.
        let mantissa = value.magnitude.description.prefix { $0 != "e" }.filter { $0 != "." }
        if mantissa.count > shortDigits { digits = allDigits }
        return try unsafe made(json_real(value))
    }

    private static func array(
        _ elements: [JSONValue], depth: Int, digits: inout Int
    ) throws(JSONError) -> Node {
        guard depth <= JSON.greatestDepth else { throw .tooDeep(limit: JSON.greatestDepth, at: nil) }
        let array = try unsafe made(json_array())
        do throws(JSONError) {
            for element in elements {
                let child = unsafe try node(element, depth: depth, digits: &digits)
                guard unsafe json_array_append_new(array, child) == 0 else { throw .outOfMemory }
            }
        } catch {
            unsafe json_decref(array)
            throw error
        }
        return unsafe array
    }

    private static func object(
        _ object: JSONObject, depth: Int, digits: inout Int
    ) throws(JSONError) -> Node {
        guard depth <= JSON.greatestDepth else { throw .tooDeep(limit: JSON.greatestDepth, at: nil) }
        let result = try unsafe made(json_object())
        do throws(JSONError) {
            for (key, value) in object.members {
                let child = unsafe try node(value, depth: depth, digits: &digits)
                var key = key
                let status = key.withUTF8 {
                    unsafe json_object_setn_new_nocheck(result, characters($0), $0.count, child)
                }
                guard status == 0 else { throw .outOfMemory }
            }
        } catch {
            unsafe json_decref(result)
            throw error
        }
        return unsafe result
    }

    private static func made(_ node: Node?) throws(JSONError) -> Node {
        guard let node = unsafe node else { throw .outOfMemory }
        return unsafe node
    }

    private static func characters(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafePointer<CChar>? {
        unsafe UnsafeRawBufferPointer(bytes).assumingMemoryBound(to: CChar.self).baseAddress
    }
}
