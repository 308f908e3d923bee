import Meeting

/// Members, bans and messages.
extension Operation {
    private static let moderator = "API key, or a moderator’s auth token"
    private static let member = "API key, or a member’s auth token"

    static let members: [Operation] = [
        Operation(
            method: .get, path: "/v1/groups/{guid}/members", name: "listMembers", topic: .members,
            credential: .apiKeyOrAuthToken, who: member,
            summary: "Lists the members, in the order of joining.", query: page,
            answers: [.ok(.page(of: .named("Member")))], codes: inGroup),
        Operation(
            method: .post, path: "/v1/groups/{guid}/members", name: "addMembers", topic: .members,
            credential: .apiKeyOrAuthToken, who: moderator,
            summary: "Makes users members: all of them or none.",
            body: .list(
                of: .object([Field("uid", .id), Field("scope?", assignable, "participant if absent")]), 1...25
            ),
            answers: [.created(.data(of: .named("Member")), "Those who weren’t members yet.")],
            codes: moderating + [.invalidScope, .uidNotFound]),
        Operation(
            method: .put, path: "/v1/groups/{guid}/members/{uid}", name: "setMemberScope", topic: .members,
            credential: .apiKeyOrAuthToken, who: moderator,
            summary: "Gives a member another scope, in the running session too.",
            body: .object([Field("scope", assignable)]), answers: [.ok(.named("Member"))],
            codes: moderating + [.invalidScope, .cannotChangeOwnerScope, .sameScope]),
        Operation(
            method: .delete, path: "/v1/groups/{guid}/members/{uid}", name: "kickMember", topic: .members,
            credential: .apiKeyOrAuthToken, who: moderator,
            summary: "Puts a member out, of the running session too.",
            answers: [.noContent], codes: moderating + [.cannotKickOwner]),
        Operation(
            method: .get, path: "/v1/groups/{guid}/bans", name: "listBans", topic: .members,
            credential: .apiKeyOrAuthToken, who: moderator, summary: "Lists who is kept out.",
            query: page, answers: [.ok(.page(of: .named("Ban")))], codes: moderating),
        Operation(
            method: .post, path: "/v1/groups/{guid}/bans", name: "ban", topic: .members,
            credential: .apiKeyOrAuthToken, who: moderator,
            summary: "Keeps a user out, member or not; a membership ends.",
            body: .object([Field("uid", .id)]), answers: [.created(.named("Ban"))],
            codes: moderating + [.uidNotFound, .cannotKickOwner, .alreadyBanned]),
        Operation(
            method: .delete, path: "/v1/groups/{guid}/bans/{uid}", name: "unban", topic: .members,
            credential: .apiKeyOrAuthToken, who: moderator, summary: "Keeps a user out no longer.",
            answers: [.noContent], codes: moderating + [.notBanned]),
    ]

    /// Scopes that somebody may be given.
    static let assignable = Schema.words("viewer", "participant", "moderator", "admin")

    static let messages: [Operation] = [
        Operation(
            method: .get, path: "/v1/groups/{guid}/messages", name: "listGroupMessages", topic: .messages,
            credential: .apiKeyOrAuthToken, who: member, summary: "A group’s messages, the latest first.",
            query: history, answers: [.ok(.data(of: .named("Message")))], codes: inGroup),
        Operation(
            method: .post, path: "/v1/groups/{guid}/messages", name: "sendGroupMessage", topic: .messages,
            credential: .apiKeyOrAuthToken, who: member,
            summary: "Sends a message to a group. It is kept, and its members are told.",
            notes: card, body: .object(message + metadata), answers: [.created(.named("Message"))],
            codes: inGroup + [.noAccess, .invalidMessageType, .uidNotFound]),
        Operation(
            method: .get, path: "/v1/sessions/{sessionId}/messages", name: "listSessionMessages",
            topic: .messages, credential: .apiKeyOrAuthToken,
            who: "API key, or the auth token of who is in, or is a member of the group",
            summary: "A session’s messages that were kept, the latest first.",
            query: history, answers: [.ok(.data(of: .named("Message")))],
            codes: inGroup + [.notAPart, .sessionNotFound]),
        Operation(
            method: .post, path: "/v1/sessions/{sessionId}/messages", name: "sendSessionMessage",
            topic: .messages, credential: .apiKeyOrAuthToken,
            who: "API key, or the auth token of who is in, or is a member of the group",
            summary: "Sends a message to all in a session that goes on. It is kept.",
            body: .object(
                message + [Field("metadata?", .anything, "refused: it is for messages to groups")]),
            answers: [.created(.named("Message"))],
            codes: inGroup + [.notAPart, .sessionNotFound, .noAccess, .invalidMessageType]),
    ]

    static let card = """
        A card by which members find the group’s meeting is of type `meeting`, without `text`; its `customData` \
        has `callType`, audio or video (if absent), and `sessionId`, the guid if absent.
        """

    private static let message = [
        Field("type", .text(1...100), "a word of the sender’s choice: `chat`, `meeting`, …"),
        Field("text?", .text(0...65_536), "without it, it is a custom message"),
        Field("data?", .anything, "goes with `text`; 10 KB of JSON at most"),
        Field("customData?", .anything, "goes without `text`; 10 KB of JSON at most"),
        Field("uid?", .id, "who says it; needed with an API key"),
    ]

    private static let metadata = [Field("metadata?", .anything, "10 KB of JSON at most")]
}
