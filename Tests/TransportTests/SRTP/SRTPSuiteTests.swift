import Testing
import Wire

@testable import Transport

struct SRTPSuiteTests {
    @Test(arguments: SRTPSuite.allCases)
    func `a suite is found by its identifier`(suite: SRTPSuite) {
        #expect(SRTPSuite(profileID: suite.profileID) == suite)
        #expect(SRTPSuite.preferredProfileNames.contains(suite.profileName))
    }

    @Test func `an identifier that isn't supported is no suite`() {
        #expect(SRTPSuite(profileID: 0x0002) == nil)
        #expect(SRTPSuite(profileID: 0xffff) == nil)
    }

    @Test(arguments: SRTPSuite.allCases)
    func `exported material is client key, server key, client salt, server salt`(suite: SRTPSuite) throws {
        let (key, salt) = (suite.keyLength, suite.saltLength)
        var material = [UInt8](repeating: 1, count: key) + [UInt8](repeating: 2, count: key)
        material += [UInt8](repeating: 3, count: salt) + [UInt8](repeating: 4, count: salt)
        let keys = try SRTPMasterKeys(suite: suite, exported: material.span)
        for index in 0..<key {
            #expect(unsafe keys.client.bytes[index] == 1 && keys.server.bytes[index] == 2)
        }
        for index in key..<key + salt {
            #expect(unsafe keys.client.bytes[index] == 3 && keys.server.bytes[index] == 4)
        }
    }

    @Test(arguments: SRTPSuite.allCases)
    func `material of another length is refused`(suite: SRTPSuite) {
        for length in [0, suite.keyingMaterialLength - 1, suite.keyingMaterialLength + 1] {
            let material = [UInt8](repeating: 1, count: length)
            let error = failure { _ = try SRTPMasterKeys(suite: suite, exported: material.span) }
            #expect(error == .badKeyLength)
        }
    }
}
