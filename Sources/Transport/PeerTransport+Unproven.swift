public import FixedCollections
import Wire

/// Media from an address on which the peer hasn't proved itself: what comes first after a NAT changed the address.
extension PeerTransport {
    /// Opens the SRTP packet in the first `length` bytes of `packet` in place, whichever path it came on.
    ///
    /// The keys say that it is the peer's; that the peer is where it seems to be, nothing says yet. Media is sent to that
    /// path only when the peer has answered the check that this puts into `output`, or has made one itself. Checks are
    /// few: see `PathProbes`. The SSRC must have been heard on a validated path before, so that replay is noticed.
    ///
    /// - Returns: the length of the RTP packet, padding included.
    /// - Throws: `noKeys`, `unknownPath` for an SSRC that wasn't heard before, or `srtp`, after which the bytes are
    ///   undefined.
    public mutating func openUnprovenRTP(
        _ packet: inout MutableSpan<UInt8>, length: Int, from path: TransportPath, now: Instant,
        into output: inout OutputDatagrams
    ) throws(TransportError) -> Int {
        guard keys?.receiver.hasHeard(packet, length: length) != false else { throw .unknownPath }
        let opened = try keys.use { keys throws(SRTPError) in
            try keys.receiver.openRTP(&packet, length: length)
        }
        heardUnproven(length, from: path, now: now, into: &output)
        return opened
    }
}
