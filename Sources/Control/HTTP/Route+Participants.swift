import JSON
import Meeting
import Storage

/// Who is in a session, and what moderators do to them. The verbs are those of the socket, by the same names' words.
extension Route {
    static let participants: [Route] = [
        Route(
            .get, "/v1/sessions/{sessionId}/participants", .apiKeyOrAuthToken,
            arguments: Query.page.union(["state"])
        ) {
            core, request, caller throws(APIError) in
            try await list(core, request, caller)
        },
        Route(.get, "/v1/sessions/{sessionId}/participants/{pid}", .apiKeyOrAuthToken) {
            core, request, caller throws(APIError) in
            let session = try await core.groups.session(request.id("sessionId"), seenBy: caller)
            let id = ParticipantID(rawValue: try request.id("pid"))
            // Hidden ones are there for back ends.
            let isBackEnd = if case .backEnd = caller { true } else { false }
            return try .json(try await session.details(of: id, hidden: isBackEnd))
        },
        Route(
            .post, "/v1/sessions/{sessionId}/participants/{pid}/mute", .apiKeyOrAuthToken,
            verb(MuteParticipant.self)),
        Route(
            .post, "/v1/sessions/{sessionId}/participants/{pid}/pause-video", .apiKeyOrAuthToken,
            verb(PauseParticipantVideo.self)),
        Route(
            .post, "/v1/sessions/{sessionId}/participants/{pid}/stop-screen-share", .apiKeyOrAuthToken,
            verb(StopParticipantScreenShare.self)),
        Route(
            .post, "/v1/sessions/{sessionId}/participants/{pid}/lower-hand", .apiKeyOrAuthToken,
            verb(LowerParticipantHand.self)),
        Route(
            .post, "/v1/sessions/{sessionId}/participants/{pid}/ask-to-unmute", .apiKeyOrAuthToken,
            verb(AskToUnmute.self)),
        Route(
            .post, "/v1/sessions/{sessionId}/participants/{pid}/unlock", .apiKeyOrAuthToken,
            verb(UnlockParticipant.self)),
        Route(
            .post, "/v1/sessions/{sessionId}/participants/{pid}/remove", .apiKeyOrAuthToken,
            verb(RemoveParticipant.self)),
        Route(.post, "/v1/sessions/{sessionId}/participants/{pid}/scope", .apiKeyOrAuthToken) {
            core, request, caller throws(APIError) in
            try await setScope(core, request, caller)
        },
        Route(
            .post, "/v1/sessions/{sessionId}/participants/{pid}/admit", .apiKeyOrAuthToken,
            verb(AdmitParticipant.self)),
        Route(
            .post, "/v1/sessions/{sessionId}/participants/{pid}/deny", .apiKeyOrAuthToken,
            verb(DenyParticipant.self)),
        Route(
            .post, "/v1/sessions/{sessionId}/mute-all", .apiKeyOrAuthToken, verb(MuteAll.self)),
        Route(
            .post, "/v1/sessions/{sessionId}/lower-all-hands", .apiKeyOrAuthToken,
            verb(LowerAllHands.self)),
        Route(.post, "/v1/sessions/{sessionId}/lock", .apiKeyOrAuthToken, verb(LockSession.self)),
        Route(.post, "/v1/sessions/{sessionId}/unlock", .apiKeyOrAuthToken, verb(UnlockSession.self)),
    ]

    // MARK: - Parts

    /// Does a verb in the session of the path, to the participant of the path if it names one.
    private static func verb<Command: Verb>(_ type: Command.Type) -> Run {
        { core, request, caller throws(APIError) in
            let verb = try request.decodeVerb(type)
            let result = try await core.groups.acting(caller, in: request.id("sessionId")) {
                session, principal throws(APIError) in
                try await session.perform {
                    (meeting: inout MeetingSession, now: Int64) throws(MeetingError) in
                    try verb.perform(&meeting, by: principal, now: now)
                }
            }
            return try .json(result)
        }
    }

    private static func list(
        _ core: ControlCore, _ request: HTTPRequest, _ caller: Caller
    ) async throws(APIError) -> HTTPResponse {
        let query = request.arguments
        let session = try await core.groups.session(request.id("sessionId"), seenBy: caller)
        guard let state = query["state"] else {
            return try .json(ListObject(try await Page(of: session.roster(), query.page())) { $0 })
        }
        guard state == "waiting" else { throw Query.refusal(of: "state", "must be waiting") }
        // Nobody but moderators knows of them.
        let waiting = try await core.groups.acting(caller, in: session.id) {
            session, principal throws(APIError) in
            try await session.perform {
                (meeting: inout MeetingSession, _: Int64) throws(MeetingError) in
                try meeting.waiting(for: principal).map(ParticipantObject.init)
            }
        }
        return try .json(ListObject(try Page(of: waiting, query.page())) { $0 })
    }

    private static func setScope(
        _ core: ControlCore, _ request: HTTPRequest, _ caller: Caller
    ) async throws(APIError) -> HTTPResponse {
        let params = try request.decodeVerb(ScopeParams.self)
        let (scope, target) = try APIError.translating { () throws(MeetingError) in
            (try params.named(), try params.target())
        }
        try await core.groups.acting(caller, in: request.id("sessionId")) {
            session, principal throws(APIError) in
            try await core.groups.setScope(scope, of: target, in: session, as: principal)
        }
        return try .json(NoResult())
    }
}

extension HTTPRequest {
    /// The body as a verb's parameters, with the participant of the path. Without a body there are no parameters.
    func decodeVerb<Params: Decodable>(_ type: Params.Type) throws(APIError) -> Params {
        var isNamedTwice = false
        let params: Params
        do throws(JSONError) {
            let value = body.isEmpty ? .object(JSONObject()) : try JSON.parse(body)
            guard parameters["pid"] != nil, var object = value.objectValue else {
                return try JSON.decode(type, from: value)
            }
            isNamedTwice = object["participantId"] != nil
            object["participantId"] = .string(parameters["pid"] ?? "")
            params = try JSON.decode(type, from: .object(object))
        } catch {
            throw APIError(error)
        }
        guard !isNamedTwice else { throw Query.refusal(of: "participantId", "stands in the path") }
        return params
    }
}
