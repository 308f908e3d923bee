public import FixedCollections
public import Glibc

/// Makes OpenSSL's retransmission timers run on virtual time, so that handshakes over a lossy network take no real time
/// and go the same way each time.
///
/// OpenSSL reads its clock by `gettimeofday`. This executable defines that function, and so goes before the C library;
/// a thread that is between `set` and `clear` gets virtual time from it, every other one the real time.
public enum VirtualClock {
    /// Microseconds since the epoch, as a pointer's bits; null for real time.
    private static let slot: pthread_key_t = {
        var key: pthread_key_t = 0
        unsafe pthread_key_create(&key, nil)
        return key
    }()

    /// From now on the calling thread's `gettimeofday` says `now`; the real time if nil.
    public static func set(_ now: Instant?) {
        guard let now else {
            clear()
            return
        }
        let microseconds = UInt(now.nanoseconds / 1_000)
        unsafe pthread_setspecific(slot, UnsafeRawPointer(bitPattern: microseconds))
    }

    /// Back to real time.
    public static func clear() {
        pthread_setspecific(slot, nil)
    }

    fileprivate static var microseconds: Int? {
        guard let pointer = unsafe pthread_getspecific(slot) else { return nil }
        return Int(bitPattern: pointer)
    }
}

@_cdecl("gettimeofday")
public func virtualTimeOfDay(
    _ time: UnsafeMutablePointer<timeval>?, _ zone: UnsafeMutableRawPointer?
) -> CInt {
    if let microseconds = VirtualClock.microseconds {
        unsafe time?.pointee = timeval(tv_sec: microseconds / 1_000_000, tv_usec: microseconds % 1_000_000)
        return 0
    }
    var now = timespec()
    let status = unsafe clock_gettime(CLOCK_REALTIME, &now)
    unsafe time?.pointee = timeval(tv_sec: now.tv_sec, tv_usec: now.tv_nsec / 1_000)
    return status
}
