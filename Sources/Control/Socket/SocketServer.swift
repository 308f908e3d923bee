import CWebSockets
import Glibc

/// HTTP and WebSocket on one port, by libwebsockets, on a thread of its own.
final class SocketServer: Sendable {
    private let mailbox = ServiceMailbox()
    private let handler: any SocketHandler
    private let limits: SocketLimits
    private let count: @Sendable (Int) -> Void

    /// - Parameter count: called with 1 for each socket that is opened, and with -1 when it is gone.
    init(handler: any SocketHandler, limits: SocketLimits, count: @escaping @Sendable (Int) -> Void) {
        self.handler = handler
        self.limits = limits
        self.count = count
    }

    /// Binds the port and starts the thread. Nothing is left behind if it throws.
    ///
    /// - Parameters:
    ///   - host: an address or the name of an interface; nil for all of them.
    ///   - port: 0 for any.
    ///   - tls: the certificate; nil: plain HTTP.
    ///   - onExit: called on the thread when it ends.
    /// - Returns: The port that is bound, and when the certificate expires, in milliseconds since 1970.
    func start(
        host: String?, port: UInt16, tls: CertificateFiles?, onExit: @escaping @Sendable () -> Void
    ) throws(ServerError) -> (port: UInt16, certificateExpiresAt: Int64?) {
        FileLimit.raise()
        try PortProbe.check(host: host, port: port)
        lws_set_log_level(0, nil)
        let loop = ServiceLoop(
            mailbox: mailbox, handler: handler, limits: limits, count: count, onExit: onExit)
        let bound = try loop.open(host: host, port: port, tls: tls)
        let expiresAt = loop.certificate?.expiresAt
        try loop.startThread()
        return (bound, expiresAt)
    }

    /// Closes every socket with 4010, and takes no new ones.
    func drain() {
        mailbox.post(.drain(.draining, reason: "server draining"))
    }

    /// Reads the certificate anew: who connects from then on gets it. If it can't be used, the old one stays.
    ///
    /// - Parameter done: called with when it expires, in milliseconds since 1970.
    func loadCertificate(
        _ files: CertificateFiles, _ done: @escaping @Sendable (Result<Int64?, CertificateError>) -> Void
    ) {
        mailbox.post(.loadCertificate(files, done))
    }

    /// Ends the thread once all sockets are gone and all requests answered; after `withinMs` what is left is cut.
    func stop(withinMs: Int64) {
        mailbox.post(.stop(withinMs: withinMs))
    }

    /// To be called several times a second until the thread has ended: time-outs are checked.
    func tick() {
        mailbox.post(.tick)
    }
}

/// Why the server can't start.
public enum ServerError: Error, Sendable, CustomStringConvertible {
    case portTaken(host: String, port: UInt16)
    case cannotBind(host: String, port: UInt16, reason: String)
    case badAddress(String)
    case badCertificate(CertificateError)
    /// libwebsockets or the system refused.
    case cannotStart(String)

    public var description: String {
        switch self {
        case .portTaken(let host, let port): "TCP port \(port) on \(host) is taken by another program"
        case .cannotBind(let host, let port, let reason):
            "can't listen on \(host), TCP port \(port): \(reason)"
        case .badCertificate(let error): error.description
        case .badAddress(let host): "\(host) is not an address of this machine"
        case .cannotStart(let reason): "the HTTP server can't start: \(reason)"
        }
    }
}

/// How many files, and so sockets, the process may have.
enum FileLimit {
    /// What holds now; 0 if the system doesn't say.
    static var current: Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Connections are taken with descriptors below this one, so that some dozens are left for files, and for what the
    /// runtime opens itself: it ends the process when it can't.
    static var forConnections: Int {
        let limit = current
        return limit > 0 ? limit - max(16, min(128, limit / 8)) : .max
    }

    /// WebSockets are taken with descriptors below this one: those who come then are told that the server is full, and
    /// whoever asks how it does is answered.
    static var forSockets: Int {
        let limit = current
        return limit > 0 ? forConnections - max(4, min(32, limit / 32)) : .max
    }

    /// Whether another WebSocket would be refused for want of a descriptor. Asks the system.
    static var isReached: Bool {
        let next = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard next >= 0 else { return true }
        close(next)
        return Int(next) >= forSockets
    }

    /// Raises it as far as the system lets us, at most to 65,536: tables are made for that many.
    static func raise() {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        let wanted = min(limit.rlim_max, 65_536)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = wanted
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// Tries to bind a port, because libwebsockets doesn't say why it can't.
enum PortProbe {
    static func check(host: String?, port: UInt16) throws(ServerError) {
        let shown = host ?? "any address"
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        unsafe hints.ai_family = host == nil && hasIPv6 ? AF_INET6 : AF_UNSPEC
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &found) == 0, let address = unsafe found else {
            throw .badAddress(shown)
        }
        defer { unsafe freeaddrinfo(address) }
        let descriptor = unsafe socket(address.pointee.ai_family, address.pointee.ai_socktype, 0)
        guard descriptor >= 0 else {
            throw .cannotBind(host: shown, port: port, reason: unsafe String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var yes: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard unsafe bind(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) != 0 else {
            // Another listener with SO_REUSEADDR shows at listen only.
            guard listen(descriptor, 1) != 0 else { return }
            throw failure(errno, host: shown, port: port)
        }
        throw failure(errno, host: shown, port: port)
    }

    /// Whether this is an address of IPv4, not that of an interface or of all.
    static func isIPv4(_ host: String?) -> Bool {
        guard let host else { return false }
        var address = in_addr()
        return unsafe inet_pton(AF_INET, host, &address) == 1
    }

    /// Whether the kernel has IPv6.
    static let hasIPv6: Bool = {
        let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }()

    private static func failure(_ code: Int32, host: String, port: UInt16) -> ServerError {
        switch code {
        case EADDRINUSE: .portTaken(host: host, port: port)
        case EADDRNOTAVAIL: .badAddress(host)
        default: .cannotBind(host: host, port: port, reason: unsafe String(cString: strerror(code)))
        }
    }
}
