import EventLoop
import Testing
import Wire

@Suite struct AddressTests {
    @Test(arguments: [
        "127.0.0.1:3478", "0.0.0.0:0", "255.255.255.255:65535", "[::1]:3478", "[::]:1",
        "[2001:db8::1:0:0:1]:443", "[fe80::1%2]:5000",
    ])
    func `addresses are printed as they are read`(text: String) throws {
        let address = try #require(SocketAddress(text))
        #expect(address.text == text)
    }

    @Test(arguments: [
        "", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1: 1",
        "127.0.0.1:000001", "127.0.0:1", "1.2.3.4.5:1", "256.0.0.1:1", "localhost:80", "::1:80", "[::1]",
        "[::1]80",
        "[::1:80", "::1]:80", "[127.0.0.1]:80", "[]:80", "[::1%]:80", "[::1%x]:80", "127.0.0.1%1:80",
        "127.0.0.1\u{0}:80", "[::1\u{0}x]:80", "[:::1]:80", "[::1]:8٣",
    ])
    func `what is no address is refused`(text: String) {
        #expect(SocketAddress(text) == nil)
    }

    @Test(arguments: [
        ("10.0.0.1:1", "10.0.0.1:2", true), ("10.0.0.1:1", "10.0.0.2:1", false),
        ("[2001:db8::1]:1", "[2001:db8::ffff:2:3:4]:9", true),
        ("[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false), ("[::1]:1", "0.0.0.1:1", false),
        ("[fe80::1%2]:1", "[fe80::2%2]:1", true),
    ])
    func `a network is an IPv4 address or an IPv6 64`(one: String, other: String, isSame: Bool) throws {
        let (one, other) = (try #require(SocketAddress(one)), try #require(SocketAddress(other)))
        #expect((one.network == other.network) == isSame)
    }

    @Test func `an IPv4-mapped address is the IPv4 address`() throws {
        let mapped = try #require(SocketAddress("[::ffff:10.1.2.3]:9"))
        #expect(mapped.text == "10.1.2.3:9")
        #expect(mapped == SocketAddress(ipv4: 0x0a01_0203, port: 9))
    }

    @Test func `link-local addresses are recognised by their prefix alone`() throws {
        let local = ["169.254.0.1:0", "169.254.255.255:0", "[fe80::1]:0", "[febf:ffff::1]:0"]
        let others = ["169.253.255.255:0", "169.255.0.0:0", "[fec0::1]:0", "[fe7f::1]:0", "127.0.0.1:0"]
        #expect(local.map { SocketAddress($0)?.isLinkLocal } == local.map { _ in true })
        #expect(others.map { SocketAddress($0)?.isLinkLocal } == others.map { _ in false })
    }

    @Test func `the machine's loopback address is listed and advertised only if asked for`() throws {
        let all = try NetworkInterface.all()
        let own = try #require(all.first { $0.address == loopback })
        #expect(own.isLoopback && own.isUp)
        #expect(own.name == "lo")
        let outward = try NetworkInterface.advertisable()
        #expect(outward.allSatisfy { !$0.isLoopback && !$0.isLinkLocal && $0.port == 0 })
        let inclusive = try NetworkInterface.advertisable(loopback: true)
        #expect(inclusive.contains(loopback))
        #expect(Set(inclusive).isSuperset(of: outward))
    }
}
