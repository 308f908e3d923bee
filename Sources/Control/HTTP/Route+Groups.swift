import JSON
import Meeting
import Storage

private struct GroupBody: Decodable {
    var guid: String?
    let name: String
    var type: String?
    var owner: String?
    var maxParticipants: Int?
    var metadata: JSONValue?

    func group(_ guid: String) throws(APIError) -> Group {
        guard self.guid == nil || self.guid == guid else {
            throw APIError(.badRequest, "guid isn't the one of the path", details: [("field", "guid")])
        }
        guard let kind = type.map(Group.Kind.init(rawValue:)) ?? .public else {
            throw APIError(
                .badRequest, "type must be public, private or password", details: [("field", "type")])
        }
        guard maxParticipants.map((1...100_000).contains) ?? true else {
            throw APIError(
                .badRequest, "maxParticipants must be from 1 to 100000",
                details: [("field", "maxParticipants")])
        }
        do throws(MeetingError) {
            try Limit.checkName(name, field: "name")
            if let owner { try Limit.checkID(owner, field: "owner") }
        } catch {
            throw APIError(error)
        }
        return Group(
            guid: guid, name: name, kind: kind, owner: owner, maxParticipants: maxParticipants,
            metadata: try StoredJSON.text(metadata, field: "metadata"))
    }
}

private struct OwnerBody: Decodable {
    let uid: String
}

/// Groups, apart from who is in them.
extension Route {
    static let groups: [Route] = [
        Route(.get, "/v1/groups", .apiKey, arguments: Query.page) { core, request, _ throws(APIError) in
            let page = try request.arguments.page()
            let groups = try await core.stored { store throws(StoreError) in
                try await store.groups(member: nil, page)
            }
            return try .json(ListObject(groups, GroupObject.init))
        },
        Route(.put, "/v1/groups/{guid}", .apiKey) { core, request, _ throws(APIError) in
            let guid = try request.id("guid")
            let isNew = try await core.groups.put(request.decode(GroupBody.self).group(guid))
            return try .json(GroupObject(try await core.groups.group(guid)), status: isNew ? 201 : 200)
        },
        Route(.get, "/v1/groups/{guid}", .apiKey) { core, request, _ throws(APIError) in
            try .json(GroupObject(try await core.groups.group(request.id("guid"))))
        },
        Route(.delete, "/v1/groups/{guid}", .apiKey) { core, request, _ throws(APIError) in
            try await core.groups.delete(request.id("guid"))
            return .noContent
        },
        Route(.put, "/v1/groups/{guid}/owner", .apiKeyOrAuthToken) { core, request, caller throws(APIError) in
            let uid = try request.decode(OwnerBody.self).uid
            try check(uid, field: "uid")
            return try .json(
                GroupObject(try await core.groups.transfer(request.id("guid"), to: uid, by: caller)))
        },
    ]

    /// Refuses what is no id.
    static func check(_ id: String, field: String) throws(APIError) {
        do throws(MeetingError) {
            try Limit.checkID(id, field: field)
        } catch {
            throw APIError(error)
        }
    }
}
