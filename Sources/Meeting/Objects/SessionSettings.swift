/// How a session behaves, as a back end or a moderator sets it.
public struct SessionSettings: Sendable, Equatable {
    public enum Mode: String, Sendable, CaseIterable {
        case meet
        /// Few present, the others watch.
        case presenter
    }

    /// What happens when a user who is in joins from another device. The same device always replaces itself.
    public enum DuplicateUser: String, Sendable, CaseIterable {
        /// Both are in.
        case allow
        /// The one who was in leaves.
        case replace
        /// The newcomer is refused.
        case refuse
    }

    public var mode = Mode.meet
    /// Places.
    public var maxParticipants = 50
    /// How many may publish, in presenter mode.
    public var maxPresenters = 5
    /// Whether any participant may mute others and pause their video.
    public var openModeration = false
    /// Whether those below moderator come in muted.
    public var muteOnEntry = false
    /// Whether nobody below moderator may join.
    public var locked = false
    /// Whether those below moderator wait until they are admitted.
    public var waitingRoom = false
    /// How long somebody may be alone; 0: for ever.
    public var idleTimeoutSeconds = 300
    public var maxVideoSeats = 25
    /// Voices that are forwarded at once.
    public var maxAudible = 5
    /// Nil: the server's limit.
    public var maxBitrateUpBps: Int?
    /// Nil: the server's limit.
    public var maxBitrateDownBps: Int?
    public var autoRecord = false
    public var duplicateUser = DuplicateUser.allow

    public init(maxParticipants: Int = 50) {
        self.maxParticipants = maxParticipants
    }

    /// Whether the media have the same limits under other settings.
    func limitsMedia(like other: SessionSettings) -> Bool {
        maxVideoSeats == other.maxVideoSeats && maxAudible == other.maxAudible
            && maxBitrateUpBps == other.maxBitrateUpBps && maxBitrateDownBps == other.maxBitrateDownBps
    }

    /// The most places that a session can have.
    public static let mostParticipants = 100_000

    /// Refuses values that no session can have, naming the field.
    public func check() throws(MeetingError) {
        try check(maxParticipants, 1...Self.mostParticipants, field: "maxParticipants")
        try check(maxPresenters, 0...Self.mostParticipants, field: "maxPresenters")
        try check(idleTimeoutSeconds, 0...604_800, field: "idleTimeoutSeconds")
        try check(maxVideoSeats, 0...1_000, field: "maxVideoSeats")
        try check(maxAudible, 0...1_000, field: "maxAudible")
        try check(maxBitrateUpBps ?? 1, 1...1_000_000_000_000, field: "maxBitrateUpBps")
        try check(maxBitrateDownBps ?? 1, 1...1_000_000_000_000, field: "maxBitrateDownBps")
    }

    private func check(_ value: Int, _ range: ClosedRange<Int>, field: String) throws(MeetingError) {
        guard range.contains(value) else {
            throw .invalid(field: field, reason: "must be \(range.lowerBound) to \(range.upperBound)")
        }
    }
}
