import Meeting

extension Schema {
    /// What a session can be set to. All of it may be absent in a request.
    static let settingFields: [Field] = [
        Field("mode?", .words(SessionSettings.Mode.self), "presenter: few present, the others watch"),
        Field("maxParticipants?", .integer(1...100_000), "places"),
        Field("maxPresenters?", .integer(0...100_000), "how many may publish in mode presenter"),
        Field("openModeration?", .flag, "whether any participant may mute others and pause their video"),
        Field("muteOnEntry?", .flag, "whether those below moderator come in muted"),
        Field("locked?", .flag, "whether nobody below moderator may join"),
        Field("waitingRoom?", .flag, "whether those below moderator wait until they are admitted"),
        Field("idleTimeoutSeconds?", .integer(0...604_800), "how long one may be alone; 0: for ever"),
        Field("maxVideoSeats?", .integer(0...1_000)),
        Field("maxAudible?", .integer(0...1_000), "voices that are forwarded at once"),
        Field("maxBitrateUpBps?", .integer(1...1_000_000_000_000)),
        Field("maxBitrateDownBps?", .integer(1...1_000_000_000_000)),
        Field("autoRecord?", .flag),
        Field(
            "duplicateUser?", .words(SessionSettings.DuplicateUser.self),
            "when a user who is in joins from another device"),
    ]

    static let meetings: [NamedObject] = [
        NamedObject(
            "SessionSettings", "How a session behaves.",
            settingFields.filter { $0.name != "mode" }.map { field in
                let mayLack = field.name.hasPrefix("maxBitrate")
                return Field(field.name + (mayLack ? "?" : ""), field.schema, field.note)
            }),
        NamedObject(
            "Session", "One meeting of a session, as its participants see it.",
            [
                Field("sessionId", .id),
                Field("meetingId", .text, "a UUID: one life of the session"),
                Field("guid?", .id, "the group whose session it is"),
                Field("title?", .text),
                Field("type", .words("audio", "video")),
                Field("mode", .words("meet", "presenter")),
                Field("startedAt", .time),
                Field("participantCount", .count, "those in the roster"),
                Field("settings", .named("SessionSettings")),
                Field("recording", .flag),
                Field("dominantSpeaker?", .id, "who speaks; absent: nobody"),
            ]),
        NamedObject(
            "Snapshot", "All that a participant may know at one moment; later events build on it.",
            [
                Field("session", .named("Session")),
                Field("participant", .named("Participant"), "oneself"),
                Field("participants", .list(of: .named("Participant")), "in join order"),
                Field("hands", .list(of: .named("Hand")), "first raised first"),
                Field("dominantSpeaker?", .id),
                Field("seats", .list(of: .named("Seat"))),
                Field(
                    "waiting?", .list(of: .named("Participant")), "who waits to be admitted; for moderators"),
                Field("seq", .count, "the last event that is included"),
            ]),
        NamedObject(
            "SessionMessage", "A message within a session.",
            [
                Field("id", .text),
                Field("sessionId", .id),
                Field(
                    "sender",
                    .object([Field("uid", .id), Field("name", .text), Field("participantId?", .id)])),
                Field("category", .words("custom", "text")),
                Field("type", .text),
                Field("text?", .text),
                Field("data?", .anything),
                Field("sentAt", .time),
            ]),
        NamedObject(
            "SessionEvent", "Something that a participant is told.",
            [
                Field("event", .text, "its name"),
                Field("sessionId", .id),
                Field(
                    "seq", .count, "counts up by one for each participant: a gap means something was missed"),
                Field("at", .time),
                Field("data", .map(of: .anything), "as the event's description says"),
            ]),
        NamedObject(
            "ICEServer", "As `RTCPeerConnection` takes it.",
            [
                Field("urls", .list(of: .text))
            ]),
    ]

    static let directory: [NamedObject] = [
        NamedObject(
            "User", "A user's profile.",
            [
                Field("uid", .id), Field("name", .text), Field("avatar?", .text),
                Field("metadata?", .anything),
            ]),
        NamedObject(
            "Group", "Users who meet under one id. Its `guid` is the id of its session.",
            [
                Field("guid", .id),
                Field("name", .text),
                Field("type", .words("public", "private", "password")),
                Field("owner?", .id),
                Field("maxParticipants?", .integer(1...100_000), "places in its session"),
                Field("metadata?", .anything),
            ]),
        NamedObject(
            "Member", "A user's place in a group.",
            [Field("uid", .id), Field("scope", .scope), Field("joinedAt", .time)]),
        NamedObject(
            "Ban", "A user who is kept out of a group.",
            [Field("uid", .id), Field("bannedAt", .time)]),
        NamedObject(
            "Message", "A message that is kept.",
            [
                Field("id", .text),
                Field("sessionId?", .id, "of a message within a session"),
                Field("guid?", .id, "of a message to a group"),
                Field("receiverId?", .id, "of a message to a user"),
                Field("sender", .object([Field("uid", .id), Field("name", .text)])),
                Field("category", .words("custom", "text")),
                Field("type", .text),
                Field("text?", .text),
                Field("customData?", .anything, "of a custom message"),
                Field("data?", .anything, "of a text message"),
                Field("metadata?", .anything),
                Field("sentAt", .time),
            ]),
    ]

    static let log: [NamedObject] = [
        NamedObject(
            "Party", "One side of a call.", [Field("uid?", .id), Field("guid?", .id), Field("name", .text)]),
        NamedObject(
            "Call", "An entry of the call log: a call that rang, or one meeting of a session.",
            [
                Field("sessionId", .id),
                Field("meetingId?", .text),
                Field("initiator", .named("Party")),
                Field("receiver?", .named("Party"), "absent: nobody was rung"),
                Field("receiverType?", .words(CallReceiver.Kind.self)),
                Field("type", .words(CallRecord.Kind.self)),
                Field("status", .words(CallRecord.Status.self)),
                Field("mode", .words(CallRecord.Mode.self)),
                Field("initiatedAt", .time),
                Field("startedAt?", .time),
                Field("endedAt?", .time),
                Field("durationSeconds?", .count),
                Field("audioSeconds", .count, "of all participants together"),
                Field("videoSeconds", .count, "of all participants together"),
                Field("metadata?", .anything),
                Field("participants?", .list(of: .named("CallParticipant")), "not in events"),
                Field("recordings?", .list(of: .named("Recording")), "not in events"),
            ]),
        NamedObject(
            "CallParticipant", "A user's part in a call.",
            [
                Field("uid", .id),
                Field("name", .text),
                Field("deviceId?", .id),
                Field("isJoined", .flag),
                Field("joinedAt?", .time),
                Field("leftAt?", .time),
                Field("durationSeconds?", .count),
                Field("state", .words("ongoing", "ended", "unanswered", "rejected")),
            ]),
        NamedObject(
            "Recording", "A recording of a meeting.",
            [
                Field("id", .text), Field("url", .text), Field("startedAt", .time), Field("endedAt?", .time),
            ]),
    ]
}
