/// Why a value isn't the scalar it should be.
enum ScalarFailure: Error {
    case wrongType(expected: String)
    case outOfRange(lowest: String, highest: String)
}

/// Why a scalar can't be written.
enum ScalarRefusal: Error {
    case notFinite
    /// An integer beyond `Int64`.
    case tooLarge
}

/// What is one value, and needs no container to be decoded or encoded.
protocol JSONScalar {
    static func read(_ value: JSONValue) throws(ScalarFailure) -> Self
    var written: JSONValue { get throws(ScalarRefusal) }
}

extension Bool: JSONScalar {
    static func read(_ value: JSONValue) throws(ScalarFailure) -> Bool {
        guard case .bool(let value) = value else { throw .wrongType(expected: "a boolean") }
        return value
    }

    var written: JSONValue { .bool(self) }
}

extension String: JSONScalar {
    static func read(_ value: JSONValue) throws(ScalarFailure) -> String {
        guard case .string(let value) = value else { throw .wrongType(expected: "a string") }
        return value
    }

    var written: JSONValue { .string(self) }
}

extension Double: JSONScalar {
    static func read(_ value: JSONValue) throws(ScalarFailure) -> Double {
        guard let number = value.numberValue else { throw .wrongType(expected: "a number") }
        return number
    }

    var written: JSONValue {
        get throws(ScalarRefusal) {
            guard isFinite else { throw .notFinite }
            return .number(self)
        }
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

    var written: JSONValue {
        get throws(ScalarRefusal) { try Double(self).written }
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

    var written: JSONValue {
        get throws(ScalarRefusal) {
            guard let integer = Int64(exactly: self) else { throw .tooLarge }
            return .integer(integer)
        }
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
