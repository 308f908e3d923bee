import JSON
import Meeting
import Storage

private struct SessionBody: Decodable, Sendable {
    var sessionId: String?
    var title: String?
    var settings: SettingsBody?
}

private struct SessionChange: Decodable, Sendable {
    var title: String?
    var settings: SettingsBody?
}

/// Sessions, apart from who is in them.
extension Route {
    static let sessions: [Route] = [
        Route(.post, "/v1/sessions", .apiKey) { core, request, _ throws(APIError) in
            try await make(core, request)
        },
        Route(.get, "/v1/sessions", .apiKey, arguments: Query.page) { core, request, _ throws(APIError) in
            try await list(core, request)
        },
        Route(.get, "/v1/sessions/{sessionId}", .apiKeyOrAuthToken) {
            core, request, caller throws(APIError) in
            let session = try await core.groups.session(request.id("sessionId"), seenBy: caller)
            return try .json(await session.session())
        },
        Route(.patch, "/v1/sessions/{sessionId}", .apiKey) { core, request, _ throws(APIError) in
            let change = try request.decode(SessionChange.self)
            let id = try request.id("sessionId")
            let session = try await core.groups.running(id)
            try await apply(title: change.title, change.settings, to: session)
            await core.registry.change(id) { plan in
                change.settings?.apply(to: &plan.settings)
                if let title = change.title { plan.title = title.isEmpty ? nil : title }
            }
            return try .json(await session.session())
        },
        Route(.delete, "/v1/sessions/{sessionId}", .apiKey) { core, request, _ throws(APIError) in
            try await core.groups.running(request.id("sessionId")).end()
            return .noContent
        },
    ]

    // MARK: - Parts

    /// Makes a session ahead, or gives one that goes on these settings.
    private static func make(
        _ core: ControlCore, _ request: HTTPRequest
    ) async throws(APIError) -> HTTPResponse {
        guard core.phase == .ready else { throw .draining }
        let body = try request.decode(SessionBody.self)
        let id = body.sessionId ?? RandomID.make()
        guard !id.isEmpty else {
            throw APIError(.emptySessionID, "which session?", details: [("field", "sessionId")])
        }
        try check(id, field: "sessionId")
        return try await core.groups.turns.pass(id) { () async throws(APIError) in
            let group = try await core.groups.groupMeeting(in: id)
            var settings = core.settings.session
            settings.maxParticipants = group?.maxParticipants ?? core.settings.meeting.maxParticipants
            let plan = try plan(body, guid: group?.guid, settings)
            while true {
                let (session, isNew) = try await core.registry.make(id, plan)
                if isNew { return try .json(await session.session(), status: 201) }
                do throws(APIError) {
                    try await apply(title: body.title, body.settings, to: session)
                } catch {
                    guard error.code == .sessionNotFound else { throw error }
                    // That meeting was over in the meantime: the next one begins with the plan.
                    await session.retire()
                    continue
                }
                return try .json(await session.session())
            }
        }
    }

    private static func plan(
        _ body: SessionBody, guid: String?, _ defaults: SessionSettings
    ) throws(APIError) -> SessionPlan {
        var settings = defaults
        body.settings?.apply(to: &settings)
        try APIError.translating { () throws(MeetingError) in
            try settings.check()
            if let title = body.title { try Limit.checkLength(title, field: "title", limit: Limit.name) }
        }
        let title = body.title.flatMap { $0.isEmpty ? nil : $0 }
        return SessionPlan(guid: guid, settings: settings, title: title, isMadeAhead: true)
    }

    private static func apply(
        title: String?, _ settings: SettingsBody?, to session: SessionActor
    ) async throws(APIError) {
        try await session.perform { (meeting: inout MeetingSession, now: Int64) throws(MeetingError) in
            if let title { try Limit.checkLength(title, field: "title", limit: Limit.name) }
            if let settings {
                var changed = meeting.session.settings
                settings.apply(to: &changed)
                try meeting.setSettings(changed, by: .backEnd, now: now)
            }
            if let title { try meeting.setTitle(title, by: .backEnd, now: now) }
        }
    }

    /// Those that go on, and those that were made ahead, by id.
    private static func list(
        _ core: ControlCore, _ request: HTTPRequest
    ) async throws(APIError) -> HTTPResponse {
        let page = try Page(of: await core.registry.ids, request.arguments.page())
        var objects: [SessionObject] = []
        for id in page.elements {
            // One that has ended meanwhile is left out.
            if let session = await core.registry.running(id) { objects.append(await session.session()) }
        }
        let shown = Page(elements: objects, total: page.total, request: page.request)
        return try .json(ListObject(shown) { $0 })
    }
}
