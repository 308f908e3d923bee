import COpenSSL

/// What OpenSSL's callbacks need to know and find out about one connection. Reached through the `SSL`'s first ex data.
final class DTLSPeer {
    /// First retransmission after 50 ms, then after twice as long each time, at most 2 s (RFC 6347 section 4.2.4.1 lets
    /// one start below a second where the path is known to be short or loss is costly).
    private static let firstTimeout: UInt32 = 50_000
    private static let longestTimeout: UInt32 = 2_000_000

    /// What the SDP announced; one match is enough.
    private let fingerprints: [CertificateFingerprint]
    /// The certificate that came is one of the announced ones.
    private(set) var isVerified = false
    /// A certificate came, and it is none of them.
    private(set) var isRefused = false
    private(set) var alertsReceived = 0
    private(set) var alertsSent = 0

    init(fingerprints: [CertificateFingerprint]) {
        self.fingerprints = fingerprints
    }

    /// Lets the callbacks of `connection` find this object, which must outlive it.
    func attach(to connection: OpaquePointer) -> Bool {
        unsafe SSL_set_info_callback(connection) { connection, event, code in
            unsafe DTLSPeer.of(connection)?.note(event: event, code: code)
        }
        unsafe DTLS_set_timer_cb(connection) { _, previous in
            previous == 0 ? DTLSPeer.firstTimeout : min(previous &* 2, DTLSPeer.longestTimeout)
        }
        return unsafe SSL_set_ex_data(connection, 0, Unmanaged.passUnretained(self).toOpaque()) == 1
    }

    /// Stands in for OpenSSL's verification of chains: 1 if the client's certificate is one that the SDP announced.
    ///
    /// Runs before the client's proof that it holds the key is read, long before keys for media exist.
    static func verify(_ store: OpaquePointer?) -> Int32 {
        guard let store = unsafe store,
            let connection = unsafe X509_STORE_CTX_get_ex_data(
                store, SSL_get_ex_data_X509_STORE_CTX_idx()),
            let peer = unsafe DTLSPeer.of(OpaquePointer(connection))
        else { return 0 }
        let certificate = unsafe X509_STORE_CTX_get0_cert(store)
        if let certificate = unsafe certificate, unsafe peer.accepts(certificate) {
            peer.isVerified = true
            unsafe X509_STORE_CTX_set_error(store, X509_V_OK)
            return 1
        }
        peer.isRefused = true
        unsafe X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED)
        return 0
    }

    private func accepts(_ certificate: OpaquePointer) -> Bool {
        var isAccepted = false
        for fingerprint in fingerprints {
            let own = unsafe CertificateFingerprint.of(certificate, fingerprint.algorithm)
            if let own, own.matches(fingerprint) { isAccepted = true }
        }
        return isAccepted
    }

    private func note(event: Int32, code: Int32) {
        switch event {
        case SSL_CB_READ | SSL_CB_ALERT: alertsReceived += 1
        case SSL_CB_WRITE | SSL_CB_ALERT: alertsSent += 1
        default: break
        }
    }

    private static func of(_ connection: OpaquePointer?) -> DTLSPeer? {
        guard let pointer = unsafe SSL_get_ex_data(connection, 0) else { return nil }
        return unsafe Unmanaged<DTLSPeer>.fromOpaque(pointer).takeUnretainedValue()
    }
}
