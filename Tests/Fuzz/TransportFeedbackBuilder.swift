import FixedCollections
import Wire

/// Arrivals of any order and distance: 4 bytes each, a step of the number and one of the time.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe UnsafeBufferPointer(start: start, count: count).span
    var builder = TransportFeedbackBuilder(capacity: 256)
    var number = SequenceNumber(0)
    var time = Instant.zero
    var position = 0
    while position + 4 <= count {
        // Squared, so that most steps are small.
        let step = Int(Int8(bitPattern: bytes[position]))
        number = number.advanced(by: step * abs(step) / 4 + Int(bytes[position + 1] & 3))
        let delay = Int(Int16(bitPattern: bytes.loadUInt16(at: position + 2)))
        time += .microseconds(delay * abs(delay) / 64)
        builder.record(number, at: time)
        position += 4
        if bytes[position - 1] == 0 { drain(&builder) }
    }
    drain(&builder)
    return 0
}

/// Everything that is written can be read, and doesn't pass the limit.
private func drain(_ builder: inout TransportFeedbackBuilder) {
    var buffer = [UInt8](repeating: 0, count: 1_500)
    var span = buffer.mutableSpan
    while builder.isPending {
        guard
            let length = try? builder.write(sender: SSRC(1), media: SSRC(2), into: &span, at: 0),
            length > 0, length <= TransportFeedbackBuilder.largestMessage
        else { preconditionFailure("nothing written") }
        let datagram = span.span.extracting(..<length)
        var reader = RTCPReader()
        guard let packet = try? reader.next(in: datagram),
            var feedback = try? TransportFeedback.parse(datagram.extracting(packet.range))
        else { preconditionFailure("can't be read") }
        var statuses = 0
        while feedback.next(in: datagram.extracting(packet.range)) != nil { statuses += 1 }
        precondition(statuses == feedback.statusCount)
    }
}
