import CWebSockets
import Glibc

/// The libwebsockets context and all connections. Everything here runs on the service thread, `open` apart, which runs
/// before that thread exists.
@safe final class ServiceLoop {
    let mailbox: ServiceMailbox
    let handler: any SocketHandler
    let limits: SocketLimits
    let count: (Int) -> Void
    private let onExit: @Sendable () -> Void

    var sockets: [Handle: SocketConnection] = [:]
    var socketHandles: [UInt64: Handle] = [:]
    var exchanges: [Handle: HTTPExchange] = [:]
    var exchangeHandles: [UInt64: Handle] = [:]
    /// Tokens from the handshakes that are under way.
    var tokens: [Handle: String] = [:]
    /// Why a connection isn't upgraded, until it is answered.
    var refusals: [Handle: APIError] = [:]
    var isDraining = false
    /// What handshakes present; nil: the port speaks plain HTTP.
    var certificate: Certificate?
    var nextID: UInt64 = 1
    /// Turns that libwebsockets has made.
    private(set) var round: UInt64 = 1
    /// When to stop at the latest, in monotonic milliseconds; nil: not at all.
    private var stopAt: Int64?
    private var context: OpaquePointer?
    private var protocols: UnsafeMutablePointer<lws_protocols>
    private var interface: UnsafeMutablePointer<CChar>?
    /// What is written, with room for a frame's header before it.
    private var scratch = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 16_384)

    /// At least LWS_PRE.
    static let headroom = 32
    static let subprotocol: StaticString = "rostrum.v1"

    init(
        mailbox: ServiceMailbox, handler: any SocketHandler, limits: SocketLimits,
        count: @escaping (Int) -> Void, onExit: @escaping @Sendable () -> Void
    ) {
        self.mailbox = mailbox
        self.handler = handler
        self.limits = limits
        self.count = count
        self.onExit = onExit
        unsafe protocols = .allocate(capacity: 3)
        unsafe protocols.initialize(repeating: lws_protocols(), count: 3)
    }

    deinit {
        unsafe protocols.deallocate()
        unsafe free(interface)
        unsafe scratch.deallocate()
    }

    /// Makes the context, which binds the port.
    func open(host: String?, port: UInt16, tls: CertificateFiles?) throws(ServerError) -> UInt16 {
        do throws(CertificateError) {
            certificate = try tls.map { (files) throws(CertificateError) in try Certificate(files) }
        } catch {
            throw .badCertificate(error)
        }
        describeProtocols()
        var info = unsafe lws_context_creation_info()
        unsafe info.port = Int32(port)
        unsafe interface = host.flatMap { unsafe strdup($0) }
        unsafe info.iface = UnsafePointer(interface)
        unsafe info.protocols = UnsafePointer(protocols)
        unsafe info.gid = -1
        unsafe info.uid = -1
        // With IPv6, libwebsockets takes an address of IPv4 for all addresses.
        let usesIPv6 = PortProbe.hasIPv6 && !PortProbe.isIPv4(host)
        unsafe info.options = UInt64(bitPattern: usesIPv6 ? 0 : 1 << 5) | 1 << 30
        unsafe info.max_http_header_data = 8_192
        unsafe info.timeout_secs = 15
        unsafe info.keepalive_timeout = 30
        // How long a request's headers may take: some it never finds the end of.
        unsafe info.timeout_secs_ah_idle = limits.headerSeconds
        unsafe addTLS(to: &info)
        let me = unsafe Unmanaged.passRetained(self)
        unsafe info.user = me.toOpaque()
        guard let made = unsafe lws_create_context(&info) else {
            unsafe me.release()
            throw .cannotStart("libwebsockets makes no context")
        }
        unsafe context = made
        let bound = unsafe lws_get_vhost_listen_port(lws_get_vhost_by_name(made, "default"))
        return UInt16(truncatingIfNeeded: bound)
    }

    private func describeProtocols() {
        // No subprotocol can have this name: it isn't a token.
        let httpName: StaticString = "plain HTTP"
        let socketName = Self.subprotocol
        unsafe protocols[0].name = UnsafeRawPointer(httpName.utf8Start).assumingMemoryBound(to: CChar.self)
        unsafe protocols[0].callback = httpCallback
        unsafe protocols[0].rx_buffer_size = 16_384
        unsafe protocols[1].name = UnsafeRawPointer(socketName.utf8Start).assumingMemoryBound(to: CChar.self)
        unsafe protocols[1].callback = socketCallback
        unsafe protocols[1].rx_buffer_size = 16_384
    }

    /// Starts the thread that runs the context until it is told to stop.
    func startThread() throws(ServerError) {
        var thread = pthread_t()
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        guard unsafe pthread_create(&thread, nil, serviceThread, me) == 0 else {
            unsafe lws_context_destroy(context)
            unsafe Unmanaged.passUnretained(self).release()
            throw .cannotStart("no thread")
        }
        pthread_detach(thread)
    }

    func run() {
        unsafe mailbox.attach(context)
        while !mustStop, unsafe lws_service(context, 0) >= 0 { round &+= 1 }
        unsafe mailbox.attach(nil)
        unsafe lws_context_destroy(context)
        for connection in sockets.values { report(connection) }
        sockets = [:]
        onExit()
        unsafe Unmanaged.passUnretained(self).release()
    }

    /// Whether it was told to stop, and everybody has gone or had their time.
    private var mustStop: Bool {
        guard let stopAt else { return false }
        return (sockets.isEmpty && exchanges.isEmpty) || Clock.monotonic() >= stopAt
    }

    /// Does what other threads asked for.
    func takeRequests() {
        for request in mailbox.take() {
            switch request {
            case .attend(let id): attend(id)
            case .respond(let id, let response): respond(id, response)
            case .tick: checkTimeouts(now: Clock.monotonic())
            case .loadCertificate(let files, let done): loadCertificate(files, done)
            case .drain(let code, let reason):
                isDraining = true
                for connection in sockets.values { connection.socket.close(code, reason: reason) }
            case .stop(let withinMs):
                stopAt = Clock.monotonic() + withinMs
            }
        }
    }

    /// Writes bytes with lws_write, which wants room before them.
    func write(_ bytes: ArraySlice<UInt8>, to handle: Handle, as kind: lws_write_protocol) -> Bool {
        makeRoom(bytes.count)
        put(bytes, at: 0)
        return write(bytes.count, to: handle, as: kind)
    }

    /// Writes a text message.
    func write(_ text: OutboundText, to handle: Handle) -> Bool {
        makeRoom(text.count)
        var place = 0
        for part in text.parts {
            put(part[...], at: place)
            place += part.count
        }
        return write(text.count, to: handle, as: LWS_WRITE_TEXT)
    }

    private func makeRoom(_ count: Int) {
        let needed = Self.headroom + count
        guard unsafe scratch.count < needed else { return }
        unsafe scratch.deallocate()
        unsafe scratch = .allocate(capacity: needed * 2)
    }

    private func put(_ bytes: ArraySlice<UInt8>, at place: Int) {
        guard let start = unsafe scratch.baseAddress else { return }
        unsafe bytes.withUnsafeBytes { source in
            guard let from = source.baseAddress else { return }
            unsafe UnsafeMutableRawPointer(start + Self.headroom + place).copyMemory(
                from: from, byteCount: source.count)
        }
    }

    private func write(_ count: Int, to handle: Handle, as kind: lws_write_protocol) -> Bool {
        guard let start = unsafe scratch.baseAddress else { return false }
        return unsafe lws_write(handle.raw, start + Self.headroom, count, kind) >= 0
    }

    private func attend(_ id: UInt64) {
        guard let handle = socketHandles[id] else { return }
        if sockets[handle]?.socket.closing == .tooSlow, let connection = sockets[handle] {
            // It may take seconds to get the close frame out: whoever waits for this client learns it now.
            report(connection)
        }
        unsafe lws_callback_on_writable(handle.raw)
    }

    private func respond(_ id: UInt64, _ response: HTTPResponse) {
        guard let handle = exchangeHandles[id] else { return }
        guard exchanges[handle]?.response == nil else { return }
        exchanges[handle]?.response = response
        unsafe lws_callback_on_writable(handle.raw)
    }

    /// Tells the handler once that a socket is gone.
    func report(_ connection: SocketConnection) {
        guard !connection.isReported else { return }
        sockets[connection.handle]?.isReported = true
        handler.closed(connection.socket)
    }
}

/// The thread's entry point. Its argument is the loop, which holds itself until it is done.
private func serviceThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    unsafe Unmanaged<ServiceLoop>.fromOpaque(argument).takeUnretainedValue().run()
    return nil
}
