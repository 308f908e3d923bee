import Meeting

/// What participants do and see.
extension SocketMethod {
    private static let hands = [Field("hands", .list(of: .named("Hand")), "first raised first")]

    static let own: [SocketMethod] = [
        SocketMethod(
            name: "muteAudio", topic: .own, summary: "Mutes oneself; the server forwards nothing more."),
        SocketMethod(
            name: "unmuteAudio", topic: .own, summary: "Unmutes oneself.",
            codes: [.audioLocked, .publishNotAllowed, .presenterLimit]),
        SocketMethod(name: "pauseVideo", topic: .own, summary: "Pauses one’s camera."),
        SocketMethod(
            name: "resumeVideo", topic: .own, summary: "Resumes one’s camera.",
            codes: [.publishNotAllowed, .presenterLimit]),
        SocketMethod(
            name: "startScreenSharing", topic: .own, summary: "Shares a screen, and names what carries it.",
            notes:
                "The m-lines are those of the next offer; a name that this offer lacks is forgotten, and what "
                + "carried a microphone carries nothing else on this peer connection. Whoever is locked shares "
                + "without sound.",
            parameters: [
                Field("mid?", .text(1...16), "of the picture"),
                Field("audioMid?", .text(1...16), "of the sound"),
                Field("mids?", .list(of: .text(1...16), 0...2), "both: the picture first"),
            ], codes: [.publishNotAllowed, .presenterLimit]),
        SocketMethod(name: "stopScreenSharing", topic: .own, summary: "Shares no screen any more."),
        SocketMethod(
            name: "raiseHand", topic: .own, summary: "Raises one’s hand; again, it keeps its place.",
            result: hands, codes: [.noAccess]),
        SocketMethod(
            name: "lowerHand", topic: .own, summary: "Lowers one’s hand.", result: hands, codes: [.noAccess]),
        SocketMethod(
            name: "setDisplayName", topic: .own, summary: "Changes the name that the others see.",
            parameters: [Field("displayName", .name)]),
    ]

    static let session: [SocketMethod] = [
        SocketMethod(
            name: "getSession", topic: .session, summary: "The session as it is now.",
            result: [Field("session", .named("Session"))]),
        SocketMethod(
            name: "getParticipants", topic: .session, summary: "The roster, in join order.",
            result: [Field("participants", .list(of: .named("Participant")))]),
        SocketMethod(
            name: "getStats", topic: .session, summary: "What the server sends to oneself, and why not more.",
            result: Schema.statisticsFields),
        SocketMethod(
            name: "setTitle", topic: .session, summary: "Changes the session’s title.", scope: .moderator,
            parameters: [Field("title", .text(0...100))]),
        SocketMethod(
            name: "setCapacity", topic: .session, summary: "Changes how many may be in.",
            notes: "Who is in stays in.", scope: .moderator,
            parameters: [Field("maxParticipants", .integer(1...100_000))]),
        SocketMethod(
            name: "endSession", topic: .session, summary: "Ends the session for all.", scope: .moderator,
            parameters: [Field("reason?", .text(0...100))]),
    ]
}
