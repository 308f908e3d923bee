import Meeting

/// Tokens, users, groups.
extension Operation {
    static let tokens: [Operation] = [
        Operation(
            method: .post, path: "/v1/auth-tokens", name: "createAuthToken", topic: .tokens,
            credential: .apiKey, summary: "Mints an auth token: it says who a user is, app-wide.",
            body: .object([
                Field("uid", .id),
                Field("name?", .name, "shown to the others; what is registered, if absent"),
                Field("avatar?", .text(1...3_000), "an http or https address"),
                Field("ttlSeconds?", .integer(1...31_536_000), "1800 if absent"),
            ]),
            answers: [.created(.object([Field("authToken", .text), Field("expiresAt", .time)]))]),
        Operation(
            method: .delete, path: "/v1/auth-tokens/current", name: "revokeAuthToken", topic: .tokens,
            credential: .authToken, summary: "Revokes the token that the request is made with.",
            notes: """
                Its sockets are closed with 4001, and who is in a session by them leaves it. Call tokens that were \
                got with it last until they expire.
                """,
            answers: [.noContent]),
        Operation(
            method: .post, path: "/v1/call-tokens", name: "createCallToken", topic: .tokens,
            credential: .apiKeyOrAuthToken, who: "API key, or auth token for oneself",
            summary: "Mints a call token: it lets one user join one session.",
            notes: """
                In the session of a group the user must be a member, and the scope is the member's, whatever is \
                asked for.
                """,
            body: .object([
                Field("sessionId", .id),
                Field("uid?", .id, "needed with an API key; else oneself"),
                Field("scope?", .scope, "participant if absent; with an API key only"),
                Field("grants?", grants, "with an API key only"),
                Field("ttlSeconds?", .integer(1...31_536_000), "300 if absent"),
            ]),
            answers: [
                .created(
                    .object([
                        Field("callToken", .text), Field("sessionId", .id), Field("expiresAt", .time),
                    ]))
            ],
            codes: inGroup + comingToCall + [.emptySessionID, .noAccess, .removed]),
        Operation(
            method: .post, path: "/v1/guest-tokens", name: "createGuestToken", topic: .tokens,
            credential: .none, summary: "Lets whoever asks join, under an id that nobody else has.",
            notes: "There are guests only where `web.guestKey` is set.",
            body: .object([Field("sessionId", .id), Field("name", .name)]),
            answers: [
                .created(.object([Field("callToken", .text), Field("sessionId", .id), Field("uid", .id)]))
            ],
            codes: [.emptySessionID, .apiNotFound, .guidNotFound]),
    ]

    static let grants = Schema.object([
        Field("publish?", .list(of: .source), "all of them if absent"),
        Field("subscribe?", .flag, "whether anything is received; true if absent"),
        Field(
            "hidden?", .flag,
            "not in the roster, nobody is told, and nothing is published whatever `publish` says; false if absent"
        ),
    ])

    static let users: [Operation] = [
        Operation(
            method: .get, path: "/v1/users", name: "listUsers", topic: .users, credential: .apiKey,
            summary: "Lists users.", query: page, answers: [.ok(.page(of: .named("User")))]),
        Operation(
            method: .put, path: "/v1/users/{uid}", name: "putUser", topic: .users, credential: .apiKey,
            summary: "Registers a user, or changes the profile.",
            body: .object([
                Field("uid?", .id, "that of the path"),
                Field("name", .name),
                Field("avatar?", .text(1...3_000), "an http or https address"),
                Field("metadata?", .anything, "10 KB of JSON at most"),
            ]),
            answers: [.ok(.named("User"), "It was changed."), .created(.named("User"), "It is new.")]),
        Operation(
            method: .get, path: "/v1/users/{uid}", name: "getUser", topic: .users, credential: .apiKey,
            summary: "A user's profile.", answers: [.ok(.named("User"))], codes: [.uidNotFound]),
        Operation(
            method: .delete, path: "/v1/users/{uid}", name: "deleteUser", topic: .users,
            credential: .apiKey, summary: "Forgets a user, whose memberships end.",
            notes: "Who owns groups can't be deleted. Auth tokens from before open nothing any more, and "
                + "their sockets are closed with 4001; call tokens last until they expire.",
            answers: [.noContent], codes: [.uidNotFound, .cannotKickOwner]),
    ]

    static let groups: [Operation] = [
        Operation(
            method: .get, path: "/v1/groups", name: "listGroups", topic: .groups, credential: .apiKey,
            summary: "Lists groups.", query: page, answers: [.ok(.page(of: .named("Group")))]),
        Operation(
            method: .put, path: "/v1/groups/{guid}", name: "putGroup", topic: .groups,
            credential: .apiKey, summary: "Makes a group, or changes it.",
            body: .object([
                Field("guid?", .id, "that of the path"),
                Field("name", .name),
                Field("type?", .words(Group.Kind.self), "public if absent"),
                Field("owner?", .id, "a known user; counts for a new group only"),
                Field("maxParticipants?", .integer(1...100_000), "places in its session"),
                Field("metadata?", .anything, "10 KB of JSON at most"),
            ]),
            answers: [.ok(.named("Group"), "It was changed."), .created(.named("Group"), "It is new.")],
            codes: [.uidNotFound, .cannotChangeOwnerScope, .guidNotFound]),
        Operation(
            method: .get, path: "/v1/groups/{guid}", name: "getGroup", topic: .groups,
            credential: .apiKey, summary: "A group.", answers: [.ok(.named("Group"))],
            codes: [.guidNotFound]),
        Operation(
            method: .delete, path: "/v1/groups/{guid}", name: "deleteGroup", topic: .groups,
            credential: .apiKey, summary: "Deletes a group; its session ends, and its messages are deleted.",
            answers: [.noContent], codes: [.guidNotFound]),
        Operation(
            method: .put, path: "/v1/groups/{guid}/owner", name: "transferGroup", topic: .groups,
            credential: .apiKeyOrAuthToken, who: "API key, or the owner’s auth token",
            summary: "Gives a group to another member; the former owner becomes an admin.",
            body: .object([Field("uid", .id)]), answers: [.ok(.named("Group"))],
            codes: inGroup + [.noClearance, .noSelfAction, .sameScope]),
    ]

    /// What anybody who asks for something in a group by auth token may be refused for.
    static let inGroup: [ErrorCode] = [.guidNotFound, .notGroupMember, .bannedGroupMember]
    /// As above, and moderators only may.
    static let moderating: [ErrorCode] = inGroup + [.noModeratorScope, .noClearance, .noSelfAction]
}
