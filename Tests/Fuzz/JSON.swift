import JSON

/// Has most of what a request has, so that decoding gets somewhere.
private struct Request: Codable {
    struct Seat: Codable {
        var mid: String
        var height: UInt16?
        var shares: [Double]?
    }

    var id: Int64
    var method: String
    var seats: [Seat]?
    var named: [String: Int8]?
    var metadata: JSONValue?
}

/// What is accepted can be written and reads back as it was; decoding a strict type refuses or encodes again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe UnsafeBufferPointer(start: start, count: count).span
    guard let value = try? JSON.parse(bytes) else { return 0 }
    guard let text = try? value.text(), let again = try? JSON.parse(text, limits: .init(bytes: .max)) else {
        preconditionFailure("what was accepted can't be written and read")
    }
    precondition(again == value, "reads back as something else")
    if let request = try? JSON.decode(Request.self, from: value) {
        precondition((try? JSON.encode(request)) != nil, "what was decoded can't be encoded")
    }
    _ = try? JSON.decode(Request.self, from: value, unknownFields: .ignore)
    _ = try? JSON.decode([Request].self, from: value, at: "params")
    return 0
}
