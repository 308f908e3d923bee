import Foundation
import Glibc
import Testing

@testable import Control

extension ControlTests {
    /// The files of the server's certificate.
    @Suite struct CertificateTests {
        @Test func `what is no regular file is refused and not waited for`() throws {
            let pipe = FileManager.default.temporaryDirectory.path + "/certificate-\(UUID().uuidString)"
            let made = unsafe mkfifo(pipe, 0o600)
            #expect(made == 0)
            defer { unsafe unlink(pipe) }
            for path in [pipe, FileManager.default.temporaryDirectory.path, "/dev/zero"] {
                let error = #expect(throws: CertificateError.self) {
                    try Certificate(CertificateFiles(certificate: path, privateKey: path))
                }
                #expect(error?.path == path)
                #expect(error?.reason == "it is no regular file")
            }
            let error = #expect(throws: CertificateError.self) {
                try Certificate(CertificateFiles(certificate: pipe + ".pem", privateKey: pipe))
            }
            #expect(error?.reason == "No such file or directory")
        }
    }
}
