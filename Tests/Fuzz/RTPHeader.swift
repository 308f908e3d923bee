import Wire

/// Headers, extension blocks and padding; a value that was read can be written again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe UnsafeBufferPointer(start: start, count: count).span
    guard let header = try? RTPHeader.parse(bytes) else { return 0 }
    precondition(header.payloadOffset + header.payloadLength + header.paddingLength == count)
    for index in 0..<Int(header.csrcCount) { _ = header.csrc(index, in: bytes) }
    var written = [UInt8](repeating: 0, count: 2_048)
    var packet = written.mutableSpan
    guard var writer = try? RTPWriter(header.fields, into: &packet) else { preconditionFailure("no room") }
    var elements = HeaderExtensions(of: header)
    while let element = elements.next(in: bytes) {
        precondition(element.range.upperBound <= header.payloadOffset)
        _ = element.audioLevel(in: bytes)
        _ = element.absoluteSendTime(in: bytes)
        _ = element.transportSequenceNumber(in: bytes)
        _ = element.shortID(in: bytes).map(String.init)
        _ = try? writer.append(id: element.id, bytes.extracting(element.range), to: &packet)
    }
    if let length = try? writer.finish(&packet) {
        let again = try? RTPHeader.parse(packet.span.extracting(..<length))
        precondition(again?.fields == header.fields && again?.headerLength == length)
    }
    return 0
}
