import Testing

@testable import Transport

struct CertificateFingerprintTests {
    @Test func `a fingerprint is written as it is read`() throws {
        let text = try DTLSCertificate.generate().fingerprint.text
        #expect(text.utf8.count == 8 + 32 * 3 - 1)
        #expect(CertificateFingerprint(text)?.text == text)
        #expect(CertificateFingerprint(text.lowercased())?.text == text)
    }

    @Test(arguments: [
        "", "sha-256", "sha-256 ", "sha-256 AA:BB",
        "sha-1 AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD",
        "md5 00", "sha-256 AA BB",
    ])
    func `what is no accepted fingerprint is refused`(text: String) {
        #expect(CertificateFingerprint(text) == nil)
    }

    @Test func `digits that aren't hexadecimal are refused`() {
        let good = Array(repeating: "0A", count: 32)
        for bad in ["+A", "-1", "GG", "0", "00A", "é"] {
            #expect(
                CertificateFingerprint("sha-256 " + (good.dropLast() + [bad]).joined(separator: ":")) == nil)
        }
        #expect(CertificateFingerprint("sha-256 " + good.joined(separator: ":")) != nil)
    }

    @Test func `only the same hash of the same function matches`() throws {
        let (first, second) = (try DTLSCertificate.generate(), try DTLSCertificate.generate())
        #expect(first.fingerprint.matches(first.fingerprint))
        #expect(!first.fingerprint.matches(second.fingerprint))
        let long = try #require(try fingerprint(of: first, .sha512))
        #expect(!first.fingerprint.matches(long))
    }
}
