import Meeting

/// What participants do and see.
extension SocketMethod {
    private static let hands = [Field("hands", .list(of: .named("Hand")), "first raised first")]

    static let own: [SocketMethod] = [
        SocketMethod(
            name: "muteAudio", topic: .own, summary: "Mutes oneself; the server forwards nothing more."),
        SocketMethod(
            name: "unmuteAudio", topic: .own, summary: "Unmutes oneself.",
            codes: [.audioLocked, .publishNotAllowed]),
        SocketMethod(name: "pauseVideo", topic: .own, summary: "Pauses one’s camera."),
        SocketMethod(
            name: "resumeVideo", topic: .own, summary: "Resumes one’s camera.", codes: [.publishNotAllowed]),
        SocketMethod(
            name: "startScreenSharing", topic: .own, summary: "Shares a screen, and names what carries it.",
            notes: "The m-lines are those of the next offer; a name that this offer lacks is forgotten.",
            parameters: [
                Field("mid?", .text(1...16), "of the picture"),
                Field("audioMid?", .text(1...16), "of the sound"),
                Field("mids?", .list(of: .text(1...16), 0...2), "both: the picture first"),
            ], codes: [.publishNotAllowed]),
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

    private static let link = [
        Field(
            "basis", .words("unheard", "transportCC", "receiver", "unknown"),
            "what the estimate is made of; unknown: the client doesn’t say what it receives"),
        Field("estimateBps?", .count, "what the link carries; absent: not known"),
        Field("budgetBps?", .count, "what limits leave of it"),
        Field("audioBps", .count, "what voices have of it, first of all"),
        Field("videoBps", .count, "what videos are allowed"),
        Field("demandBps", .count, "what would be sent if bitrate were no matter"),
        Field("roundTripMs", .number),
        Field("queueingMs?", .number, "how long packets wait on the way"),
        Field("loss?", .number(0...1), "share of packets lost lately"),
    ]

    private static let seatStats = [
        Field("mid", .text(1...16)),
        Field("kind", .words("audio", "video")),
        Field("participantId?", .id, "absent: nobody sits there"),
        Field("source?", .source),
        Field("muted", .flag),
        Field(
            "layer?",
            .object([Field("rid?", .text(1...16)), Field("spatial?", .count), Field("temporal?", .count)]),
            "what is sent; absent: nothing is"),
        Field("bitrateBps", .count, "of payload, over the last second"),
        Field("loss", .number(0...1), "as this client reported last"),
        Field(
            "reason?", .words("bandwidth", "viewport", "lastN", "paused", "sourceOff", "serverLimit"),
            "why it isn’t the best layer; absent: it is"),
        Field("neededBps?", .count, "what the next better layer would take, if bitrate is what is missing"),
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
            result: [Field("link", .object(link)), Field("seats", .list(of: .object(seatStats)))]),
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
