import Meeting

/// `grants` of a call token; what is left out is allowed, `hidden` apart.
struct GrantsObject: Codable, Sendable {
    var publish: [Source]?
    var subscribe: Bool?
    var hidden: Bool?

    var grants: Grants {
        Grants(
            publish: publish.map(Set.init) ?? Set(Source.allCases), subscribe: subscribe ?? true,
            hidden: hidden ?? false)
    }
}

// The raw values are the API's words.
extension Source: Codable {}
extension Scope: Codable {}
extension JoinRequest.SessionType: Codable {}
extension SessionSettings.Mode: Codable {}
extension SessionSettings.DuplicateUser: Codable {}
extension MediaKind: Codable {}
