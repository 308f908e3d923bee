import JSON
import Meeting

/// Moderators' verbs.
extension Method {
    static let moderation: [Method] = [
        verb("muteParticipant", MuteParticipant.self),
        verb("pauseParticipantVideo", PauseParticipantVideo.self),
        verb("stopParticipantScreenShare", StopParticipantScreenShare.self),
        verb("unlockParticipant", UnlockParticipant.self),
        verb("askToUnmute", AskToUnmute.self),
        verb("muteAll", MuteAll.self),
        verb("removeParticipant", RemoveParticipant.self),
        verb("lowerParticipantHand", LowerParticipantHand.self),
        verb("lowerAllHands", LowerAllHands.self),
        verb("lockSession", LockSession.self),
        verb("unlockSession", UnlockSession.self),
        verb("setCapacity", SetCapacity.self),
        verb("setTitle", SetTitle.self),
        verb("endSession", EndSession.self),
        verb("admitParticipant", AdmitParticipant.self),
        verb("denyParticipant", DenyParticipant.self),
        method("setParticipantScope", ScopeParams.self) { client, params, reply throws(APIError) in
            let (scope, target) = try APIError.translating { () throws(MeetingError) in
                (try params.named(), try params.target())
            }
            let member = try await client.member()
            let groups = client.core.groups
            try await groups.acting(as: member) { principal throws(APIError) in
                try await groups.setScope(scope, of: target, in: member.session, as: principal)
            }
            reply.succeed(NoResult())
        },
    ]

    /// A verb, done as what the client is at that moment.
    private static func verb<Command: Verb>(_ name: String, _ type: Command.Type) -> Method {
        method(name, type) { client, verb, reply throws(APIError) in
            let member = try await client.member()
            try await client.core.groups.acting(as: member) { principal throws(APIError) in
                try await member.session.perform(reply) {
                    (meeting: inout MeetingSession, now: Int64) throws(MeetingError) in
                    try verb.perform(&meeting, by: principal, now: now)
                }
            }
        }
    }
}

/// Whose scope is to change, and to what.
struct ScopeParams: Decodable, Sendable {
    var participantId: String?
    var uid: String?
    let scope: String

    /// The scope of this name.
    func named() throws(MeetingError) -> Scope {
        guard let scope = Scope(rawValue: scope) else { throw .invalidScope }
        return scope
    }

    func target() throws(MeetingError) -> Target {
        try Target(participantID: participantId, uid: uid)
    }
}

extension Target {
    /// One of the two must be there.
    init(participantID: String?, uid: String?) throws(MeetingError) {
        switch (participantID, uid) {
        case (let id?, nil): self = .participant(ParticipantID(rawValue: id))
        case (nil, let uid?): self = .user(uid)
        default: throw .invalid(field: "participantId", reason: "or uid must be there, and not both")
        }
    }
}
