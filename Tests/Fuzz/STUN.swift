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
    return 0
}
