import Testing
import Wire

@testable import Transport

/// Published vectors: RFC 3711 appendix B, RFC 7714 sections 16 and 17, and the packets of libsrtp's own test
/// program.
struct SRTPVectorTests {
    private let gcm128 = "000102030405060708090a0b0c0d0e0f"
    private let gcm256 = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
    private let gcmSalt = "517569642070726f2071756f"

    @Test func `session keys are those of RFC 3711 appendix B3`() throws {
        let keys = try SessionKeys(from: appendixB3(), for: .rtp)
        #expect(unsafe read(keys.encryptionKey, 16) == bytes(hex: "c61e7a93744f39ee10734afe3ff7a087"))
        #expect(
            unsafe read(keys.authenticationKey, 20) == bytes(hex: "cebe321f6ff7716b6fd4ab49af256a156d38baa4"))
        #expect(unsafe read(keys.saltBytes, 14) == bytes(hex: "30cbbc08863d8c85d49db34a9ae1"))
    }

    @Test(arguments: sealingPreferences)
    func `the keystream is that of RFC 3711 appendix B2`(preference: SealingPreference) throws {
        var engine = SealingEngine(preference: preference)
        let key = "2b7e151628aed2a6abf7158809cf4f3c"
        let salt = "f0f1f2f3f4f5f6f7f8f9fafbfcfd"
        var sealer = try sealer(.aes128CMSHA1, key: key, salt: salt, engine: engine)
        let stream = try sealer.registerStream(SSRC(0))
        let header = rtpHeader(sequence: 0, ssrc: 0)
        let zeros = [UInt8](repeating: 0, count: 48)
        let sealed = try seal(&sealer, stream, header: header, payload: zeros, engine: &engine)
        let keystream = bytes(
            hex: """
                e03ead0935c95e80e166b16dd92b4eb4 d23513162b02d0f72a43a2fe4a5f97ab
                41e95b3bb0a2e8dd477901e4fca894c0
                """)
        #expect(Array(sealed[12..<60]) == keystream)
    }

    @Test(arguments: sealingPreferences)
    func `an AES CM packet is that of libsrtp`(preference: SealingPreference) throws {
        var engine = SealingEngine(preference: preference)
        var sealer = try Sealer(key: appendixB3(), engine: engine)
        let stream = try sealer.registerStream(SSRC(0xcafe_babe))
        let payload = [UInt8](repeating: 0xab, count: 16)
        let header = bytes(hex: "800f1234decafbadcafebabe")
        let sealed = try seal(&sealer, stream, header: header, payload: payload, engine: &engine)
        let expected = "4e55dc4ce79978d88ca4d215949d2402b78d6acc99ea179b8dbb"
        #expect(sealed == header + bytes(hex: expected))

        var receiver = try SRTPReceiver(key: appendixB3())
        #expect(try open(&receiver, sealed) == header + payload)
    }

    @Test func `an AES CM control packet is that of libsrtp`() throws {
        let engine = SealingEngine(preference: .openSSL)
        var sealer = try Sealer(key: appendixB3(), engine: engine)
        sealer.rtcpIndex = 1
        let packet = bytes(hex: "81c8000bcafebabe") + [UInt8](repeating: 0xab, count: 16)
        let expected = "81c8000bcafebabe7128035be487b9bdbef89041f977a5a880000001993e08cd54d6c1230798"
        #expect(try sealRTCP(&sealer, packet) == bytes(hex: expected))
    }

    @Test(arguments: sealingPreferences)
    func `GCM packets are those of RFC 7714 section 16`(preference: SealingPreference) throws {
        var engine = SealingEngine(preference: preference)
        let header = bytes(hex: "8040f17b8041f8d35501a0b2")
        let payload = Array("Gallia est omnis divisa in partes tres".utf8)
        let cases: [(SRTPSuite, String, String)] = [
            (
                .aes128GCM, gcm128,
                """
                f24de3a3fb34de6cacba861c9d7e4bcabe633bd50d294e6f42a5f47a51c7d19b36de3adf8833
                899d7f27beb16a9152cf765ee4390cce
                """
            ),
            (
                .aes256GCM, gcm256,
                """
                32b1de78a822fe12ef9f78fa332e33aab18012389a58e2f3b50b2a0276ffae0f1ba63799b87b
                7aa3db36dfffd6b0f9bb7878d7a76c13
                """
            ),
        ]
        for (suite, key, expected) in cases {
            var sealer = try sealer(suite, key: key, salt: gcmSalt, engine: engine)
            let stream = try sealer.registerStream(SSRC(0x5501_a0b2))
            let sealed = try seal(&sealer, stream, header: header, payload: payload, engine: &engine)
            #expect(sealed == header + bytes(hex: expected), "\(suite)")
        }
    }

    @Test func `GCM control packets are those of RFC 7714 section 17`() throws {
        let engine = SealingEngine(preference: .openSSL)
        let packet = bytes(
            hex: """
                81c8000d4d6172734e5450314e545032525450200000042a0000e9304c756e61
                deadbeefdeadbeefdeadbeefdeadbeefdeadbeef
                """)
        let cases: [(SRTPSuite, String, String)] = [
            (
                .aes128GCM, gcm128,
                """
                81c8000d4d61727363e94885dcdab67ca727d7662f6b7e997ff5c0f76c06f32dc676a5f1730d6fda
                4ce09b4686303ded0bb9275bc84aa45896cf4d2fc5abf87245d9eade800005d4
                """
            ),
            (
                .aes256GCM, gcm256,
                """
                81c8000d4d617273d50ae4d1f5ce5d304ba297e47d470c282c3ece5dbffe0a50a2eaa5c1110555be
                8415f658c61de0476f1b6fad1d1eb30c4446839f57ff6f6cb26ac3be800005d4
                """
            ),
        ]
        for (suite, key, expected) in cases {
            var sealer = try sealer(suite, key: key, salt: gcmSalt, engine: engine)
            sealer.rtcpIndex = 0x5d4
            #expect(try sealRTCP(&sealer, packet) == bytes(hex: expected), "\(suite)")
        }
    }

    /// The master key of RFC 3711 appendix B.3.
    private func appendixB3() throws -> SRTPMasterKey {
        let key = bytes(hex: "e1f97a0d3e018be0d64fa32c06de4139")
        let salt = bytes(hex: "0ec675ad498afeebb6960b3aabe6")
        return try SRTPMasterKey(suite: .aes128CMSHA1, key: key.span, salt: salt.span)
    }

    /// A sealer with these session keys: the vectors leave the derivation out.
    private func sealer(
        _ suite: SRTPSuite, key: String, salt: String, engine: borrowing SealingEngine
    ) throws -> Sealer {
        try Sealer(
            rtp: sessionKeys(suite, key: key, salt: salt), rtcp: sessionKeys(suite, key: key, salt: salt),
            streamCapacity: 4, engine: engine)
    }

    private func sessionKeys(_ suite: SRTPSuite, key: String, salt: String) -> SessionKeys {
        let keys = SessionKeys(suite: suite)
        for (index, byte) in bytes(hex: key).enumerated() {
            unsafe keys.encryptionKey[index] = byte
        }
        for (index, byte) in bytes(hex: salt).enumerated() {
            unsafe keys.saltBytes[index] = byte
        }
        return keys
    }

    private func read(_ pointer: UnsafePointer<UInt8>, _ count: Int) -> [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: pointer, count: count))
    }
}
