import FixedCollections
import Wire

@testable import Transport

private let path = TransportPath.udp(SocketAddress(ipv4: 0x7f00_0001, port: 1))
// The fuzzer has one thread.
nonisolated(unsafe) private let context = try? DTLSContext(certificate: .generate())

/// Datagrams of a client, each with two bytes of length in front, on one connection. Nobody gets in that way, and what is
/// answered is whole records in datagrams that fit.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe UnsafeBufferPointer(start: start, count: count).span
    guard let context = unsafe context,
        var connection = try? DTLSConnection(context: context, fingerprints: [])
    else {
        preconditionFailure("no connection")
    }
    var output = OutputDatagrams()
    var position = 0
    var isOver = false
    while position + 2 <= count {
        let length = min(Int(bytes.loadUInt16(at: position)), count - position - 2)
        let datagram = bytes.extracting((position + 2)..<(position + 2 + length))
        position += 2 + length
        cut(datagram)
        let event = connection.receive(datagram, from: path, now: .zero, into: &output)
        precondition(event != .connected && (event == .nothing || !isOver), "an event too many")
        isOver = isOver || event != .nothing
        checkRecords(output)
        output.removeAll()
    }
    do {
        _ = try connection.exportKeys()
        preconditionFailure("keys without a handshake")
    } catch {
        return 0
    }
}

/// Cutting a row of records loses none and divides none, whoever wrote it.
private func cut(_ bytes: Span<UInt8>) {
    var output = OutputDatagrams()
    DTLSRecords.append(bytes, to: path, into: &output)
    var total = 0
    for index in 0..<output.count { total += output.bytes(at: index).count }
    precondition(total <= bytes.count)
    if !DTLSRecords.hasStump(bytes, shortest: 24) { precondition(!DTLSRecords.hasStump(bytes, shortest: 16)) }
}

private func checkRecords(_ output: borrowing OutputDatagrams) {
    precondition(output.dropped == 0, "more than a flight")
    for index in 0..<output.count {
        let datagram = output.bytes(at: index)
        precondition(datagram.count <= DTLSRecords.maximumDatagramSize)
        var position = 0
        while position < datagram.count {
            precondition(position + 13 <= datagram.count, "a header that is cut")
            position += 13 + Int(datagram.loadUInt16(at: position + 11))
        }
        precondition(position == datagram.count, "a record that is cut")
    }
}
