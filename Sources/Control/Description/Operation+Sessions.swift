import Meeting

/// Sessions and moderation.
extension Operation {
    private static let moderator = "API key, or a moderator’s auth token"

    static let sessions: [Operation] = [
        Operation(
            method: .post, path: "/v1/sessions", name: "createSession", topic: .sessions,
            credential: .apiKey, summary: "Makes a session ahead of the first who joins.",
            body: .object([
                Field("sessionId?", .id, "made up if absent"),
                Field("settings?", .object(Schema.settingFields)),
            ]),
            answers: [.created(.named("Session"))]),
        Operation(
            method: .get, path: "/v1/sessions", name: "listSessions", topic: .sessions,
            credential: .apiKey, summary: "Lists the sessions that go on.", query: page,
            answers: [.ok(.page(of: .named("Session")))]),
        Operation(
            method: .get, path: "/v1/sessions/{sessionId}", name: "getSession", topic: .sessions,
            credential: .apiKeyOrAuthToken, who: "API key, or the auth token of who is in",
            summary: "A session.", answers: [.ok(.named("Session"))], codes: inSession),
        Operation(
            method: .patch, path: "/v1/sessions/{sessionId}", name: "changeSession", topic: .sessions,
            credential: .apiKey, summary: "Changes a session’s settings; those that are absent stay.",
            body: .object([Field("settings?", .object(Schema.settingFields))]),
            answers: [.ok(.named("Session"))], codes: [.sessionNotFound]),
        Operation(
            method: .delete, path: "/v1/sessions/{sessionId}", name: "endSession", topic: .sessions,
            credential: .apiKey, summary: "Ends a session for all.",
            answers: [.noContent], codes: [.sessionNotFound]),
        Operation(
            method: .get, path: "/v1/sessions/{sessionId}/participants", name: "listParticipants",
            topic: .sessions, credential: .apiKeyOrAuthToken,
            who: "API key, or the auth token of who is in", summary: "The roster, in join order.",
            query: page, answers: [.ok(.page(of: .named("Participant")))], codes: inSession),
        Operation(
            method: .get, path: "/v1/sessions/{sessionId}/participants/{pid}", name: "getParticipant",
            topic: .sessions, credential: .apiKeyOrAuthToken,
            who: "API key, or the auth token of who is in", summary: "A participant.",
            answers: [.ok(.named("Participant"))], codes: inSession + [.participantNotFound]),
    ]

    /// What anybody who asks for something in a session by auth token may be refused for.
    static let inSession: [ErrorCode] = inGroup + [.notAPart, .sessionNotFound]
    private static let moderatingSession: [ErrorCode] =
        inSession + [.noModeratorScope, .noClearance, .noSelfAction, .participantNotFound]

    static let moderation: [Operation] =
        [
            verb(
                "mute", "muteParticipant", "Mutes a participant: enforced at the server.",
                [Field("lock?", .flag, "until a moderator unlocks it, it can’t unmute itself")]),
            verb("pause-video", "pauseParticipantVideo", "Pauses a participant’s video."),
            verb("stop-screen-share", "stopParticipantScreenShare", "Stops a participant’s screen share."),
            verb("lower-hand", "lowerParticipantHand", "Lowers a participant’s hand."),
            verb("ask-to-unmute", "askToUnmute", "Asks a participant to unmute: nobody else can do it."),
            verb(
                "remove", "removeParticipant", "Removes a participant: its socket is closed with 4003.",
                [
                    Field("reason?", .text(0...100)),
                    Field("banSeconds?", .integer(-1...31_536_000), "60; −1: for the meeting’s whole life"),
                ]),
            verb(
                "scope", "setParticipantScope", "Gives a participant another scope.",
                [Field("scope", assignable)], [.invalidScope, .sameScope, .cannotChangeOwnerScope]),
            verb("admit", "admitParticipant", "Lets in who waits."),
            verb("deny", "denyParticipant", "Sends away who waits."),
        ] + [
            verbForAll("mute-all", "muteAll", "Mutes everybody below oneself."),
            verbForAll("lower-all-hands", "lowerAllHands", "Lowers all hands."),
            verbForAll("lock", "lockSession", "Nobody below moderator may join any more."),
            verbForAll("unlock", "unlockSession", "Everybody may join again."),
        ]

    private static func verb(
        _ word: String, _ name: String, _ summary: String, _ fields: [Field] = [], _ codes: [ErrorCode] = []
    ) -> Operation {
        Operation(
            method: .post, path: "/v1/sessions/{sessionId}/participants/{pid}/" + word, name: name,
            topic: .moderation, credential: .apiKeyOrAuthToken, who: moderator, summary: summary,
            body: fields.isEmpty ? nil : .object(fields), answers: [.noContent],
            codes: moderatingSession + codes)
    }

    private static func verbForAll(_ word: String, _ name: String, _ summary: String) -> Operation {
        Operation(
            method: .post, path: "/v1/sessions/{sessionId}/" + word, name: name, topic: .moderation,
            credential: .apiKeyOrAuthToken, who: moderator, summary: summary,
            answers: [.ok(.object([Field("affected", .count)]))], codes: moderatingSession)
    }
}
