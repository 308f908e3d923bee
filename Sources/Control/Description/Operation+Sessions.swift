import Meeting

/// Sessions and moderation.
extension Operation {
    private static let insider = "API key, or the auth token of who is in, or moderates the group"
    private static let moderator = "API key, or a moderator’s auth token"

    static let sessions: [Operation] = [
        Operation(
            method: .post, path: "/v1/sessions", name: "createSession", topic: .sessions,
            credential: .apiKey, summary: "Makes a session ahead of the first who joins.",
            notes: """
                It is there until somebody ends it, or nobody has been in it for 24 hours. One that is there already \
                gets the title and the settings.
                """,
            body: .object([Field("sessionId?", .id, "made up if absent")] + changeable),
            answers: [.ok(.named("Session"), "It was there."), .created(.named("Session"), "It is new.")],
            codes: [.emptySessionID, .guidNotFound, .sessionNotFound]),
        Operation(
            method: .get, path: "/v1/sessions", name: "listSessions", topic: .sessions,
            credential: .apiKey, summary: "Lists the sessions that are there, by id.", query: page,
            answers: [.ok(.page(of: .named("Session")))]),
        Operation(
            method: .get, path: "/v1/sessions/{sessionId}", name: "getSession", topic: .sessions,
            credential: .apiKeyOrAuthToken, who: insider,
            summary: "A session.", answers: [.ok(.named("Session"))], codes: inSession),
        Operation(
            method: .patch, path: "/v1/sessions/{sessionId}", name: "changeSession", topic: .sessions,
            credential: .apiKey, summary: "Changes a session; what is absent stays.",
            body: .object(changeable),
            answers: [.ok(.named("Session"))], codes: [.sessionNotFound]),
        Operation(
            method: .delete, path: "/v1/sessions/{sessionId}", name: "endSession", topic: .sessions,
            credential: .apiKey, summary: "Ends a session for all.",
            answers: [.noContent], codes: [.sessionNotFound]),
        Operation(
            method: .get, path: "/v1/sessions/{sessionId}/participants", name: "listParticipants",
            topic: .sessions, credential: .apiKeyOrAuthToken,
            who: insider, summary: "The roster, in join order.",
            query: page + [
                Field("state?", .words("waiting"), "who waits to be admitted instead; for moderators")
            ],
            answers: [.ok(.page(of: .named("Participant")))], codes: inSession + [.noModeratorScope]),
        Operation(
            method: .get, path: "/v1/sessions/{sessionId}/participants/{pid}", name: "getParticipant",
            topic: .sessions, credential: .apiKeyOrAuthToken,
            who: insider, summary: "A participant, with what it is sent and why not more.",
            notes: "Who is hidden is found with an API key alone.",
            answers: [.ok(.named("ParticipantDetails"))], codes: inSession + [.participantNotFound]),
    ]

    /// What anybody who asks for something in a session by auth token may be refused for.
    static let inSession: [ErrorCode] = inGroup + [.notAPart, .sessionNotFound]
    private static let moderatingSession: [ErrorCode] =
        inSession + [.noModeratorScope, .noClearance, .noSelfAction, .participantNotFound, .notInSession]

    private static let changeable = [
        Field("title?", .text(0...100), "empty: none"),
        Field("settings?", .object(Schema.settingFields)),
    ]

    static let moderation: [Operation] =
        [
            verb("mute", "muteParticipant"), verb("pause-video", "pauseParticipantVideo"),
            verb("stop-screen-share", "stopParticipantScreenShare"),
            verb("lower-hand", "lowerParticipantHand"), verb("ask-to-unmute", "askToUnmute"),
            verb("unlock", "unlockParticipant"), verb("remove", "removeParticipant"),
            verb("scope", "setParticipantScope"), verb("admit", "admitParticipant"),
            verb("deny", "denyParticipant"), verbForAll("mute-all", "muteAll"),
            verbForAll("lower-all-hands", "lowerAllHands"), verbForAll("lock", "lockSession"),
            verbForAll("unlock", "unlockSession"),
        ].compactMap { $0 }

    /// What a method of the socket does, done to the participant of the path.
    private static func verb(_ word: String, _ name: String) -> Operation? {
        guard let method = SocketMethod.named(name) else { return nil }
        let fields = method.parameters.map { field in
            switch field.name {
            case "participantId": Field("participantId?", field.schema, "that of the path")
            case "uid": Field("uid?", field.schema, "refused: the path names somebody")
            default: field
            }
        }
        return verb("participants/{pid}/" + word, method, fields)
    }

    private static func verbForAll(_ word: String, _ name: String) -> Operation? {
        SocketMethod.named(name).map { verb(word, $0, $0.parameters) }
    }

    private static func verb(_ path: String, _ method: SocketMethod, _ fields: [Field]) -> Operation {
        Operation(
            method: .post, path: "/v1/sessions/{sessionId}/" + path, name: method.name, topic: .moderation,
            credential: .apiKeyOrAuthToken, who: moderator, summary: method.summary,
            body: .object(fields), mayLackBody: !fields.contains(where: \.isNeeded),
            answers: [.ok(method.resultSchema)], codes: moderatingSession + method.codes)
    }
}
