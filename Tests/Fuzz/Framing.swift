import CLinux
import FixedCollections
import Glibc
import Wire

@testable import EventLoop

/// A TCP peer's bytes, in pieces of any size, taken apart into frames (RFC 4571); what the same bytes say in one piece is
/// compared. The first bytes of the input, up to a 0, are the sizes of the pieces, over and over; the stream follows.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let sizes = input.prefix { $0 != 0 }.map(Int.init)
    let stream = Array(input.dropFirst(sizes.count + 1))
    var ends: [Int32] = [0, 0]
    guard let loop = try? EventLoop(waker: Waker()),
        unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0
    else { preconditionFailure("no sockets") }
    defer { close(ends[1]) }
    var table = TCPConnectionTable(capacity: 1, backlog: 4_096, registry: loop.registry, tokenTag: 1 << 32)
    let peer = SocketAddress(ipv4: 0x7f00_0001, port: 1)
    guard let id = table.insert(ends[0], from: peer, now: .zero) else { preconditionFailure("no place") }
    let expected = frames(in: stream)
    var found: [[UInt8]] = []
    var sent = 0
    var turn = 0
    while sent < stream.count {
        // Small pieces cut length fields; large ones hold several frames.
        let size = sizes.isEmpty ? 2_048 : sizes[turn % sizes.count] * (turn % 3 == 2 ? 16 : 1)
        turn += 1
        let piece = Array(stream[sent..<min(sent + size, stream.count)])
        let taken = unsafe cl_send_pair(ends[1], piece, piece.count, nil, 0)
        precondition(taken == piece.count, "the socket takes a piece")
        sent += piece.count
        precondition(table.receive(on: id, now: .zero) == .bytes)
        guard take(from: &table, id, into: &found) else {
            precondition(expected.isTooLong && found == expected.frames, "closed without a reason")
            precondition(table.receive(on: id, now: .zero) == .stale && table.count == 0)
            return 0
        }
    }
    precondition(!expected.isTooLong && found == expected.frames, "other frames than were sent")
    return 0
}

/// Takes every whole frame; false if that closed the connection.
private func take(
    from table: inout TCPConnectionTable, _ id: TCPConnectionID, into found: inout [[UInt8]]
) -> Bool {
    while true {
        switch table.nextFrame(of: id) {
        case .complete(let length):
            let frame = table.frameBytes(of: id)
            precondition(frame.count == length)
            found.append(frame.indices.map { frame[$0] })
        case .partial: return true
        case .closed(let reason):
            precondition(reason == .frameTooLong)
            return false
        case .stale: preconditionFailure("gone without a word")
        }
    }
}

private func frames(in stream: [UInt8]) -> (frames: [[UInt8]], isTooLong: Bool) {
    var frames: [[UInt8]] = []
    var position = 0
    while position + 2 <= stream.count {
        let length = Int(stream[position]) << 8 | Int(stream[position + 1])
        if length > TCPConnectionTable.mostBytes { return (frames, true) }
        guard position + 2 + length <= stream.count else { break }
        if length > 0 { frames.append(Array(stream[(position + 2)..<(position + 2 + length)])) }
        position += 2 + length
    }
    return (frames, false)
}
