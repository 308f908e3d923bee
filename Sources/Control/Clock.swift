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

/// Milliseconds since 1970 that go on evenly whatever is done to the system's clock: what was read once at the start,
/// and the time that has gone by since. A session that goes on while the clock is set keeps the time it began with.
struct SteadyClock: Sendable {
    private let start: Int64

    init(wall: Int64 = Clock.now(), monotonic: Int64 = Clock.monotonic()) {
        start = wall - monotonic
    }

    func now(monotonic: Int64 = Clock.monotonic()) -> Int64 {
        start + monotonic
    }
}
