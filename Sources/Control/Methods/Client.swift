import JSON
import Meeting

/// One socket's client: who it is, and which session it is in. Deals with its requests one after the other.
actor Client {
    let socket: Socket
    let core: ControlCore
    private let inbox: Inbox
    private(set) var identity: Token?
    var membership: Membership?
    /// Whether it came back by a resume token alone: what needs no more than that stays allowed until it logs out.
    var wasMember = false
    /// It came back, and hasn't shown yet that it knows.
    var hasToConfirm = false
    private var isLost = false
    private var isRevoked = false

    struct Membership: Sendable {
        let session: SessionActor
        let participant: ParticipantID
    }

    /// A request as it comes.
    private struct Request: Decodable {
        let id: JSONValue
        let method: String
        let params: JSONValue?
    }

    init(socket: Socket, inbox: Inbox, core: ControlCore) {
        self.socket = socket
        self.inbox = inbox
        self.core = core
    }

    /// Runs until the socket is gone and all it sent has been dealt with.
    func run(token: String?) async {
        if let token {
            do throws(APIError) {
                identify(try await admit(token))
            } catch {
                socket.close(.unauthorized, reason: error.code.rawValue)
                return
            }
        }
        for await message in inbox.messages {
            await answer(message)
            inbox.took(message)
        }
        await lost()
    }

    /// Checks a token that is to say who this is.
    func admit(_ text: String) async throws(APIError) -> Token {
        let token = try core.authority.verify(text, now: Clock.now())
        guard token.kind == .auth else { return token }
        // First: whoever revokes it while the store is asked must find this client.
        core.presence.watch(self, on: socket, tokenID: token.signature, of: token.uid)
        do throws(APIError) {
            try await core.checkIsNotRevoked(token)
            return token
        } catch {
            showPresence()
            throw error
        }
    }

    /// Is found by the token of whoever this is, and gets what that user is told.
    func showPresence() {
        guard let identity, identity.kind == .auth, !isLost else { return core.presence.leave(socket) }
        core.presence.watch(
            self, on: socket, tokenID: identity.signature, of: identity.uid, until: identity.expiresAt)
        core.presence.appear(socket, as: identity.uid)
        core.greet(socket, as: identity.uid)
    }

    /// The auth token that this socket lives by is no good any more: neither is what came of it.
    func tokenWasRevoked() async {
        isRevoked = true
        socket.close(.unauthorized, reason: ErrorCode.tokenNotFound.rawValue)
        if let membership { await membership.session.leave(membership.participant, nil) }
        membership = nil
    }

    /// The time of the auth token that this socket lives by is up: it isn't told what its user is told any more. Whoever is
    /// in a session, or on its way in, stays there; a socket that is in none is closed.
    func tokenExpired() async {
        guard let identity, hasExpired, !isLost else { return }
        if let membership, await membership.session.state(of: membership.participant) != nil {
            // Seen to again: not all that ends a session for a participant is told here.
            let again = Clock.now() / 1_000 + Self.secondsBetweenLooks
            core.presence.watch(
                self, on: socket, tokenID: identity.signature, of: identity.uid, until: again)
        } else {
            closeIfExpired()
        }
    }

    /// Whether this is a user whose auth token's time is up.
    private var hasExpired: Bool {
        identity.map { $0.kind == .auth && $0.expiresAt <= Clock.now() / 1_000 } ?? false
    }

    private static let secondsBetweenLooks: Int64 = 60

    func closeIfExpired() {
        guard hasExpired else { return }
        socket.close(.unauthorized, reason: ErrorCode.authTokenExpired.rawValue)
    }

    /// The socket is gone. What it sent before is still dealt with.
    func lost() async {
        isLost = true
        core.presence.leave(socket)
        guard let membership else { return }
        await membership.session.connectionLost(membership.participant, on: socket)
    }

    func identify(_ token: Token?) {
        identity = token
        showPresence()
        socket.setAuthenticated(token != nil || membership != nil)
    }

    func enter(_ session: SessionActor, as participant: ParticipantID) async {
        membership = Membership(session: session, participant: participant)
        socket.setAuthenticated(true)
        if isRevoked { await tokenWasRevoked() }
        if isLost { await lost() }
    }

    /// The session that the client is in.
    func member() throws(APIError) -> Membership {
        guard let membership else { throw APIError(MeetingError.notInSession) }
        return membership
    }

    // MARK: - Requests

    private func answer(_ message: Inbound) async {
        if hasToConfirm {
            hasToConfirm = false
            if let membership { await membership.session.confirmResume(membership.participant, on: socket) }
        }
        switch message {
        case .text(let text): await answer(text, retryAfterMs: nil)
        case .limited(let text, let retryAfterMs): await answer(text, retryAfterMs: retryAfterMs)
        case .tooLarge:
            let limit = core.settings.socket.messageBytes
            reply(id: nil, method: "unknown").fail(
                APIError(
                    .messageTooLarge, "a message may have \(limit) bytes",
                    details: [("limitBytes", .integer(Int64(limit)))]))
        case .binary:
            reply(id: nil, method: "unknown").fail(APIError(.badRequest, "messages must be text"))
        }
    }

    private func answer(_ text: [UInt8], retryAfterMs: Int?) async {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSON.parse(text)
        } catch {
            return reply(id: Self.idOfRefused(text, error), method: "unknown").fail(
                retryAfterMs.map(APIError.tooManyRequests) ?? APIError(error))
        }
        let id = Self.id(of: value)
        let method = value["method"]?.stringValue.flatMap { Method.table[$0] }
        let reply = reply(id: id, method: method?.name ?? "unknown")
        do throws(APIError) {
            if let retryAfterMs { throw .tooManyRequests(retryAfterMs: retryAfterMs) }
            let request = try decode(value)
            guard id != nil else {
                throw APIError(
                    .badRequest, "id must be an integer or a string of at most 100 characters",
                    details: [("field", "id")])
            }
            guard let method else {
                throw APIError(
                    .badRequest, "unknown method \(request.method.prefix(100))",
                    details: [("field", "method")])
            }
            guard !method.needsLogin || identity != nil || wasMember else {
                throw APIError(.emptyToken, "log in first")
            }
            try await method.run(self, request.params ?? .object(JSONObject()), reply)
        } catch {
            reply.fail(error)
        }
    }

    private func decode(_ value: JSONValue) throws(APIError) -> Request {
        do throws(JSONError) {
            return try JSON.decode(Request.self, from: value)
        } catch {
            throw APIError(error)
        }
    }

    private func reply(id: JSONValue?, method: String) -> Reply {
        Reply(socket: socket, id: id) { [core] code in core.count(method: method, code: code) }
    }

    /// The id of a request that is JSON but for U+0000 in its strings, so that whoever made it doesn't wait in vain.
    private static func idOfRefused(_ text: [UInt8], _ error: JSONError) -> JSONValue? {
        guard case .nulCharacter = error, let value = try? JSON.parse(text, allowsNUL: true) else {
            return nil
        }
        let id = id(of: value)
        return id?.stringValue?.contains("\0") == true ? nil : id
    }

    /// An id that an answer can carry.
    private static func id(of value: JSONValue) -> JSONValue? {
        switch value["id"] {
        case .integer(let id): .integer(id)
        case .string(let id) where id.utf8.count <= 100: .string(id)
        default: nil
        }
    }
}
