import Meeting

/// Calls, and the server itself.
extension Operation {
    private static let involved = "API key, or the auth token of one who had part in it"

    static let calls: [Operation] = [
        Operation(
            method: .post, path: "/v1/calls", name: "initiateCall", topic: .calls, credential: .authToken,
            summary: "Rings a user or the members of a group.",
            body: .object(callFields), answers: [.created(.named("Call"))], codes: initiating),
        step("accept", "acceptCall", "Accepts a call: join its session then.", "not for this", [.busySelf]),
        step("reject", "rejectCall", "Turns a call down.", rejecting),
        step("cancel", "cancelCall", "Takes back a call that nobody answered.", cancelling),
        step("end", "endCall", "Ends a call, or leaves a group’s.", "not for this"),
        Operation(
            method: .get, path: "/v1/calls", name: "listCalls", topic: .calls,
            credential: .apiKeyOrAuthToken, who: "API key (all), or auth token (one’s own)",
            summary: "The call log, the latest first.",
            query: page + [
                Field("type?", .words(CallRecord.Kind.self)),
                Field("mode?", .words(CallRecord.Mode.self)),
                Field("status?", .words(CallRecord.Status.allCases.map(\.rawValue) + ["canceled"])),
                Field("receiverType?", .words(CallReceiver.Kind.self)),
                Field("uid?", .id, "who had part in it"),
                Field("guid?", .id),
                Field("direction?", .words("incoming", "outgoing"), "as the first user sees it"),
                Field("hasRecording?", .flag),
                Field("startedAfter?", .integer(Int64.min...Int64.max), "milliseconds since 1970"),
                Field("startedBefore?", .integer(Int64.min...Int64.max), "milliseconds since 1970"),
            ],
            answers: [.ok(.page(of: .named("Call")))]),
        Operation(
            method: .get, path: "/v1/calls/{sessionId}", name: "getCall", topic: .calls,
            credential: .apiKeyOrAuthToken, who: involved, summary: "The last call of a session.",
            answers: [.ok(.named("Call"))], codes: [.sessionNotFound, .notAPart]),
        Operation(
            method: .get, path: "/v1/calls/{sessionId}/instances", name: "listInstances", topic: .calls,
            credential: .apiKeyOrAuthToken, who: involved, summary: "All calls of a session.", query: page,
            answers: [.ok(.page(of: .named("Call")))], codes: [.sessionNotFound, .notAPart]),
    ]

    static let callFields = [
        Field("receiverId", .id),
        Field("receiverType", .words(CallReceiver.Kind.self)),
        Field("type?", .words(CallRecord.Kind.self), "video if absent"),
        Field("timeoutSeconds?", .number, "how long it rings; 45 if absent"),
        Field("metadata?", .anything, "10 KB of JSON at most"),
        device,
    ]

    static let device = Field("deviceId?", .id, "which of the user’s devices asks")
    static let rejecting = "`rejected`, or `busy`; `rejected` if absent"
    static let cancelling = "`cancelled`, or `unanswered`; `cancelled` if absent"

    static let initiating: [ErrorCode] = [
        .invalidReceiverType, .callingSelf, .busySelf, .busyUser, .busyGroup, .uidNotFound, .guidNotFound,
        .notGroupMember, .bannedGroupMember,
    ]

    /// What a change of a call may be refused for.
    static let changing: [ErrorCode] = [
        .emptySessionID, .noAccess, .notAPart, .sessionNotFound, .callInvalidInit, .callNotStarted,
        .callOngoingToInvalid, .callTerminated, .groupCallAlreadyJoined, .groupCallAlreadyLeft,
        .groupCallInvalidStatus,
    ]

    /// Why somebody may not come to the session of a call.
    static let comingToCall: [ErrorCode] = [
        .notAPart, .sessionNotFound, .busySelf, .callNotStarted, .callTerminated,
    ]

    private static func step(
        _ word: String, _ name: String, _ summary: String, _ statuses: String, _ codes: [ErrorCode] = []
    ) -> Operation {
        Operation(
            method: .post, path: "/v1/calls/{sessionId}/" + word, name: name, topic: .calls,
            credential: .authToken, summary: summary,
            body: .object([Field("status?", .text, statuses), device]), mayLackBody: true,
            answers: [.ok(.named("Call"))], codes: changing + codes)
    }

    static let server: [Operation] = [
        Operation(
            method: .get, path: "/v1/server", name: "getServer", topic: .server, credential: .apiKey,
            summary: "Version, load, capacity and limits.", answers: [.ok(.named("Server"))]),
        Operation(
            method: .post, path: "/v1/server/drain", name: "drain", topic: .server, credential: .apiKey,
            summary: "Takes nobody in any more, tells the clients, and stops by the deadline.",
            notes: "Meetings go on until then. The earlier of two deadlines counts.",
            body: .object([Field("deadlineSeconds?", .integer(0...86_400), "as `server.drainSeconds` says")]),
            answers: [
                Answer(
                    status: 202,
                    schema: .object([
                        Field("deadlineAt", .time),
                        Field("participants", .count, "who is in a session still"),
                    ]),
                    note: "Everybody has been told.")
            ]),
        Operation(
            method: .get, path: "/healthz", name: "getHealth", topic: .server, credential: .none,
            summary: "Whether the process is alive.",
            answers: [.ok(.object([Field("status", .words("ok"))]))]),
        Operation(
            method: .get, path: "/readyz", name: "getReadiness", topic: .server, credential: .none,
            summary: "Whether another participant would be let in.",
            answers: [
                .ok(.object([Field("status", .words("ready"))])),
                Answer(
                    status: 503,
                    schema: .object([Field("status", .words("starting", "draining", "full", "storage"))]),
                    note: "It wouldn’t: why."),
            ]),
        Operation(
            method: .get, path: "/metrics", name: "getMetrics", topic: .server, credential: .none,
            summary: "Metrics, in Prometheus’ text format.",
            notes: "Needs an API key where `http.metricsNeedKey` is on.",
            answers: [Answer(status: 200, contentType: "text/plain")], codes: [.apiKeyNotFound]),
        document("/openapi.json", "getOpenAPI", "The HTTP requests, as OpenAPI 3.1.", "application/json"),
        document("/asyncapi.json", "getAsyncAPI", "The socket, as AsyncAPI 3.0.", "application/json"),
        document("/docs", "getDocs", "All of it, for people to read.", "text/html"),
        Operation(
            method: .get, path: Route.socketPath, name: "connect", topic: .socket, credential: .none,
            summary: "Opens the socket: a WebSocket with subprotocol `rostrum.v1`.",
            notes: "What happens on it is in `asyncapi.json`.",
            query: [Field("access_token?", .text, "an auth or call token, if it isn’t in `Authorization`")],
            answers: [Answer(status: 101, note: "From here on it is a WebSocket.")],
            codes: [.serverDraining]),
    ]

    private static func document(
        _ path: String, _ name: String, _ summary: String, _ contentType: String
    ) -> Operation {
        Operation(
            method: .get, path: path, name: name, topic: .server, credential: .none, summary: summary,
            notes: "It has an `ETag`.",
            answers: [
                Answer(status: 200, contentType: contentType),
                Answer(status: 304, note: "It is the one that `If-None-Match` names."),
            ])
    }
}
