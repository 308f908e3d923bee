import Meeting

/// What one method of the socket does, for those who call it. There is one for each method of `Method.table`.
struct SocketMethod: Sendable {
    /// What it belongs to.
    enum Topic: String, Sendable, CaseIterable {
        case identity = "Who one is"
        case coming = "Coming and going"
        case own = "One’s own state"
        case viewing = "What one sees"
        case session = "The session"
        case moderation = "Moderation"
        case messages = "Messages"
        case calls = "Ringing"
    }

    let name: String
    /// Older names, which do the same.
    var aliases: [String] = []
    let topic: Topic
    let summary: String
    var notes = ""
    /// The scope that it needs.
    var scope: Scope?
    var parameters: [Field] = []
    var result: [Field] = []
    /// What the result may be instead; empty if there is nothing else.
    var otherResult: [Field] = []
    /// Errors of its own; `refusals` has those that many share, too.
    var codes: [ErrorCode] = []

    var resultSchema: Schema {
        otherResult.isEmpty ? .object(result) : .either(.object(result), .object(otherResult))
    }

    /// Whether it can be called only within a session.
    var isInSession: Bool {
        switch topic {
        case .own, .viewing, .session, .moderation: true
        default: false
        }
    }

    /// All errors that it may be answered with, by status and then name.
    var refusals: [ErrorCode] {
        var codes = Set(self.codes + [.badRequest, .emptyToken, .messageTooLarge, .tooManyRequests])
        codes.formUnion([.exception, .serverFull, .serverDraining])
        if isInSession { codes.formUnion([.notInSession, .sessionNotFound]) }
        if scope != nil { codes.formUnion([.noModeratorScope, .noClearance] + Operation.inGroup) }
        return codes.sorted { ($0.status, $0.rawValue) < ($1.status, $1.rawValue) }
    }

    /// All of them, in the order in which documents show them.
    static let all: [SocketMethod] =
        identity + coming + own + viewing + session + moderation + messages + calls

    /// The one that a request with this name calls, older names included.
    static func named(_ name: String) -> SocketMethod? {
        all.first { $0.name == name || $0.aliases.contains(name) }
    }
}
