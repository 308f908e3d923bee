import Wire

/// Feeds arbitrary bytes to everything that reads STUN.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSTUN(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
    let span = unsafe bytes.span
    _ = STUNBindingRequest.localUfrag(in: span)
    _ = try? STUNBindingRequest(span)
    _ = try? STUNBindingResponse(span)
    var attributes = STUNAttributeIterator()
    var last = 0
    while let attribute = attributes.next(in: span) {
        precondition(attribute.offset >= last && attribute.value.upperBound <= count)
        last = attribute.value.upperBound
    }
    readWellFormed(span)
    return 0
}

/// Makes a message with right lengths and fingerprint of the bytes (two of type, one of length, a value, and so on), so
/// that the attribute readers are reached.
private func readWellFormed(_ bytes: Span<UInt8>) {
    var storage = [UInt8](repeating: 0, count: 2_048)
    var message = storage.mutableSpan
    let id = STUNTransactionID(high: 1, low: 2)
    let types = [STUNMessageType.bindingRequest, .bindingSuccess, .bindingError]
    var writer = STUNWriter(types[bytes.count % 3], id, into: &message)
    var offset = 0
    while offset + 3 <= bytes.count, writer.count < 1_500 {
        let type = STUNAttributeType(rawValue: UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1]))
        let end = min(offset + 3 + Int(bytes[offset + 2]), bytes.count)
        writer.append(type, bytes.extracting((offset + 3)..<end), into: &message)
        offset = end
    }
    writer.appendFingerprint(into: &message)
    let written = message.span.extracting(0..<writer.count)
    let request = try? STUNBindingRequest(written)
    precondition((request?.username.upperBound ?? 0) <= writer.count)
    let response = try? STUNBindingResponse(written)
    precondition((response?.integrity?.digest.upperBound ?? 0) <= writer.count)
}
