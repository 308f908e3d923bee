import CWebSockets
import Synchronization

/// What other threads ask of the service thread.
enum ServiceRequest: Sendable {
    /// The socket has something to write, or is to be closed.
    case attend(UInt64)
    /// The answer to an HTTP request.
    case respond(UInt64, HTTPResponse)
    /// Time passed.
    case tick
    /// Read the certificate anew; says when it expires.
    case loadCertificate(CertificateFiles, @Sendable (Result<Int64?, CertificateError>) -> Void)
    /// Close every socket with this code, and take no new ones.
    case drain(CloseCode, reason: String)
    /// End the thread once all sockets are gone and all requests answered, or after so many milliseconds.
    case stop(withinMs: Int64)
}

/// The way to the service thread; wakes it up. libwebsockets allows nothing else from another thread.
final class ServiceMailbox: Sendable {
    private let state = Mutex(State())

    private struct State {
        var requests: [ServiceRequest] = []
        /// The address of the context, 0 before it exists and after it is gone. The lock is held while it is used.
        var context: UInt = 0
    }

    func post(_ request: ServiceRequest) {
        state.withLock { state in
            let wasEmpty = state.requests.isEmpty
            state.requests.append(request)
            guard wasEmpty, let context = unsafe OpaquePointer(bitPattern: state.context) else { return }
            unsafe lws_cancel_service(context)
        }
    }

    func take() -> [ServiceRequest] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
    }

    func attach(_ context: OpaquePointer?) {
        state.withLock { state in
            state.context = UInt(bitPattern: context)
            if let context = unsafe context, !state.requests.isEmpty { unsafe lws_cancel_service(context) }
        }
    }
}
