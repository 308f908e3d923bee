import JSON
import Meeting
import Storage

private struct BanBody: Decodable {
    let uid: String
}

/// Who is kept out of a group.
extension Route {
    static let bans: [Route] = [
        Route(.get, "/v1/groups/{guid}/bans", .apiKeyOrAuthToken, arguments: Query.page) {
            core, request, caller throws(APIError) in
            let guid = try request.id("guid")
            let page = try request.arguments.page()
            let principal = try await core.groups.principal(caller, in: guid)
            try APIError.translating { () throws(MeetingError) in try Group.checkModerator(principal) }
            let bans = try await core.stored { store throws(StoreError) in
                try await store.bans(in: guid, now: Clock.now(), page)
            }
            return try .json(ListObject(bans, BanObject.init))
        },
        Route(.post, "/v1/groups/{guid}/bans", .apiKeyOrAuthToken) {
            core, request, caller throws(APIError) in
            let uid = try request.decode(BanBody.self).uid
            try check(uid, field: "uid")
            let ban = try await core.groups.ban(uid, from: request.id("guid"), by: caller)
            return try .json(BanObject(ban), status: 201)
        },
        Route(.delete, "/v1/groups/{guid}/bans/{uid}", .apiKeyOrAuthToken) {
            core, request, caller throws(APIError) in
            try await core.groups.unban(request.id("uid"), in: request.id("guid"), by: caller)
            return .noContent
        },
    ]
}
