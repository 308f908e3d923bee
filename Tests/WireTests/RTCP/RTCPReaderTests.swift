import Testing
import Wire

@Suite struct RTCPReaderTests {
    /// A sender report with a block, a source description with the name "ab", a key frame request.
    static let compound = SenderReportTests.report + hex("81CA0003 00000001 0102 6162 00000000") + pli
    static let pli = hex("81CE0002 00000001 00000002")

    private func kinds(of datagram: [UInt8]) throws(RTCPError) -> [RTCPMessageKind] {
        var reader = RTCPReader()
        var kinds: [RTCPMessageKind] = []
        while let packet = try reader.next(in: datagram.span) { kinds.append(packet.kind(in: datagram.span)) }
        return kinds
    }

    @Test func `all packets of a compound are found`() throws {
        #expect(try kinds(of: Self.compound) == [.senderReport, .sourceDescription, .pictureLossIndication])
    }

    @Test func `a feedback message alone is read`() throws {
        #expect(try kinds(of: Self.pli) == [.pictureLossIndication])
    }

    @Test func `unknown types and formats are passed over`() throws {
        let datagram = hex("80CC0001 41424344 80DF0000 9FCE0002 00000001 00000002") + Self.pli
        #expect(try kinds(of: datagram) == [.unknown, .unknown, .unknown, .pictureLossIndication])
        let notREMB = hex("8FCE0004 00000001 00000000 52454D43 00000000")
        #expect(try kinds(of: notREMB) == [.unknown])
    }

    @Test(arguments: [
        ("80", RTCPError.truncated),
        ("41CE0002 00000001 00000002", .wrongVersion),
        ("81CE0003 00000001 00000002", .truncated),
        ("81CEFFFF 00000001 00000002", .truncated),
        ("A1CE0002 00000001 00000000", .invalidPadding),
        ("A1CE0002 00000001 00000009", .invalidPadding),
        ("A1CE0002 00000001 00000004 81CE0000", .invalidPadding),
    ])
    func `lengths and padding that are wrong are refused`(text: String, expected: RTCPError) {
        #expect(throws: expected) { try kinds(of: hex(text)) }
    }

    @Test func `padding of the last packet is left out`() throws {
        let datagram = Self.pli + hex("A1CE0003 00000001 00000002 00000004")
        var reader = RTCPReader()
        _ = try reader.next(in: datagram.span)
        let last = try reader.next(in: datagram.span)
        #expect(last?.range == 12..<24)
    }

    @Test func `after an error there is nothing more`() throws {
        let datagram = hex("41CE0002 00000001 00000002") + Self.pli
        var reader = RTCPReader()
        let error = outcome { () throws(RTCPError) in _ = try reader.next(in: datagram.span) }
        let next = try reader.next(in: datagram.span)
        #expect(error == .wrongVersion)
        #expect(next == nil)
    }

    @Test func `a message cut short is refused, wherever`() throws {
        let feedback = TransportFeedbackTests.padded
        for sample in [Self.compound, feedback, NackTests.message, ExtendedReportTests.both] {
            for count in 1..<sample.count {
                let prefix = Array(sample.prefix(count))
                let whole = try kinds(of: sample).count
                let read = (try? kinds(of: prefix))?.count
                #expect(read == nil || read ?? whole < whole, "\(count) of \(sample.count) bytes")
            }
        }
    }

    @Test func `hostile bytes are read without reaching past the end`() throws {
        var inputs = HostileInputs(
            seed: 2,
            changing: [
                Self.compound, TransportFeedbackTests.padded, NackTests.message, ExtendedReportTests.both,
                FeedbackMessageTests.estimate, FeedbackMessageTests.request, SenderReportTests.receiverReport,
            ])
        var messages = 0
        for _ in 0..<100_000 {
            let bytes = inputs.next()
            var reader = RTCPReader()
            while let packet = try? reader.next(in: bytes.span) {
                try #require(packet.range.upperBound <= bytes.count)
                messages += Self.walk(packet, bytes) ? 1 : 0
            }
        }
        #expect(messages > 10_000)
    }

    /// Reads everything in a message; false if it is refused.
    private static func walk(_ packet: RTCPPacket, _ bytes: [UInt8]) -> Bool {
        let body = bytes.span.extracting(packet.range)
        switch packet.kind(in: bytes.span) {
        case .senderReport:
            guard let report = try? SenderReport.parse(body) else { return false }
            for index in 0..<report.blocks.count { _ = report.blocks.block(index, in: body) }
        case .receiverReport:
            guard let report = try? ReceiverReport.parse(body) else { return false }
            for index in 0..<report.blocks.count { _ = report.blocks.block(index, in: body) }
        case .sourceDescription:
            guard var items = try? SourceDescription.parse(body) else { return false }
            while let item = try? items.next(in: body) { _ = body.extracting(item.range) }
        case .goodbye:
            guard let goodbye = try? Goodbye.parse(body) else { return false }
            for index in 0..<goodbye.count { _ = goodbye.ssrc(index, in: body) }
        case .nack:
            guard var nack = try? Nack.parse(body) else { return false }
            while nack.next(in: body) != nil {}
        case .transportFeedback:
            guard var feedback = try? TransportFeedback.parse(body) else { return false }
            while feedback.next(in: body) != nil {}
        case .pictureLossIndication:
            return (try? PictureLossIndication.parse(body)) != nil
        case .fullIntraRequest:
            guard let request = try? FullIntraRequest.parse(body) else { return false }
            for index in 0..<request.count { _ = request.entry(index, in: body) }
        case .receiverEstimate:
            guard let estimate = try? ReceiverEstimate.parse(body) else { return false }
            for index in 0..<estimate.count { _ = estimate.ssrc(index, in: body) }
        case .extendedReport:
            guard var blocks = try? ExtendedReport.parse(body) else { return false }
            while let block = try? blocks.next(in: body) {
                for index in 0..<block.delayCount { _ = block.delay(index, in: body) }
            }
        case .unknown:
            return false
        }
        return true
    }
}
