import JSON
import Meeting
import Storage

private struct UserBody: Decodable {
    var uid: String?
    let name: String
    var avatar: String?
    var metadata: JSONValue?

    func user(_ uid: String) throws(APIError) -> User {
        guard self.uid == nil || self.uid == uid else {
            throw APIError(.badRequest, "uid isn't the one of the path", details: [("field", "uid")])
        }
        do throws(MeetingError) {
            try Limit.checkName(name, field: "name")
            if let avatar { try Limit.checkAvatar(avatar) }
        } catch {
            throw APIError(error)
        }
        return User(
            uid: uid, name: name, avatar: avatar,
            metadata: try StoredJSON.text(metadata, field: "metadata"))
    }
}

/// Profiles.
extension Route {
    static let users: [Route] = [
        Route(.get, "/v1/users", .apiKey, arguments: Query.page) { core, request, _ throws(APIError) in
            let page = try request.arguments.page()
            let users = try await core.stored { store throws(StoreError) in try await store.users(page) }
            return try .json(ListObject(users, UserObject.init))
        },
        Route(.put, "/v1/users/{uid}", .apiKey) { core, request, _ throws(APIError) in
            let user = try request.decode(UserBody.self).user(request.id("uid"))
            let isNew = try await core.stored { store throws(StoreError) in try await store.putUser(user) }
            return try .json(UserObject(user), status: isNew ? 201 : 200)
        },
        Route(.get, "/v1/users/{uid}", .apiKey) { core, request, _ throws(APIError) in
            let uid = try request.id("uid")
            let user = try await core.stored { store throws(StoreError) in try await store.user(uid) }
            guard let user else { throw APIError(StoreError.notFound(.user(uid))) }
            return try .json(UserObject(user))
        },
        Route(.delete, "/v1/users/{uid}", .apiKey) { core, request, _ throws(APIError) in
            try await core.groups.deleteUser(request.id("uid"))
            return .noContent
        },
    ]
}
