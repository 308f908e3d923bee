import Meeting

/// The objects of the API.
extension Schema {
    static let objects: [NamedObject] =
        people + statistics + meetings + directory + log + operations + [
            NamedObject(
                "Error", "Every request that is refused is answered with this.",
                [
                    Field(
                        "error",
                        .object([
                            Field("code", .words(ErrorCode.self), "stable; what programs look at"),
                            Field("message", .text, "a sentence for a person; it may change"),
                            Field(
                                "details?", .map(of: .anything), "what belongs to it: `field`, for example"),
                        ]))
                ]),
            NamedObject(
                "Pagination", "Which part of a list this is.",
                [
                    Field("total", .count, "elements on all pages"),
                    Field("count", .count, "elements on this page"),
                    Field("perPage", .integer(1...100)),
                    Field("currentPage", .integer(1...1_000_000), "counts from 1"),
                    Field("totalPages", .count),
                ]),
        ]

    private static let participant = [
        Field("participantId", .id, "unique for each join"),
        Field("uid", .id),
        Field("name", .text),
        Field("avatar?", .text, "an http or https address"),
        Field("scope", .scope),
        Field("state", .words("joining", "joined", "reconnecting", "waiting")),
        Field("audioMuted", .flag),
        Field("audioLocked", .flag, "a moderator muted it, and it can't unmute itself"),
        Field("videoPaused", .flag),
        Field("isPresenting", .flag, "shares a screen"),
        Field("isRecorder", .flag),
        Field("raisedHandAt", .time, "0: not raised"),
        Field("joinedAt", .time),
        Field("deviceId?", .id),
        Field("connectionQuality?", .integer(0...5), "absent until it is measured"),
    ]

    private static let people: [NamedObject] = [
        NamedObject(
            "Participant",
            "Somebody in a meeting, on one device: the same user on two devices is two participants.",
            participant),
        NamedObject(
            "ParticipantDetails", "A participant, with what it is sent and why not more.",
            participant + [
                Field("statistics?", .named("ViewerStatistics"), "absent while it has no media")
            ]),
        NamedObject(
            "Hand", "A raised hand.",
            [Field("participantId", .id), Field("raisedAt", .time)]),
        NamedObject(
            "Seat",
            """
            An m-line in which a viewer receives whoever sits there. Its track never changes. Its layer does, \
            from moment to moment: `getStats` says it.
            """,
            [
                Field("mid", .text(1...16)),
                Field("kind", .words("audio", "video")),
                Field("participantId?", .id, "absent: nobody sits there"),
                Field("source?", .source),
                Field("muted", .flag, "the occupant sends nothing from this source now"),
            ]),
        NamedObject(
            "Author", "Who did something to somebody else; empty for a back end.",
            [Field("participantId?", .id), Field("uid?", .id)]),
    ]
}
