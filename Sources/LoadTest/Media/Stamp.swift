import FixedCollections
import Wire

/// What synthetic media carries in its payload, where a forwarder passes it on unread: when it was sent, and what it is.
///
/// Sender and receivers share a process, and so a clock.
struct Stamp: Equatable, BitwiseCopyable {
    /// Bytes in a payload.
    static let size = 28
    private static let mark: UInt32 = 0x52_6f_73_74

    var sentAt: Instant
    /// The publication's number, unique in a run.
    /// The participant's number, and in the last three bits 0 for its microphone, or 1 and more for its camera's encodings.
    var publication: UInt32
    /// Counts the publication's frames or audio packets.
    var frame: UInt32
    /// Place of the packet in its frame, and how many that has.
    var packet: UInt16
    var packets: UInt16
    var isKey: Bool
    var temporal: UInt8
    var spatial: UInt8 = 0

    /// The number of the participant that sent it.
    var sender: Int { Int(publication >> 3) }

    func write(into bytes: inout MutableSpan<UInt8>, at offset: Int) {
        bytes.store(Self.mark, at: offset)
        bytes.store(UInt64(bitPattern: sentAt.nanoseconds), at: offset + 4)
        bytes.store(publication, at: offset + 12)
        bytes.store(frame, at: offset + 16)
        bytes.store(packet, at: offset + 20)
        bytes.store(packets, at: offset + 22)
        bytes[offset + 24] = isKey ? 1 : 0
        bytes[offset + 25] = temporal
        bytes[offset + 26] = spatial
        bytes[offset + 27] = 0
    }

    /// The stamp at `offset`; nil if there is none.
    static func read(_ bytes: Span<UInt8>, at offset: Int) -> Stamp? {
        guard bytes.holds(size, at: offset), bytes.loadUInt32(at: offset) == mark else { return nil }
        return Stamp(
            sentAt: Instant(nanoseconds: Int64(bitPattern: bytes.loadUInt64(at: offset + 4))),
            publication: bytes.loadUInt32(at: offset + 12), frame: bytes.loadUInt32(at: offset + 16),
            packet: bytes.loadUInt16(at: offset + 20), packets: bytes.loadUInt16(at: offset + 22),
            isKey: bytes[offset + 24] & 1 != 0, temporal: bytes[offset + 25],
            spatial: bytes[offset + 26])
    }
}
