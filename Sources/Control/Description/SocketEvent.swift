import Meeting

/// Something that clients are told on the socket, for those who listen.
struct SocketEvent: Sendable {
    enum Reach: Sendable {
        /// Participants: with `sessionId` and `seq`.
        case session
        /// Users who are logged in with an auth token, wherever they are.
        case app
        /// All of these.
        case both
    }

    let name: String
    let reach: Reach
    let summary: String
    let data: [Field]

    /// All of them, in the order in which documents show them.
    static let all: [SocketEvent] =
        session + media + moderation + app + [
            SocketEvent(
                name: "serverDraining", reach: .both,
                summary: "The server stops: at this time at the latest.",
                data: [Field("deadlineAt", .time)])
        ]

    /// The event as a whole.
    var frame: Schema {
        let option = reach == .both ? "?" : ""
        let numbered =
            reach == .app ? [] : [Field("sessionId" + option, .id), Field("seq" + option, .count)]
        return .object(
            [Field("event", .words(name))] + numbered + [Field("at", .time), Field("data", .object(data))])
    }

    static func named(_ name: String) -> SocketEvent? {
        all.first { $0.name == name }
    }

    private static let participant = Field("participant", .named("Participant"))
    private static let by = Field("by?", .named("Author"), "who did it, if it wasn’t the participant")
    private static let hands = Field("hands", .list(of: .named("Hand")), "first raised first")
    private static let reason = Field(
        "reason", .words("left", "removed", "timeout", "replaced", "ended"))

    private static func of(_ name: String, _ summary: String, _ data: [Field] = []) -> SocketEvent {
        SocketEvent(name: name, reach: .session, summary: summary, data: data)
    }

    private static func appWide(_ name: String, _ summary: String, _ data: [Field]) -> SocketEvent {
        SocketEvent(name: name, reach: .app, summary: summary, data: data)
    }

    private static let session: [SocketEvent] = [
        of("sessionJoined", "One has joined.", [Field("session", .named("Session")), participant]),
        of("sessionLeft", "One has left.", [reason]),
        of("sessionUpdated", "Title or settings have changed.", [Field("session", .named("Session"))]),
        of("sessionTimedOut", "One was alone for too long."),
        of("sessionEnded", "The meeting is over, for all.", [Field("reason", .text)]),
        of("idleWarning", "One is alone, and the session will time out.", [Field("secondsLeft", .count)]),
        of("participantJoined", "Somebody has joined.", [participant]),
        of("participantLeft", "Somebody has left.", [participant, reason]),
        of(
            "participantListChanged", "The whole roster, in join order; at most every 250 ms.",
            [Field("participants", .list(of: .named("Participant")))]),
        of(
            "participantUpdated", "Something about somebody has changed.",
            [participant, Field("changed", .list(of: .text), "names of fields")]),
        of("participantConnectionLost", "Somebody’s socket has been lost for 3 s.", [participant]),
        of("participantConnectionRestored", "Somebody is back.", [participant]),
        of("participantHandRaised", "A hand is raised.", [participant, hands]),
        of("participantHandLowered", "A hand is lowered.", [participant, hands, by]),
        of("message", "A message; its sender gets it too.", [Field("message", .named("SessionMessage"))]),
    ]

    private static let media: [SocketEvent] = [
        of("participantAudioMuted", "Somebody is muted.", [participant, by]),
        of("participantAudioUnmuted", "Somebody is unmuted.", [participant]),
        of("participantVideoPaused", "Somebody’s camera is paused.", [participant, by]),
        of("participantVideoResumed", "Somebody’s camera is on.", [participant]),
        of("participantStartedScreenShare", "Somebody shares a screen.", [participant]),
        of("participantStoppedScreenShare", "Somebody shares no screen any more.", [participant, by]),
        of(
            "dominantSpeakerChanged", "Somebody else speaks.",
            [
                Field(
                    "participant", .either(.named("Participant"), .null),
                    "null: nobody speaks. It is the only null of the API")
            ]),
        of(
            "activeSpeakersChanged",
            "Who speaks, the loudest first: at most every 500 ms, for those who joined with `activeSpeakers`.",
            [
                Field(
                    "speakers",
                    .list(
                        of: .object([
                            Field("participantId", .id),
                            Field("level", .integer(1...127), "decibels above silence, which is −127 dBov"),
                        ])))
            ]),
        of(
            "seatsChanged", "Who sits where; all of the seats.",
            [Field("seats", .list(of: .named("Seat")))]),
        of(
            "publishHint",
            "What one is asked to send: all encodings of one’s videos. What nobody has needed for some seconds "
                + "may stop until it is asked back.",
            [
                Field(
                    "encodings",
                    .list(
                        of: .object([
                            Field("mid", .text(1...16)),
                            Field("rid?", .text(1...16), "absent: the only one"),
                            Field("active", .flag, "false: nobody needs it, or it is more than may be sent"),
                            Field("maxBitrateBps?", .count, "absent: not limited"),
                        ])))
            ]),
        of(
            "connectionQuality",
            "How well somebody is connected has changed: 5 is best, with 0 nothing is heard of it. At most every 5 s.",
            [Field("participantId", .id), Field("score?", .integer(0...5))]),
    ]

    private static let moderation: [SocketEvent] = [
        of("unmuteRequested", "A moderator asks one to unmute.", [Field("by", .named("Author"))]),
        of(
            "removed", "One was removed; the socket closes with 4003.",
            [Field("by", .named("Author")), Field("reason?", .text)]),
        of("waitingParticipant", "Somebody waits to be admitted; for moderators.", [participant]),
        of(
            "admitted", "Who waited comes in; for moderators and the one who waited.",
            [participant, Field("by", .named("Author"))]),
        of(
            "denied", "Who waited does so no longer; for moderators and the one who waited.",
            [participant, by]),
    ]

    private static let kept = [Field("message", .named("Message"))]
    private static let meeting = [Field("guid", .id), Field("sessionId", .id)]
    private static let membership = [
        Field("guid", .id), Field("uid", .id, "whom it is about"), Field("scope?", .scope),
        Field("by?", .id, "a uid; absent for a back end"),
    ]

    private static let app: [SocketEvent] = [
        appWide("incomingCallReceived", "Somebody rings.", [Field("call", .named("Call"))]),
        appWide(
            "outgoingCallAccepted", "Somebody answered one’s call: join now.",
            [
                Field("call", .named("Call")),
                Field("by", .object([Field("uid", .id), Field("name", .text)]), "who accepted"),
            ]),
        appWide(
            "outgoingCallRejected", "Nobody will answer one’s call.",
            [
                Field("call", .named("Call")),
                Field("status", .words("rejected", "busy", "unanswered")),
            ]),
        appWide(
            "incomingCallCancelled", "It rings no more.",
            [
                Field("call", .named("Call")),
                Field("reason", .words("cancelled", "answeredElsewhere", "timeout")),
            ]),
        appWide("callEnded", "The call is over.", [Field("call", .named("Call"))]),
        appWide("customMessageReceived", "A custom message to one, or to one’s group.", kept),
        appWide("textMessageReceived", "A text to one, or to one’s group.", kept),
        appWide("meetingStarted", "A meeting of one’s group has begun.", meeting),
        appWide("meetingEnded", "A meeting of one’s group is over.", meeting),
        appWide("groupMemberJoined", "Somebody is a member of the group.", membership),
        appWide("groupMemberLeft", "Somebody is no member any more.", membership),
        appWide("groupMemberKicked", "Somebody was put out of the group.", membership),
        appWide("groupMemberBanned", "Somebody is kept out of the group.", membership),
        appWide("groupMemberScopeChanged", "Somebody has another scope in the group.", membership),
    ]
}
