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

    static let view: [SocketMethod] = [
        SocketMethod(
            name: "setLayout", topic: .view, summary: "Says what this viewer shows, which drives its layers.",
            parameters: [
                Field("layout", .words("tile", "spotlight", "sidebar")),
                Field(
                    "seats?",
                    .list(
                        of: .object([
                            Field("mid", .text(1...16)),
                            Field("maxHeight?", .integer(0...100_000)),
                            Field("paused?", .flag),
                        ]))),
            ]),
        SocketMethod(
            name: "pinParticipant", topic: .view, summary: "Keeps somebody on a seat, for this viewer only.",
            parameters: pin, codes: [.participantNotFound]),
        SocketMethod(
            name: "unpinParticipant", topic: .view, summary: "Undoes `pinParticipant`.",
            parameters: pin, codes: [.participantNotFound]),
        SocketMethod(
            name: "setReceiveLimits", topic: .view, summary: "Bounds what this viewer receives.",
            parameters: [
                Field("maxBitrateBps?", .integer(0...1_000_000_000_000)),
                Field("lastN?", .integer(0...1_000), "videos at most"),
                Field("videoPaused?", .flag, "no video at all: low power mode"),
            ]),
        SocketMethod(
            name: "getStats", topic: .view, summary: "Per seat: layer, bitrate, loss, and why this layer.",
            result: [Field("seats", .list(of: .map(of: .anything)))]),
    ]

    private static let pin = [
        Field("participantId", .id), Field("source?", .words("camera", "screen"), "camera"),
    ]

    static let session: [SocketMethod] = [
        SocketMethod(
            name: "getSession", topic: .session, summary: "The session as it is now.",
            result: [Field("session", .named("Session"))]),
        SocketMethod(
            name: "getParticipants", topic: .session, summary: "The roster, in join order.",
            result: [Field("participants", .list(of: .named("Participant")))]),
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
