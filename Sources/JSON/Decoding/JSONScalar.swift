/// Why a value isn't the scalar it should be.
enum ScalarFailure: Error {
    case wrongType(expected: String)
    case outOfRange(lowest: String, highest: String)
}

/// What decodes from one value and asks no container.
protocol JSONScalar {
    static func read(_ value: JSONValue) throws(ScalarFailure) -> Self
}

extension Bool: JSONScalar {
    static func read(_ value: JSONValue) throws(ScalarFailure) -> Bool {
        guard case .bool(let value) = value else { throw .wrongType(expected: "a boolean") }
        return value
    }
}

extension String: JSONScalar {
    static func read(_ value: JSONValue) throws(ScalarFailure) -> String {
        guard case .string(let value) = value else { throw .wrongType(expected: "a string") }
        return value
    }
}

extension Double: JSONScalar {
    static func read(_ value: JSONValue) throws(ScalarFailure) -> Double {
        guard let number = value.numberValue else { throw .wrongType(expected: "a number") }
        return number
    }
}

extension Float: JSONScalar {
    static func read(_ value: JSONValue) throws(ScalarFailure) -> Float {
        let number = Float(try Double.read(value))
        guard number.isFinite else {
            let bound = Float.greatestFiniteMagnitude
            throw .outOfRange(lowest: "\(-bound)", highest: "\(bound)")
        }
        return number
    }
}

extension JSONScalar where Self: FixedWidthInteger {
    static func read(_ value: JSONValue) throws(ScalarFailure) -> Self {
        guard case .integer(let integer) = value else { throw .wrongType(expected: "an integer") }
        guard let exact = Self(exactly: integer) else {
            throw .outOfRange(lowest: "\(Self.min)", highest: "\(Self.max)")
        }
        return exact
    }
}

extension Int: JSONScalar {}
extension Int8: JSONScalar {}
extension Int16: JSONScalar {}
extension Int32: JSONScalar {}
extension Int64: JSONScalar {}
extension UInt: JSONScalar {}
extension UInt8: JSONScalar {}
extension UInt16: JSONScalar {}
extension UInt32: JSONScalar {}
extension UInt64: JSONScalar {}
