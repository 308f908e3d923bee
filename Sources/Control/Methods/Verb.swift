import Meeting

/// Something that moderators, or those whom the session lets, do to a meeting: the same over sockets and HTTP. Its
/// properties are the parameters.
protocol Verb: Decodable, Sendable {
    associatedtype Result: Encodable & Sendable

    func perform(
        _ meeting: inout MeetingSession, by principal: Principal, now: Int64
    ) throws(MeetingError) -> Result
}

/// How many participants something changed.
struct AffectedResult: Encodable, Sendable {
    let affected: Int
}

/// A verb that is done to somebody.
protocol TargetedVerb: Verb {
    var participantId: String? { get }
    /// Every participant of this user.
    var uid: String? { get }
}

extension TargetedVerb {
    func target() throws(MeetingError) -> Target {
        try Target(participantID: participantId, uid: uid)
    }
}

// MARK: - What others send

struct MuteParticipant: TargetedVerb {
    var participantId: String?
    var uid: String?
    var kinds: [MediaKind]?
    var lock: Bool?

    func perform(
        _ meeting: inout MeetingSession, by principal: Principal, now: Int64
    ) throws(MeetingError) -> AffectedResult {
        let affected = try meeting.muteParticipant(
            target(), kinds: kinds.map(Set.init) ?? [.audio], lock: lock ?? false, by: principal, now: now)
        return AffectedResult(affected: affected)
    }
}

struct PauseParticipantVideo: TargetedVerb {
    var participantId: String?
    var uid: String?

    func perform(
        _ meeting: inout MeetingSession, by principal: Principal, now: Int64
    ) throws(MeetingError) -> AffectedResult {
        AffectedResult(affected: try meeting.pauseParticipantVideo(target(), by: principal, now: now))
    }
}

struct StopParticipantScreenShare: TargetedVerb {
    var participantId: String?
    var uid: String?

    func perform(
        _ meeting: inout MeetingSession, by principal: Principal, now: Int64
    ) throws(MeetingError) -> AffectedResult {
        AffectedResult(affected: try meeting.stopParticipantScreenShare(target(), by: principal, now: now))
    }
}

struct UnlockParticipant: TargetedVerb {
    var participantId: String?
    var uid: String?

    func perform(
        _ meeting: inout MeetingSession, by principal: Principal, now: Int64
    ) throws(MeetingError) -> NoResult {
        try meeting.unlockParticipant(target(), by: principal, now: now)
        return NoResult()
    }
}

struct AskToUnmute: TargetedVerb {
    var participantId: String?
    var uid: String?

    func perform(
        _ meeting: inout MeetingSession, by principal: Principal, now: Int64
    ) throws(MeetingError) -> NoResult {
        try meeting.askToUnmute(target(), by: principal, now: now)
        return NoResult()
    }
}

struct MuteAll: Verb {
    var kinds: [MediaKind]?
    var except: [String]?
    var lock: Bool?
    var onEntry: Bool?

    func perform(
        _ meeting: inout MeetingSession, by principal: Principal, now: Int64
    ) throws(MeetingError) -> AffectedResult {
        let affected = try meeting.muteAll(
            kinds: kinds.map(Set.init) ?? [.audio],
            except: (except ?? []).map(ParticipantID.init(rawValue:)), lock: lock ?? false, onEntry: onEntry,
            by: principal, now: now)
        return AffectedResult(affected: affected)
    }
}

// MARK: - Hands

struct LowerParticipantHand: TargetedVerb {
    var participantId: String?
    var uid: String?

    func perform(
        _ meeting: inout MeetingSession, by principal: Principal, now: Int64
    ) throws(MeetingError) -> HandsResult {
        let hands = try meeting.lowerParticipantHand(target(), by: principal, now: now)
        return HandsResult(hands: hands.map(HandObject.init))
    }
}

struct LowerAllHands: Verb {
    init(from decoder: any Decoder) throws {
        _ = try NoParams(from: decoder)
    }

    func perform(
        _ meeting: inout MeetingSession, by principal: Principal, now: Int64
    ) throws(MeetingError) -> AffectedResult {
        AffectedResult(affected: try meeting.lowerAllHands(by: principal, now: now))
    }
}

// MARK: - Who is in

struct RemoveParticipant: TargetedVerb {
    var participantId: String?
    var uid: String?
    var reason: String?
    var banSeconds: Int?

    func perform(
        _ meeting: inout MeetingSession, by principal: Principal, now: Int64
    ) throws(MeetingError) -> NoResult {
        try meeting.removeParticipant(
            target(), reason: reason, banSeconds: banSeconds ?? MeetingSession.defaultBanSeconds,
            by: principal, now: now)
        return NoResult()
    }
}

struct AdmitParticipant: Verb {
    /// Somebody's, or `all`.
    let participantId: String

    func perform(
        _ meeting: inout MeetingSession, by principal: Principal, now: Int64
    ) throws(MeetingError) -> AffectedResult {
        let waiters = MeetingSession.Waiters(named: participantId)
        return AffectedResult(affected: try meeting.admit(waiters, by: principal, now: now))
    }
}

struct DenyParticipant: Verb {
    /// Somebody's, or `all`.
    let participantId: String

    func perform(
        _ meeting: inout MeetingSession, by principal: Principal, now: Int64
    ) throws(MeetingError) -> AffectedResult {
        let waiters = MeetingSession.Waiters(named: participantId)
        return AffectedResult(affected: try meeting.deny(waiters, by: principal, now: now))
    }
}

extension MeetingSession.Waiters {
    init(named name: String) {
        self = name == "all" ? .all : .one(ParticipantID(rawValue: name))
    }
}

// MARK: - The session

struct LockSession: Verb {
    init(from decoder: any Decoder) throws {
        _ = try NoParams(from: decoder)
    }

    func perform(
        _ meeting: inout MeetingSession, by principal: Principal, now: Int64
    ) throws(MeetingError) -> AffectedResult {
        let wasLocked = meeting.session.settings.locked
        try meeting.lockSession(by: principal, now: now)
        return AffectedResult(affected: wasLocked ? 0 : 1)
    }
}

struct UnlockSession: Verb {
    init(from decoder: any Decoder) throws {
        _ = try NoParams(from: decoder)
    }

    func perform(
        _ meeting: inout MeetingSession, by principal: Principal, now: Int64
    ) throws(MeetingError) -> AffectedResult {
        let wasLocked = meeting.session.settings.locked
        try meeting.unlockSession(by: principal, now: now)
        return AffectedResult(affected: wasLocked ? 1 : 0)
    }
}

struct SetCapacity: Verb {
    let maxParticipants: Int

    func perform(
        _ meeting: inout MeetingSession, by principal: Principal, now: Int64
    ) throws(MeetingError) -> NoResult {
        try meeting.setCapacity(maxParticipants, by: principal, now: now)
        return NoResult()
    }
}

struct SetTitle: Verb {
    let title: String

    func perform(
        _ meeting: inout MeetingSession, by principal: Principal, now: Int64
    ) throws(MeetingError) -> NoResult {
        try meeting.setTitle(title, by: principal, now: now)
        return NoResult()
    }
}

struct EndSession: Verb {
    var reason: String?

    func perform(
        _ meeting: inout MeetingSession, by principal: Principal, now: Int64
    ) throws(MeetingError) -> NoResult {
        try meeting.endSession(reason: reason ?? "ended", by: principal, now: now)
        return NoResult()
    }
}
