import JSON
import Meeting
import Storage

private struct MemberBody: Decodable {
    let uid: String
    var scope: String?
}

private struct ScopeBody: Decodable {
    let scope: String
}

/// Who is in a group.
extension Route {
    static let members: [Route] = [
        Route(.get, "/v1/groups/{guid}/members", .apiKeyOrAuthToken, arguments: Query.page) {
            core, request, caller throws(APIError) in
            let guid = try request.id("guid")
            let page = try request.arguments.page()
            _ = try await core.groups.principal(caller, in: guid)
            let members = try await core.stored { store throws(StoreError) in
                try await store.members(of: guid, page)
            }
            return try .json(ListObject(members, MemberObject.init))
        },
        Route(.post, "/v1/groups/{guid}/members", .apiKeyOrAuthToken) {
            core, request, caller throws(APIError) in
            let wanted = try members(in: request)
            let added = try await core.groups.add(wanted, to: request.id("guid"), by: caller)
            return try .json(DataObject(data: added.map(MemberObject.init)), status: 201)
        },
        Route(.put, "/v1/groups/{guid}/members/{uid}", .apiKeyOrAuthToken) {
            core, request, caller throws(APIError) in
            let scope = try scope(request.decode(ScopeBody.self).scope)
            let member = try await core.groups.setScope(
                scope, of: request.id("uid"), in: request.id("guid"), by: caller)
            return try .json(MemberObject(member))
        },
        Route(.delete, "/v1/groups/{guid}/members/{uid}", .apiKeyOrAuthToken) {
            core, request, caller throws(APIError) in
            try await core.groups.kick(request.id("uid"), from: request.id("guid"), by: caller)
            return .noContent
        },
    ]

    private static func members(
        in request: HTTPRequest
    ) throws(APIError) -> [(uid: String, scope: Scope)] {
        let list = try request.decode([MemberBody].self)
        guard (1...StoreLimit.membersAtOnce).contains(list.count) else {
            throw APIError(
                .badRequest, "a list of 1 to \(StoreLimit.membersAtOnce) members is wanted",
                details: [("field", "members")])
        }
        var members: [(uid: String, scope: Scope)] = []
        for member in list {
            try check(member.uid, field: "uid")
            members.append((uid: member.uid, scope: try scope(member.scope ?? Scope.participant.rawValue)))
        }
        return members
    }

    /// The scope of this name that somebody may be given.
    private static func scope(_ name: String) throws(APIError) -> Scope {
        guard let scope = Scope(rawValue: name), scope != .owner else {
            throw APIError(
                .invalidScope,
                "scope must be viewer, participant, moderator or admin; a transfer makes an owner",
                details: [("field", "scope")])
        }
        return scope
    }
}
