/// The ids of the sessions that calls lead to. They are the server's to make: a session whose id has this form is a
/// call's, and open to its parties alone.
enum CallID {
    private static let prefix = "call-"
    private static let count = make().utf8.count

    static func make() -> String { prefix + RandomID.make() }

    static func isOne(_ id: String) -> Bool {
        id.hasPrefix(prefix) && id.utf8.count == count
    }
}

/// What tells the devices of a user apart: the `deviceId` that the app gives, or the socket where it gives none.
enum DeviceKey {
    /// No `deviceId` has a space.
    static func make(socket: UInt64) -> String { "socket \(socket)" }

    /// The `deviceId`, if the key is one.
    static func deviceID(_ key: String?) -> String? {
        key.flatMap { $0.contains(" ") ? nil : $0 }
    }
}
