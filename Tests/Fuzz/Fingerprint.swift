import Transport

/// The value of `a=fingerprint`: refused, or written it says the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    guard let fingerprint = CertificateFingerprint(text) else { return 0 }
    precondition(fingerprint.digest.count == fingerprint.algorithm.digestSize)
    precondition(CertificateFingerprint(fingerprint.text) == fingerprint, "reads back as something else")
    return 0
}
