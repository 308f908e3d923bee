import Testing
import TestSupport

@testable import Wire

struct STUNBindingRequestTests {
    @Test func `the request of RFC 5769 is read in full`() throws {
        let bytes = STUNVectors.request
        let request = try readRequest(bytes)
        #expect(request.transactionID == STUNTransactionID(high: 0xb7e7_a701, low: 0xbc34_d686_fa87_dfae))
        #expect(String(decoding: bytes[request.username], as: UTF8.self) == "evtj:h6vY")
        #expect(request.priority == 0x6e00_01ff)
        #expect(request.role == .controlled)
        #expect(!request.nominates)
        #expect(request.unknownCount == 0)
        #expect(request.integrity.offset == 76)
        #expect(request.integrity.lengthField == 0x50)
    }

    @Test func `the local ufrag is what stands before the colon`() {
        let bytes = STUNVectors.request
        let range = localUfrag(bytes)
        #expect(range.map { String(decoding: bytes[$0], as: UTF8.self) } == "evtj")
    }

    @Test(arguments: ["", ":", ":peer", "nocolon"])
    func `a username without a local part has no ufrag`(username: String) {
        let bytes = message(username: username)
        #expect(localUfrag(bytes) == nil)
    }

    @Test func `one changed bit anywhere is noticed`() {
        for index in STUNVectors.request.indices {
            for bit in 0..<8 {
                var bytes = STUNVectors.request
                bytes[index] ^= 1 << bit
                #expect(throws: STUNError.self) { try readRequest(bytes) }
            }
        }
    }

    @Test func `every truncation is refused`() {
        for count in 0..<STUNVectors.request.count {
            let bytes = Array(STUNVectors.request[..<count])
            #expect(throws: STUNError.malformed) { try readRequest(bytes) }
            #expect(localUfrag(bytes) == nil)
        }
    }

    @Test func `what is missing is named`() {
        #expect(throws: STUNError.username) {
            try readRequest(message(username: ""))
        }
        #expect(throws: STUNError.integrity) {
            try readRequest(message(username: "a:b", signs: false))
        }
        #expect(throws: STUNError.fingerprint) {
            try readRequest(message(username: "a:b", hasFingerprint: false))
        }
        #expect(throws: STUNError.unexpectedType) {
            try readRequest(STUNVectors.responseIPv4)
        }
        #expect(throws: STUNError.username) {
            try readRequest(message(username: String(repeating: "x", count: 514)))
        }
    }

    @Test func `attributes that must be understood are collected up to a bound`() throws {
        let unknown = (0..<9).map { STUNAttributeType(rawValue: 0x7f00 + $0) }
        let bytes = message(username: "a:b", extra: unknown + [STUNAttributeType(rawValue: 0xc057)])
        let request = try readRequest(bytes)
        #expect(request.unknownCount == STUNBindingRequest.unknownCapacity)
        #expect(request.unknown[0] == unknown[0])
        #expect(request.unknown[3] == unknown[3])
    }

    @Test func `what stands behind the integrity is ignored`() throws {
        let bytes = message(username: "a:b", behind: [.useCandidate])
        #expect(try !readRequest(bytes).nominates)
        let signed = message(username: "a:b", extra: [.useCandidate])
        #expect(try readRequest(signed).nominates)
    }

    @Test func `damaged and random messages never trap`() {
        var generator = SeededGenerator(seed: 7)
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = STUNVectors.request
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            bytes.removeLast(Int.random(in: 0...3, using: &generator) * 4)
            resign(&bytes)
            if (try? readRequest(bytes)) != nil { accepted += 1 }
            _ = try? readResponse(bytes)
            _ = localUfrag(bytes)
        }
        #expect(accepted > 0)
    }

    /// Makes length and fingerprint right again, so that damage reaches the attribute readers.
    private func resign(_ bytes: inout [UInt8]) {
        let count = bytes.count
        let end = count - STUNFingerprint.size
        var span = bytes.mutableSpan
        span.store(UInt16(count - STUNHeader.size), at: 2)
        span.store(STUNHeader.magicCookie, at: 4)
        span.store(STUNAttributeType.fingerprint.rawValue, at: end)
        span.store(UInt16(4), at: end + 2)
        span.store(STUNFingerprint.value(of: span.span, count: end), at: end + 4)
    }

    private func message(
        username: String, extra: [STUNAttributeType] = [], behind: [STUNAttributeType] = [],
        signs: Bool = true, hasFingerprint: Bool = true
    ) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xff, count: 1_000)
        var span = bytes.mutableSpan
        var writer = STUNWriter(.bindingRequest, STUNTransactionID(high: 1, low: 2), into: &span)
        writer.append(.username, Array(username.utf8).span, into: &span)
        for type in extra { writer.append(type, into: &span) }
        if signs { _ = writer.appendIntegrity(into: &span) }
        for type in behind { writer.append(type, into: &span) }
        if hasFingerprint { writer.appendFingerprint(into: &span) }
        return Array(bytes[..<writer.count])
    }
}
