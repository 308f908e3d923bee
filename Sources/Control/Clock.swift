import Glibc

/// The two clocks of this target.
enum Clock {
    /// Milliseconds since 1970, for what clients see and for tokens.
    static func now() -> Int64 {
        read(CLOCK_REALTIME)
    }

    /// Milliseconds that never run backwards, for time-outs and rates.
    static func monotonic() -> Int64 {
        read(CLOCK_MONOTONIC)
    }

    private static func read(_ id: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(id, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
