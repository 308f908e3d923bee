/// What a worker counts beside the forwarder.
struct WorkerCounters {
    var unknownSource: UInt64 = 0
    var unknownUfrag: UInt64 = 0
    var rejectedSTUN: UInt64 = 0
    var checks: UInt64 = 0
    var srtpFailures: UInt64 = 0
    var controlFailures: UInt64 = 0
    var handedOver: UInt64 = 0
    var handshakes: UInt64 = 0
    var failedHandshakes: UInt64 = 0
    var consentExpired: UInt64 = 0
    var turns: UInt64 = 0
}
