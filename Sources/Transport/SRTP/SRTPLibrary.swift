import CSRTP

/// libsrtp2, initialized once in the process, whichever thread comes first.
struct SRTPLibrary: Sendable {
    private static let shared = SRTPLibrary()

    private let status: srtp_err_status_t
    /// The address of a session that is never used nor freed. Where libsrtp2 is built on NSS, NSS shuts down
    /// with the last session and takes over a millisecond to start again with the next.
    private let keeper: UInt

    private init() {
        let status = srtp_init()
        var session: srtp_t?
        if status == srtp_err_status_ok {
            var zeros = [UInt8](repeating: 0, count: 30)
            unsafe zeros.withUnsafeMutableBufferPointer { zeros in
                var policy = unsafe Self.policy(.aes128GCM, key: zeros.baseAddress, window: 128)
                unsafe _ = srtp_create(&session, &policy)
            }
        }
        self.status = status
        keeper = UInt(bitPattern: session)
    }

    /// A session with one template, from which the library makes a stream for each SSRC that proves authentic.
    static func makeSession(key: borrowing SRTPMasterKey, window: Int) throws(SRTPError) -> srtp_t {
        guard shared.status == srtp_err_status_ok else {
            throw SRTPError(shared.status)
        }
        var policy = unsafe policy(key.suite, key: key.bytes, window: window)
        var session: srtp_t?
        let status = unsafe srtp_create(&session, &policy)
        guard status == srtp_err_status_ok, let session = unsafe session else {
            throw SRTPError(status)
        }
        return unsafe session
    }

    private static func policy(
        _ suite: SRTPSuite, key: UnsafeMutablePointer<UInt8>?, window: Int
    ) -> srtp_policy_t {
        var policy = unsafe srtp_policy_t()
        unsafe policy.ssrc.type = ssrc_any_inbound
        switch suite {
        case .aes128GCM:
            unsafe srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtp)
            unsafe srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtcp)
        case .aes256GCM:
            unsafe srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy.rtp)
            unsafe srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy.rtcp)
        case .aes128CMSHA1:
            unsafe srtp_crypto_policy_set_rtp_default(&policy.rtp)
            unsafe srtp_crypto_policy_set_rtcp_default(&policy.rtcp)
        }
        unsafe policy.key = unsafe key
        unsafe policy.window_size = UInt(window)
        return unsafe policy
    }
}

extension SRTPError {
    init(_ status: srtp_err_status_t) {
        self =
            switch status {
            case srtp_err_status_auth_fail: .authenticationFailed
            case srtp_err_status_replay_fail, srtp_err_status_replay_old, srtp_err_status_pkt_idx_old:
                .replayed
            case srtp_err_status_key_expired: .keyExpired
            case srtp_err_status_bad_param, srtp_err_status_parse_err: .malformed
            default: .libraryFailed(status: Int32(truncatingIfNeeded: status.rawValue))
            }
    }
}
