import Glibc

/// Waiting on a thread that has nothing else to do.
enum Pause {
    static func milliseconds(_ count: Int) {
        usleep(UInt32(count) * 1_000)
    }
}

/// What the calling thread has had of a core.
enum ThreadClock {
    static func used() -> Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
