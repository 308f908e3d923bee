/// What a worker counts beside the forwarder.
struct WorkerCounters {
    var unknownSource: UInt64 = 0
    /// Authentic packets from addresses on which their senders had yet to prove themselves.
    var unproven: UInt64 = 0
    /// Packets from unknown addresses, with a known SSRC, that weren't authentic.
    var unprovenFailures: UInt64 = 0
    /// Those that weren't looked at, since too many had failed.
    var unprovenLimited: UInt64 = 0
    var unknownUfrag: UInt64 = 0
    var rejectedSTUN: UInt64 = 0
    var checks: UInt64 = 0
    /// Answers to checks of the server's.
    var proven: UInt64 = 0
    var srtpFailures: UInt64 = 0
    var controlFailures: UInt64 = 0
    var handedOver: UInt64 = 0
    var handshakes: UInt64 = 0
    var failedHandshakes: UInt64 = 0
    var consentExpired: UInt64 = 0
    /// Media packets that had waited too long in the socket, with the worker at the end of its strength.
    var late: UInt64 = 0
    /// Packets put into the rings of other workers.
    var relayed: UInt64 = 0
    var turns: UInt64 = 0
}
