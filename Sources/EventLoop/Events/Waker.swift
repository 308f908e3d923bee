import CLinux
import Synchronization

/// Wakes one event loop from any thread.
///
/// Wakes that come before the loop has seen the first are one: posting a hundred messages costs one system call.
public final class Waker: Sendable {
    let descriptor: Int32
    private let pending = Atomic<Bool>(false)
    private let signals = Atomic<UInt64>(0)

    public init() throws(SocketError) {
        descriptor = cl_eventfd_create()
        guard descriptor >= 0 else { throw SocketError("creating an eventfd", result: descriptor) }
    }

    deinit {
        _ = cl_close(descriptor)
    }

    /// System calls made for waking so far.
    public var signalCount: UInt64 { signals.load(ordering: .relaxed) }

    /// Makes the loop's current or next `wait` return. What was written before is visible to the loop's turn after.
    public func wake() {
        guard !pending.exchange(true, ordering: .acquiringAndReleasing) else { return }
        signals.wrappingAdd(1, ordering: .relaxed)
        cl_eventfd_signal(descriptor)
    }

    /// For the loop: from now on wakes signal again. Queues must be drained after this, not before.
    func acknowledge() {
        cl_eventfd_clear(descriptor)
        _ = pending.exchange(false, ordering: .acquiringAndReleasing)
    }
}
