import CLinux
import Wire

/// Why the operating system refused something, as a reason to act on and one line to show.
public struct SocketError: Error, Hashable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        /// Somebody else has the port.
        case addressTaken
        /// The machine has no such address.
        case addressUnavailable
        case notPermitted
        case tooManyDescriptors
        case unsupported
        case noMemory
        case other
    }

    public let reason: Reason
    /// The errno, positive; 0 when the refusal isn't the kernel's.
    public let code: Int32
    /// One line, such as "UDP port 3478 on 0.0.0.0 is taken".
    public let description: String

    init(reason: Reason, code: Int32, description: String) {
        self.reason = reason
        self.code = code
        self.description = description
    }

    /// From a result of CLinux, which is the negative errno.
    init(_ operation: String, result: Int32) {
        let code = 0 &- result
        self.init(
            reason: Reason(code: code), code: code, description: "\(operation): \(errorText(code))")
    }

    /// For a port that couldn't be opened.
    init(opening transport: String, at address: SocketAddress, result: Int32) {
        let code = 0 &- result
        let reason = Reason(code: code)
        let place = "\(transport) port \(address.port) on \(address.hostText)"
        let text =
            switch reason {
            case .addressTaken: "\(place) is taken"
            case .addressUnavailable:
                "\(transport) port \(address.port) can't be opened: \(address.hostText) isn't an address of "
                    + "this machine"
            case .notPermitted: "\(place) can't be opened: not permitted"
            default: "\(place) can't be opened: \(errorText(code))"
            }
        self.init(reason: reason, code: code, description: text)
    }

    static func noMemory(_ purpose: String) -> SocketError {
        SocketError(reason: .noMemory, code: 0, description: "no memory for \(purpose)")
    }
}

extension SocketError.Reason {
    init(code: Int32) {
        switch cl_errno_name(code) {
        case CL_EADDRINUSE: self = .addressTaken
        case CL_EADDRNOTAVAIL: self = .addressUnavailable
        case CL_EACCES, CL_EPERM: self = .notPermitted
        case CL_EMFILE, CL_ENFILE: self = .tooManyDescriptors
        case CL_EAFNOSUPPORT, CL_EOPNOTSUPP, CL_ENOPROTOOPT, CL_ENOSYS: self = .unsupported
        case CL_ENOBUFS: self = .noMemory
        default: self = .other
        }
    }
}

private func errorText(_ code: Int32) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { text in
        guard let start = text.baseAddress else { return "" }
        unsafe cl_errno_text(code, start, 128)
        return unsafe String(cString: start)
    }
}
