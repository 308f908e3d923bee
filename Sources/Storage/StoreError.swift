/// Why the store refuses or fails. Nothing of the verb's work is kept when one of these is thrown.
public enum StoreError: Error, Sendable, Equatable {
    /// What a verb speaks of doesn't exist.
    case notFound(StoredThing)
    /// What a verb would make exists already.
    case exists(StoredThing)
    /// The user is banned from the group.
    case banned(uid: String)
    /// The owner of a group can't be kicked, banned or given another scope, nor can anybody else be given the
    /// scope `owner`: ownership is transferred.
    case isOwner(uid: String)
    /// The user owns groups, so it can't be deleted: they must be transferred or deleted first.
    case ownsGroups(uid: String, count: Int)
    /// A parameter is outside its bounds.
    case invalid(parameter: String, reason: String)
    /// Too much is waiting already; nothing was taken. Worth another try later.
    case overloaded(waiting: Int)
    /// The store was closed.
    case closed

    /// The file can't be opened, created or written.
    case cannotOpen(path: String, reason: String)
    /// The file belongs to another program.
    case foreign(path: String)
    /// A newer release wrote the file; this one doesn't know its schema.
    case tooNew(found: Int, known: Int)
    /// The file isn't a database, or is damaged.
    case corrupt(reason: String)
    /// Another server has the file open.
    case inUse(path: String)
    /// Another process held the file's lock for longer than the store waits.
    case busy
    /// The disk is full, or failed.
    case disk(reason: String)
    /// Anything else that SQLite reports: a fault of ours.
    case failed(reason: String)
}

/// Something that the store keeps, by its id.
public enum StoredThing: Sendable, Hashable {
    case user(String)
    case group(String)
    case member(guid: String, uid: String)
    case ban(guid: String, uid: String)
    case message(String)
    case call(String)
}

extension StoreError: CustomStringConvertible {
    /// One sentence for an operator.
    public var description: String {
        switch self {
        case .notFound(let thing): "the store has no \(thing)"
        case .exists(let thing): "the store has \(thing) already"
        case .banned(let uid): "\(uid) is banned from the group"
        case .isOwner(let uid): "\(uid): only a transfer changes who owns a group"
        case .ownsGroups(let uid, let count): "\(uid) owns \(count) groups; transfer or delete them first"
        case .invalid(let parameter, let reason): "\(parameter) \(reason)"
        case .overloaded(let waiting): "\(waiting) requests wait for the store already"
        case .closed: "the store is closed"
        case .cannotOpen(let path, let reason): "can't open the database \(path): \(reason)"
        case .foreign(let path): "\(path) is a database of another program"
        case .tooNew(let found, let known):
            "the database has schema \(found), this release knows up to \(known): use a newer release"
        case .corrupt(let reason): "the database is damaged: \(reason)"
        case .inUse(let path): "another server has the database \(path) open"
        case .busy: "another process keeps the database locked"
        case .disk(let reason): "the database's disk is full or failed: \(reason)"
        case .failed(let reason): "the database failed: \(reason)"
        }
    }
}

extension StoredThing: CustomStringConvertible {
    public var description: String {
        switch self {
        case .user(let uid): "user \(uid)"
        case .group(let guid): "group \(guid)"
        case .member(let guid, let uid): "member \(uid) in group \(guid)"
        case .ban(let guid, let uid): "ban of \(uid) in group \(guid)"
        case .message(let id): "message \(id)"
        case .call(let id): "call \(id)"
        }
    }
}
