import Meeting

extension SocketMethod {
    static let identity: [SocketMethod] = [
        SocketMethod(
            name: "login", topic: .identity, summary: "Says who this is, by an auth or call token.",
            parameters: [Field("token", .text)],
            result: [Field("uid", .id), Field("name?", .text), Field("expiresAt", .time)],
            codes: tokens + [.alreadyInSession]),
        SocketMethod(
            name: "logout", topic: .identity, summary: "Leaves the session, and is nobody from then on."),
        SocketMethod(
            name: "ping", topic: .identity,
            summary: "For clients that can’t see the protocol’s pings, which come every 10 s.",
            result: [Field("at", .time)]),
    ]

    /// What a token may be refused for.
    static let tokens: [ErrorCode] = [
        .tokenNotFound, .authTokenExpired, .callTokenExpired, .callTokenInvalid,
    ]

    /// What whoever joins may be refused for.
    private static let joining: [ErrorCode] =
        [
            .emptySessionID, .invalidOffer, .codecUnsupported, .notGroupMember, .bannedGroupMember,
            .guidNotFound,
            .callFull, .presenterLimit, .removed, .locked, .alreadyInSession, .sessionNotFound, .notInSession,
        ] + Operation.comingToCall

    static let coming: [SocketMethod] = [
        SocketMethod(
            name: "joinSession", aliases: ["startSession"], topic: .coming,
            summary: "Joins a session, and answers with the whole state.",
            notes: """
                Nothing is missed: events that follow build on the answer. Without `offer` there is no media. In a \
                session with a waiting room `state` may be `waiting`. When `admitted` comes, call it again within 30 s.
                """,
            parameters: [
                Field("callToken?", .text, "not needed where the socket is logged in"),
                Field("sessionId?", .id, "needed with an auth token"),
                Field("offer?", .text, "the SDP of a browser’s offer"),
                Field("settings?", .object(settings)),
            ],
            result: state, otherResult: waiting, codes: tokens + joining),
        SocketMethod(
            name: "resumeSession", topic: .coming,
            summary: "Comes back on another socket within 30 s, in the same place.",
            notes:
                "Answers the events that were missed, or a snapshot if they are gone, and the token for the next time: "
                + "each is good once.",
            parameters: [
                Field("resumeToken", .text),
                Field("lastSeq", .integer(Int64.min...Int64.max), "the last event that was received"),
            ],
            result: [
                Field("events?", .list(of: .named("SessionEvent"))),
                Field("snapshot?", .named("Snapshot")),
                Field("resumeToken", .text),
            ],
            codes: [
                .noAccess, .alreadyInSession, .notInSession, .sessionNotFound, .tokenNotFound,
            ]),
        SocketMethod(
            name: "leaveSession", topic: .coming,
            summary: "Leaves the session; done already, it does nothing."),
        SocketMethod(
            name: "negotiate", topic: .coming,
            summary: "A further offer: an ICE restart, new tracks, more or fewer seats.",
            parameters: [Field("offer", .text)], result: [Field("answer", .text)],
            codes: [.invalidOffer, .codecUnsupported, .notInSession, .publishNotAllowed]),
    ]

    private static let settings = [
        Field("displayName?", .name),
        Field("sessionType?", .words("audio", "video"), "counts for the first who joins; video if absent"),
        Field("startAudioMuted?", .flag),
        Field("startVideoPaused?", .flag),
        Field("layout?", .words("tile", "spotlight", "sidebar")),
        Field("deviceId?", .id, "joining again with the same replaces the participant that was in"),
        Field("activeSpeakers?", .flag, "to be told who speaks, by `activeSpeakersChanged`"),
        Field("sources?", .map(of: .source), "what the offer’s sending m-lines carry, by mid"),
    ]

    private static let state = [
        Field("state", .words("joined")),
        Field("session", .named("Session")),
        Field("participant", .named("Participant"), "oneself"),
        Field("participants", .list(of: .named("Participant")), "in join order"),
        Field("hands", .list(of: .named("Hand")), "first raised first"),
        Field("dominantSpeaker?", .id),
        Field("seats", .list(of: .named("Seat"))),
        Field("waiting?", .list(of: .named("Participant")), "who waits to be admitted; for moderators"),
        Field("answer?", .text, "the SDP of the answer"),
        Field("iceServers", .list(of: .named("ICEServer"))),
        Field("resumeToken", .text),
        Field("seq", .count),
    ]

    private static let waiting = [
        Field("state", .words("waiting")),
        Field("session", .named("Session")),
        Field("participant", .named("Participant"), "oneself"),
    ]
}
