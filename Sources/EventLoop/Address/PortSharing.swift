/// How a port is shared between the workers of one server (SO_REUSEPORT).
public enum PortSharing: Hashable, Sendable {
    /// This socket alone.
    case exclusive
    /// Opened as if alone, so that a port which another server has is reported as taken; then open for
    /// `joining` sockets of the same user.
    case first
    /// One more socket beside a `first` one (or, without a `first` one, beside other `joining` ones).
    case joining
}
