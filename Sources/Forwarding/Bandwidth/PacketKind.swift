/// What a packet on its way to a viewer is for, in the order in which they are let out.
public enum PacketKind: UInt8, Sendable, BitwiseCopyable, CaseIterable {
    case audio, retransmission, video, padding
}
