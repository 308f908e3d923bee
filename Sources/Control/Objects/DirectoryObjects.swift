import JSON
import Meeting

/// A user's profile as the API shows it.
struct UserObject: Encodable {
    let uid: String
    let name: String
    let avatar: String?
    let metadata: JSONValue?

    init(_ user: User) {
        uid = user.uid
        name = user.name
        avatar = user.avatar
        metadata = user.metadata.flatMap(StoredJSON.value)
    }
}

/// A group as the API shows it.
struct GroupObject: Encodable {
    let guid: String
    let name: String
    let type: String
    let owner: String?
    let maxParticipants: Int?
    let metadata: JSONValue?

    init(_ group: Group) {
        guid = group.guid
        name = group.name
        type = group.kind.rawValue
        owner = group.owner
        maxParticipants = group.maxParticipants
        metadata = group.metadata.flatMap(StoredJSON.value)
    }
}

/// A member of a group as the API shows it.
struct MemberObject: Encodable {
    let uid: String
    let scope: Scope
    let joinedAt: Int64

    init(_ member: Member) {
        uid = member.uid
        scope = member.scope
        joinedAt = member.joinedAt
    }
}

/// A ban as the API shows it.
struct BanObject: Encodable {
    let uid: String
    let bannedAt: Int64

    init(_ ban: Ban) {
        uid = ban.uid
        bannedAt = ban.bannedAt
    }
}

/// JSON that clients gave and that is kept as text.
enum StoredJSON {
    /// The text of a value of at most 10 KB; `field` names it in the error.
    static func text(_ value: JSONValue?, field: String) throws(APIError) -> String? {
        guard let value, value != .null else { return nil }
        guard let text = try? value.text(), text.count <= Limit.data else {
            throw APIError(
                .badRequest, "\(field) must be at most \(Limit.data) bytes",
                details: [("field", .string(field))])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// It was written by us, from what was parsed before.
    static func value(_ text: String) -> JSONValue? {
        try? JSON.parse(text)
    }
}
