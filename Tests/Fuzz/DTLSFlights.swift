import FixedCollections
import Glibc
import Wire

@testable import Transport

/// A whole handshake between the two roles, on a network that does to each datagram what the next byte says: bytes that
/// are changed reach the parsers of later flights too. Whoever is connected has the keys that the other one has.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let plan = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard var handshake = Handshake() else { preconditionFailure("no connections") }
    handshake.run(plan)
    return 0
}

private let path = TransportPath.udp(SocketAddress(ipv4: 0x7f00_0001, port: 1))
private let certificate = try? DTLSCertificate.generate()
// The fuzzer has one thread.
nonisolated(unsafe) private let passive = try? certificate.map { try DTLSContext(certificate: $0) }
nonisolated(unsafe) private let active = try? certificate.map {
    try DTLSContext(certificate: $0, role: .active)
}

private func hasKeys(_ connection: borrowing DTLSConnection) -> Bool {
    do {
        _ = try connection.exportKeys()
        return true
    } catch {
        return false
    }
}

private func areEqual(_ left: borrowing SRTPMasterKey, _ right: borrowing SRTPMasterKey) -> Bool {
    guard left.suite == right.suite else { return false }
    return (0..<left.count).allSatisfy { unsafe left.bytes[$0] == right.bytes[$0] }
}

private struct Handshake: ~Copyable {
    private struct Datagram {
        var bytes: [UInt8]
        var isForServer: Bool
    }

    /// What becomes of a datagram.
    private enum Fate: UInt8 {
        case delivered, deliveredTwice, lost, delayed, changed, cut, joined, filled
    }

    private var client: DTLSConnection
    private var server: DTLSConnection
    private var output = OutputDatagrams()
    private var underWay: [Datagram] = []
    private var connected = (client: false, server: false)

    init?() {
        guard let passive = unsafe passive, let active = unsafe active, let certificate,
            let server = try? DTLSConnection(context: passive, fingerprints: [certificate.fingerprint]),
            let client = try? DTLSConnection(context: active, fingerprints: [certificate.fingerprint])
        else { return nil }
        self.server = server
        self.client = client
    }

    mutating func run(_ plan: [UInt8]) {
        let isUndisturbed = plan.allSatisfy { $0 & 7 == Fate.delivered.rawValue }
        _ = client.start(to: path, now: .zero, into: &output)
        collect(isForServer: true)
        exchange(plan)
        if isUndisturbed { letTimersRunOut() }
        precondition(!isUndisturbed || (connected.client && connected.server), "nothing was in the way")
        precondition(hasKeys(client) == connected.client && hasKeys(server) == connected.server)
        guard connected.client, connected.server, let ours = try? client.exportKeys(),
            let theirs = try? server.exportKeys()
        else { return }
        let isSame = areEqual(ours.client, theirs.client) && areEqual(ours.server, theirs.server)
        precondition(isSame, "other keys at the other end")
    }

    private mutating func exchange(_ plan: [UInt8]) {
        var plan = plan[...]
        var steps = 0
        while !underWay.isEmpty, steps < 200 {
            steps += 1
            let datagram = underWay.removeFirst()
            pass(datagram, plan.popFirst().flatMap { Fate(rawValue: $0 & 7) } ?? .delivered, &plan)
        }
    }

    /// Where the machine stood still for longer than OpenSSL waits, a flight was sent twice in one datagram, and what is
    /// missing comes with the next timeout. That is seldom so; otherwise this returns at once.
    private mutating func letTimersRunOut() {
        var wait: UInt32 = 60_000
        while !(connected.client && connected.server), wait < 4_000_000 {
            usleep(wait)
            wait *= 2
            _ = client.handleTimeout(to: path, now: .distantFuture, into: &output)
            collect(isForServer: true)
            _ = server.handleTimeout(to: path, now: .distantFuture, into: &output)
            collect(isForServer: false)
            exchange([])
        }
    }

    private mutating func pass(_ datagram: Datagram, _ fate: Fate, _ plan: inout ArraySlice<UInt8>) {
        var datagram = datagram
        let place = Int(plan.first ?? 0) * max(datagram.bytes.count, 1) / 256
        switch fate {
        case .delivered: break
        case .deliveredTwice: deliver(datagram)
        case .lost: return
        case .delayed:
            underWay.append(datagram)
            return
        case .changed:
            plan = plan.dropFirst()
            datagram.bytes[place] ^= plan.popFirst() ?? 1
        case .cut:
            plan = plan.dropFirst()
            datagram.bytes.removeLast(datagram.bytes.count - max(place, 1))
        case .joined:
            datagram.bytes += underWay.first?.bytes ?? []
        case .filled:
            plan = plan.dropFirst()
            datagram.bytes += plan.prefix(place)
            plan = plan.dropFirst(place)
        }
        deliver(datagram)
    }

    private mutating func deliver(_ datagram: Datagram) {
        if datagram.isForServer {
            let event = server.receive(datagram.bytes.span, from: path, now: .zero, into: &output)
            if event == .connected { connected.server = true }
            if case .failed = event { connected.server = false }
            if event == .closed { connected.server = false }
        } else {
            let event = client.receive(datagram.bytes.span, from: path, now: .zero, into: &output)
            if event == .connected { connected.client = true }
            if case .failed = event { connected.client = false }
            if event == .closed { connected.client = false }
        }
        collect(isForServer: !datagram.isForServer)
    }

    private mutating func collect(isForServer: Bool) {
        precondition(output.dropped == 0, "more than a flight")
        for index in 0..<output.count {
            let bytes = output.bytes(at: index)
            precondition(bytes.count <= DTLSRecords.maximumDatagramSize)
            underWay.append(Datagram(bytes: bytes.indices.map { bytes[$0] }, isForServer: isForServer))
        }
        output.removeAll()
    }
}
