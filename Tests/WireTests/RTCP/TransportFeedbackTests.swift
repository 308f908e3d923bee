import FixedCollections
import Testing
import Wire

@Suite struct TransportFeedbackTests {
    /// 9 statuses from 100 on in a one-bit vector: received, not, received, received, five not.
    static let padded = hex("AFCD0006 00000001 00000002 0064 0009 000001 02 AC00 010203 000003")

    private func head(_ count: Int) -> String {
        "8FCD0000 00000001 00000002 FFFF " + String(count, radix: 16).leftPadded(4) + " FFFFFF 07"
    }

    private func read(_ bytes: [UInt8]) throws(RTCPError) -> [String] {
        var feedback = try TransportFeedback.parse(bytes.span)
        var result: [String] = []
        while let status = feedback.next(in: bytes.span) {
            let fate = status.isReceived ? "+\(status.arrivalTicks)" : "-"
            result.append("\(status.sequenceNumber.rawValue)\(fate)")
        }
        return result
    }

    @Test func `a one-bit vector is read up to the count`() throws {
        var reader = RTCPReader()
        let bytes = Self.padded
        let packet = try #require(try reader.next(in: bytes.span))
        let body = Array(bytes[packet.range])
        let feedback = try TransportFeedback.parse(body.span)
        #expect(feedback.baseSequenceNumber == SequenceNumber(100))
        #expect(feedback.referenceTime == 1 && feedback.feedbackCount == 2)
        let expected = ["100+1", "101-", "102+3", "103+6", "104-", "105-", "106-", "107-", "108-"]
        #expect(try read(body) == expected)
    }

    @Test func `runs, two-bit vectors and negative deltas are read over the wrap`() throws {
        // A run of 3 small; a vector of large, none, small, none…
        let bytes = hex(head(6) + "2003 E100 01 02 03 FFFA 04")
        #expect(try read(bytes) == ["65535+1", "0+3", "1+6", "2+0", "3-", "4+4"])
        let feedback = try TransportFeedback.parse(bytes.span)
        #expect(feedback.referenceTime == -1)
    }

    @Test func `a run longer than the count ends with it`() throws {
        let bytes = hex(head(2) + "3FFF 01 02")
        #expect(try read(bytes) == ["65535+1", "0+3"])
    }

    @Test(arguments: [
        (0, "2003 010203", RTCPError.malformed),
        (3, "2000 010203", .malformed),
        (3, "6003 010203", .malformed),
        (3, "F000 010203", .malformed),
        (4, "2003 01020304", .truncated),
        (3, "2003 0102", .truncated),
        (3, "4003 0102030405", .truncated),
        (15, "BFFF 0102030405060708090A0B0C0D0E", .truncated),
        (65_535, "1FFF 1FFF", .truncated),
    ])
    func `counts that the length doesn't hold are refused`(count: Int, rest: String, expected: RTCPError) {
        #expect(throws: expected) { try read(hex(head(count) + rest)) }
    }

    @Test func `65535 lost packets fit a small message`() throws {
        let bytes = hex(head(65_535) + String(repeating: "1FFF", count: 9))
        #expect(try read(bytes).count == 65_535)
    }
}

extension String {
    fileprivate func leftPadded(_ length: Int) -> String {
        String(repeating: "0", count: Swift.max(0, length - count)) + self
    }
}
