import Meeting

/// Messages, and ringing.
extension SocketMethod {
    private static let receiver = [
        Field("receiverId", .id), Field("receiverType", .words(CallReceiver.Kind.self)),
    ]
    private static let outside: [ErrorCode] = [
        .noAccess, .authTokenExpired, .invalidReceiverType, .guidNotFound, .notGroupMember,
        .bannedGroupMember,
    ]

    static let messages: [SocketMethod] = [
        SocketMethod(
            name: "sendMessage", topic: .messages, summary: "Sends a message within the session.",
            notes: "The sender gets it too, as the event `message`.",
            parameters: [
                Field("type", .text(1...100), "a word of the sender’s choice: `chat`, `reaction`, …"),
                Field("text?", .text(0...65_536)),
                Field("data?", .anything, "10 KB of JSON at most"),
                Field("to?", .list(of: .id), "participantIds; everybody, if absent"),
                Field("persist?", .flag, "keeps it in the history; not with `to`"),
            ],
            result: [Field("message", .named("SessionMessage"))],
            codes: [
                .notInSession, .sessionNotFound, .participantNotFound, .invalidMessageType, .noAccess,
            ]),
        SocketMethod(
            name: "sendCustomMessage", topic: .messages,
            summary: "Sends a message to a group or a user, in a session or not.",
            notes: "Needs an auth token. " + Operation.card,
            parameters: receiver + [
                Field("type", .text(1...100)),
                Field("customData?", .anything, "10 KB of JSON at most"),
                Field("metadata?", .anything, "10 KB of JSON at most"),
            ],
            result: [Field("message", .named("Message"))],
            codes: outside + [.invalidMessageType, .uidNotFound]),
        SocketMethod(
            name: "fetchMessages", topic: .messages,
            summary: "The messages of a group, or with a user, the latest first.",
            notes: "Needs an auth token.", parameters: receiver + Operation.history,
            result: [Field("messages", .list(of: .named("Message")))], codes: outside),
    ]

    static let calls: [SocketMethod] = [
        SocketMethod(
            name: "initiateCall", topic: .calls, summary: "Rings a user or the members of a group.",
            notes: "Join the session when `outgoingCallAccepted` comes.", parameters: Operation.callFields,
            result: [Field("call", .named("Call"))],
            codes: Operation.initiating + [.noAccess, .authTokenExpired]),
        step("acceptCall", "Accepts a call: join its session then.", "not for this", codes: [.busySelf]),
        step("rejectCall", "Turns a call down.", Operation.rejecting),
        step("cancelCall", "Takes back a call that nobody answered.", Operation.cancelling),
        step("endCall", "Ends a call, or leaves a group’s.", "not for this"),
        SocketMethod(
            name: "getActiveCall", topic: .calls,
            summary: "The call that one is in, or the meeting that goes on in a group.",
            parameters: [Field("guid?", .id)],
            result: [
                Field("session?", .named("Session"), "the group’s meeting"),
                Field("isLocked?", .flag),
                Field("isFull?", .flag),
                Field("call?", .named("Call"), "what rings or goes on"),
            ],
            codes: [.noAccess, .authTokenExpired, .guidNotFound, .notGroupMember, .bannedGroupMember]),
    ]

    private static func step(
        _ name: String, _ summary: String, _ statuses: String, codes: [ErrorCode] = []
    ) -> SocketMethod {
        SocketMethod(
            name: name, topic: .calls, summary: summary,
            parameters: [Field("sessionId", .id), Field("status?", .text, statuses), Operation.device],
            result: [Field("call", .named("Call"))],
            codes: Operation.changing + [.noAccess, .authTokenExpired] + codes)
    }
}
