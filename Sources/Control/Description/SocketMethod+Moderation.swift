import Meeting

/// What moderators do to others: what is done takes effect at the server, before it is answered.
extension SocketMethod {
    private static let target = [
        Field("participantId?", .id, "this one"),
        Field("uid?", .id, "or all devices of this user: one of the two is needed"),
    ]
    private static let affected = [Field("affected", .count)]
    private static let lock = Field(
        "lock?", .flag,
        "until it is unlocked it can’t unmute itself, and nothing is heard of it, the sound of its screen neither"
    )
    private static let kinds = Field("kinds?", .list(of: .words(MediaKind.self)), "audio if absent")

    private static let hands = [Field("hands", .list(of: .named("Hand")), "first raised first")]

    static let moderation: [SocketMethod] = [
        on(
            "muteParticipant", aliases: ["muteUser"], "Mutes somebody, who may unmute unless it is locked.",
            target + [kinds, lock], result: affected),
        on("pauseParticipantVideo", "Pauses somebody’s camera.", target, result: affected),
        on("stopParticipantScreenShare", "Stops somebody’s screen share.", target, result: affected),
        on(
            "unlockParticipant", "Lets somebody unmute again, which brings the sound of its screen back too.",
            target),
        on("askToUnmute", "Asks somebody to unmute: nobody else can do it.", target),
        on(
            "removeParticipant", aliases: ["removeUser"],
            "Removes somebody: the socket is closed with 4003, the call token refused for a while.",
            target + [
                Field("reason?", .text(0...100)),
                Field(
                    "banSeconds?", .integer(-1...31_536_000), "60 if absent; −1: for the meeting’s whole life"
                ),
            ]),
        on("lowerParticipantHand", "Lowers somebody’s hand.", target, result: hands),
        on(
            "setParticipantScope", "Gives somebody another scope: in the group, if it is a group’s session.",
            target + [Field("scope", Operation.assignable)],
            codes: [.invalidScope, .sameScope, .cannotChangeOwnerScope, .presenterLimit]),
        onAll(
            "muteAll", "Mutes everybody below oneself.",
            [
                kinds,
                Field("except?", .list(of: .id), "participantIds"),
                lock,
                Field("onEntry?", .flag, "also those who join later"),
            ]),
        onAll("lowerAllHands", "Lowers all hands."),
        onAll("lockSession", "Nobody below moderator may join any more."),
        onAll("unlockSession", "Everybody may join again."),
        on(
            "admitParticipant", "Lets in who waits.", waiter, result: affected,
            codes: [.callFull, .presenterLimit]),
        on("denyParticipant", "Sends away who waits.", waiter, result: affected),
    ]

    private static let waiter = [Field("participantId", .id, "or `all`")]

    private static func on(
        _ name: String, aliases: [String] = [], _ summary: String, _ parameters: [Field],
        result: [Field] = [], codes: [ErrorCode] = []
    ) -> SocketMethod {
        SocketMethod(
            name: name, aliases: aliases, topic: .moderation, summary: summary, scope: .moderator,
            parameters: parameters, result: result, codes: codes + [.participantNotFound, .noSelfAction])
    }

    private static func onAll(
        _ name: String, _ summary: String, _ parameters: [Field] = []
    ) -> SocketMethod {
        SocketMethod(
            name: name, topic: .moderation, summary: summary, scope: .moderator, parameters: parameters,
            result: affected)
    }
}
