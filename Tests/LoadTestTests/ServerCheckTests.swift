import EventLoop
import Wire
import Testing

@testable import LoadTest

struct ServerCheckTests {
    private static func flags(_ server: String) -> LoadFlags {
        var flags = LoadFlags()
        flags.server = server
        flags.key = LoadKey(id: "dev", secret: "secret")
        return flags
    }

    /// What `checkServer` says; nil if all is well.
    private static func complaint(_ flags: LoadFlags) -> String? {
        do {
            try flags.checkServer(now: 1_900_000_000)
            return nil
        } catch {
            return error.text
        }
    }

    @Test(arguments: ["http", "https"], [Forwarder.rostrum, .janus])
    func `a server that isn't there is told`(scheme: String, forwarder: Forwarder) {
        // Nobody listens on the port of TCP's multiplexer.
        var flags = Self.flags("\(scheme)://127.0.0.1:1")
        flags.forwarder = forwarder
        #expect(
            Self.complaint(flags)
                == "the server at \(scheme)://127.0.0.1:1 can't be reached: nobody listens there")
    }

    @Test func `one who listens and never answers is waited for some seconds, not for ever`() throws {
        let listener = try TCPListener.open(SocketAddress(ipv4: 0x7f00_0001, port: 0))
        let server = "http://127.0.0.1:\(listener.localAddress.port)"
        let complaint = try #require(Self.complaint(Self.flags(server)))
        #expect(complaint == "the server at \(server) doesn't answer within 5 s")
        extendLifetime(listener)
    }

    @Test func `a refused key is told by the server's code, other closes by theirs`() {
        let flags = Self.flags("http://x")
        #expect(flags.complaint(about: .answers) == nil)
        #expect(
            flags.complaint(about: .closes(code: 4_001, reason: "ERR_X"))
                == "the server at http://x refuses the key dev (--key ID:SECRET): ERR_X")
        #expect(
            flags.complaint(about: .closes(code: 4_010, reason: "stops"))
                == "the server at http://x closes the connection: 4010 stops")
    }
}
