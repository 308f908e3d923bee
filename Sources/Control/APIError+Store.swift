import JSON
import Meeting
import Observability
import Storage

extension APIError {
    /// What a client is told when the store refuses or fails.
    init(_ error: StoreError) {
        switch error {
        case .notFound(let thing): self.init(Self.code(missing: thing), "there is no \(thing)")
        case .exists(.ban(_, let uid)): self.init(.alreadyBanned, "\(uid) is banned already")
        case .banned(let uid): self.init(.bannedGroupMember, "\(uid) is banned from the group")
        case .isOwner(let uid):
            self.init(.cannotChangeOwnerScope, "\(uid): only a transfer changes who owns the group")
        case .ownsGroups(let uid, let count):
            self.init(
                .cannotKickOwner, "\(uid) owns groups: transfer or delete them first",
                details: [("groups", .integer(Int64(count)))])
        case .invalid(let parameter, let reason):
            self.init(.badRequest, "\(parameter) \(reason)", details: [("field", .string(parameter))])
        case .overloaded:
            self.init(
                .serverFull, "the database has too much to do", details: [("retryAfterSeconds", 1)])
        case .closed: self = .draining
        case .exists, .cannotOpen, .foreign, .tooNew, .corrupt, .inUse, .busy, .disk, .failed:
            self.init(.exception, "the database failed")
        }
    }

    private static func code(missing thing: StoredThing) -> ErrorCode {
        switch thing {
        case .user: .uidNotFound
        case .group: .guidNotFound
        case .member: .notGroupMember
        case .ban: .notBanned
        case .message: .badRequest
        case .call: .sessionNotFound
        }
    }
}

extension ControlCore {
    /// Asks the store for something. What is nobody's mistake but the server's is logged.
    func stored<Value: Sendable>(
        _ verb: (any Store) async throws(StoreError) -> Value
    ) async throws(APIError) -> Value {
        do throws(StoreError) {
            return try await verb(store)
        } catch {
            let told = APIError(error)
            if told.code == .exception { log.error("\(error)", key: "store") }
            throw told
        }
    }
}
