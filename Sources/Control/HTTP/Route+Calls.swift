import JSON
import Meeting
import Storage

/// The call log.
extension Route {
    static let calls: [Route] = [
        Route(.get, "/v1/calls", .apiKeyOrAuthToken, arguments: Query.page.union(filters)) {
            core, request, caller throws(APIError) in
            let query = request.arguments
            return try await list(filter(query, caller), query.page(), core, caller)
        },
        Route(.get, "/v1/calls/{sessionId}", .apiKeyOrAuthToken) { core, request, caller throws(APIError) in
            var filter = CallFilter()
            filter.sessionID = try request.id("sessionId")
            let page = try await calls(filter, PageRequest(size: 1), core, caller)
            guard let call = page.elements.first else {
                throw APIError(.sessionNotFound, "there was no such call")
            }
            return try .json(CallObject(call, seenBy: caller.uid))
        },
        Route(.get, "/v1/calls/{sessionId}/instances", .apiKeyOrAuthToken, arguments: Query.page) {
            core, request, caller throws(APIError) in
            var filter = CallFilter()
            filter.sessionID = try request.id("sessionId")
            let page = try request.arguments.page()
            return try .json(
                ListObject(try await calls(filter, page, core, caller)) { CallObject($0, seenBy: caller.uid) }
            )
        },
    ]

    private static let filters: Set<String> = [
        "type", "mode", "status", "receiverType", "uid", "guid", "direction", "hasRecording", "startedAfter",
        "startedBefore",
    ]

    private static func list(
        _ filter: CallFilter, _ page: PageRequest, _ core: ControlCore, _ caller: Caller
    ) async throws(APIError) -> HTTPResponse {
        let calls = try await core.stored { store throws(StoreError) in try await store.calls(filter, page) }
        return try .json(ListObject(calls) { CallObject($0, seenBy: caller.uid) })
    }

    /// Calls of one session, for a user only those that it had part in. Errors: there are none; it had no part.
    private static func calls(
        _ filter: CallFilter, _ page: PageRequest, _ core: ControlCore, _ caller: Caller
    ) async throws(APIError) -> Page<CallRecord> {
        func read(_ filter: CallFilter) async throws(APIError) -> Page<CallRecord> {
            try await core.stored { store throws(StoreError) in try await store.calls(filter, page) }
        }
        let all = try await read(filter)
        guard all.total > 0 else { throw APIError(.sessionNotFound, "there was no such call") }
        guard case .user(let token) = caller else { return all }
        var own = filter
        own.involved = [CallFilter.Involved(uid: token.uid)]
        let mine = try await read(own)
        guard mine.total > 0 else { throw APIError(.notAPart, "\(token.uid) had no part in this call") }
        return mine
    }

    private static func filter(_ query: Query, _ caller: Caller) throws(APIError) -> CallFilter {
        var filter = CallFilter()
        filter.kind = try query.word("type", CallRecord.Kind.self)
        filter.mode = try query.word("mode", CallRecord.Mode.self)
        filter.status =
            query["status"] == "canceled" ? .cancelled : try query.word("status", CallRecord.Status.self)
        filter.receiverKind = try query.word("receiverType", CallReceiver.Kind.self)
        filter.hasRecording = try query.flag("hasRecording")
        filter.startedAfter = try query.integer("startedAfter")
        filter.startedBefore = try query.integer("startedBefore")
        if let guid = query["guid"] {
            try check(guid, field: "guid")
            filter.guid = guid
        }
        let direction = try query.word("direction", Direction.self)?.direction
        // Whose log it is, then with whom.
        if case .user(let token) = caller {
            filter.involved.append(CallFilter.Involved(uid: token.uid, direction: direction))
            filter.viewer = token.uid
        }
        if let uid = query["uid"] {
            try check(uid, field: "uid")
            let isFirst = filter.involved.isEmpty
            filter.involved.append(CallFilter.Involved(uid: uid, direction: isFirst ? direction : nil))
        }
        guard direction == nil || !filter.involved.isEmpty else {
            throw Query.refusal(of: "direction", "needs uid: it is as this user sees it")
        }
        return filter
    }
}

extension Route.Caller {
    /// The user, if it is one.
    fileprivate var uid: String? {
        if case .user(let token) = self { token.uid } else { nil }
    }
}

private enum Direction: String, CaseIterable {
    case incoming, outgoing

    var direction: CallFilter.Direction { self == .incoming ? .incoming : .outgoing }
}
