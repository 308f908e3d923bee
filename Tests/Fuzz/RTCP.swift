import Wire

/// Every message of a compound, with all of its lists.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe UnsafeBufferPointer(start: start, count: count).span
    var reader = RTCPReader()
    while let packet = try? reader.next(in: bytes) {
        let body = bytes.extracting(packet.range)
        switch packet.kind(in: bytes) {
        case .senderReport:
            guard let report = try? SenderReport.parse(body) else { continue }
            for index in 0..<report.blocks.count { _ = report.blocks.block(index, in: body) }
        case .receiverReport:
            guard let report = try? ReceiverReport.parse(body) else { continue }
            for index in 0..<report.blocks.count { _ = report.blocks.block(index, in: body) }
        case .sourceDescription:
            guard var items = try? SourceDescription.parse(body) else { continue }
            while let item = try? items.next(in: body) { _ = body.extracting(item.range) }
        case .goodbye:
            guard let goodbye = try? Goodbye.parse(body) else { continue }
            for index in 0..<goodbye.count { _ = goodbye.ssrc(index, in: body) }
        case .nack:
            guard var nack = try? Nack.parse(body) else { continue }
            while nack.next(in: body) != nil {}
        case .transportFeedback:
            guard var feedback = try? TransportFeedback.parse(body) else { continue }
            var statuses = 0
            while feedback.next(in: body) != nil { statuses += 1 }
            precondition(statuses == feedback.statusCount)
        case .pictureLossIndication:
            _ = try? PictureLossIndication.parse(body)
        case .fullIntraRequest:
            guard let request = try? FullIntraRequest.parse(body) else { continue }
            for index in 0..<request.count { _ = request.entry(index, in: body) }
        case .receiverEstimate:
            guard let estimate = try? ReceiverEstimate.parse(body) else { continue }
            for index in 0..<estimate.count { _ = estimate.ssrc(index, in: body) }
        case .extendedReport:
            guard var blocks = try? ExtendedReport.parse(body) else { continue }
            while let block = try? blocks.next(in: body) {
                _ = block.referenceTime(in: body)
                for index in 0..<block.delayCount { _ = block.delay(index, in: body) }
            }
        case .unknown:
            continue
        }
    }
    return 0
}
