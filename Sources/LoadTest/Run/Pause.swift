import Glibc

/// Waiting on a thread that has nothing else to do.
enum Pause {
    static func milliseconds(_ count: Int) {
        usleep(UInt32(count) * 1_000)
    }
}
