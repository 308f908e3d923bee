import JSON
import MediaWorker
import Meeting
import Synchronization

/// Coming and going.
extension Client {
    func login(_ params: LoginParams, _ reply: Reply) async throws(APIError) {
        let token = try await admit(params.token)
        if let membership, await membership.session.uid(of: membership.participant) != token.uid {
            showPresence()
            throw APIError(.alreadyInSession, "leave the session before you log in as somebody else")
        }
        identify(token)
        reply.succeed(LoginResult(uid: token.uid, name: token.name, expiresAt: token.expiresAt * 1_000))
    }

    func logout(_ reply: Reply) async {
        if let membership { await membership.session.leave(membership.participant, nil) }
        membership = nil
        wasMember = false
        identify(nil)
        reply.succeed(NoResult())
    }

    func join(_ params: JoinParams, _ reply: Reply) async throws(APIError) {
        if let membership {
            switch await membership.session.state(of: membership.participant) {
            case .waiting, .joining: return try await comeIn(params, membership, reply)
            case .joined, .reconnecting: throw Self.alreadyIn
            // It was sent away, or put out, on a socket that has other uses.
            case nil: forgetMembership()
            }
        }
        guard core.phase == .ready else { throw .draining }
        let (bearer, call) = try credentials(for: params)
        let settings = params.settings ?? JoinParams.Settings()
        let type = settings.sessionType ?? .video
        var request = JoinRequest(
            id: ParticipantID(rawValue: RandomID.make()), uid: bearer.uid,
            name: settings.displayName ?? bearer.name ?? bearer.uid, avatar: bearer.avatar,
            deviceID: settings.deviceId, scope: call.scope, grants: call.grants, type: type,
            startAudioMuted: settings.startAudioMuted ?? false,
            startVideoPaused: settings.startVideoPaused ?? (type == .audio))
        request.wantsActiveSpeakers = settings.activeSpeakers ?? false
        let sources = try settings.namedSources()
        let groups = core.groups
        while true {
            let place = try await groups.place(of: bearer.uid, in: call.sessionID)
            request.scope = place?.scope ?? call.scope
            let joining = Joining(
                request: request, offer: params.offer, sources: sources, layout: settings.layout,
                socket: socket, authTokenID: authTokenID
            ) {
                () async throws(APIError) in
                try await groups.place(of: bearer.uid, in: call.sessionID) == place
            }
            guard core.directory.takePlace() else { throw .serverFull(retryAfterSeconds: 5) }
            let session: SessionActor
            do throws(APIError) {
                session = try await core.registry.session(call.sessionID, group: place)
            } catch {
                core.directory.givePlaceBack()
                throw error
            }
            guard (session.guid == nil) == (place == nil) else {
                core.directory.givePlaceBack()
                // The group was made or deleted meanwhile: what was read is of before that, or the session is.
                if try await groups.place(of: bearer.uid, in: call.sessionID) == place {
                    await session.end()
                    await session.retire()
                }
                continue
            }
            // Whoever began to drain may have missed a session that was made meanwhile.
            if let deadline = core.deadline.withLock({ $0 }) {
                await session.announceDraining(deadlineAt: deadline.at)
            }
            switch try await session.join(joining, reply) {
            case .done:
                if identity == nil { identify(bearer) }
                return await enter(session, as: request.id)
            case .over:
                // It ended between the two lines above: the next one is a new meeting.
                await session.retire()
            case .changed:
                request.id = ParticipantID(rawValue: RandomID.make())
            }
        }
    }

    /// Who waits here asks again; once it is admitted it comes in. Who it is was asked when it began to wait.
    private func comeIn(
        _ params: JoinParams, _ membership: Membership, _ reply: Reply
    ) async throws(APIError) {
        let token = params.callToken.flatMap { try? core.authority.verify($0, now: Clock.now()) }
        for wanted in [params.sessionId, token?.call?.sessionID] {
            guard wanted == nil || wanted == membership.session.id else { throw Self.alreadyIn }
        }
        let settings = params.settings ?? JoinParams.Settings()
        let entry = MeetingSession.Entry(
            name: settings.displayName, startAudioMuted: settings.startAudioMuted,
            startVideoPaused: settings.startVideoPaused)
        let coming = ComingIn(
            entry: entry, offer: params.offer, sources: try settings.namedSources(), layout: settings.layout)
        try await membership.session.comeIn(membership.participant, coming, reply)
        await enter(membership.session, as: membership.participant)
    }

    static let alreadyIn = APIError(.alreadyInSession, "this socket is in a session already")

    func leave(_ reply: Reply) async {
        guard let left = membership else { return reply.succeed(NoResult()) }
        forgetMembership()
        await left.session.leave(left.participant, reply)
        closeIfExpired()
    }

    func forgetMembership() {
        membership = nil
        // A socket that only resumed has shown no token: from here on it has to.
        socket.setAuthenticated(identity != nil)
    }

    func startScreenSharing(_ params: ScreenParams, _ reply: Reply) async throws(APIError) {
        try params.check()
        let member = try member()
        // First, since what can't be named isn't shared either.
        try await member.session.setSources(
            params.sources.mapValues(MediaSource.init), of: member.participant, field: "mids")
        try await member.session.perform(reply) {
            (meeting: inout MeetingSession, now: Int64) throws(MeetingError) in
            try meeting.startScreenSharing(member.participant, now: now)
            return NoResult()
        }
    }

    /// Who joins, and where and as what.
    private func credentials(for params: JoinParams) throws(APIError) -> (Token, Token.Call) {
        if let text = params.callToken {
            let token = try core.authority.verify(text, now: Clock.now())
            guard let call = token.call else {
                throw APIError(.callTokenInvalid, "an auth token, where a call token belongs")
            }
            guard identity == nil || identity?.uid == token.uid else {
                throw APIError(.callTokenInvalid, "the call token belongs to somebody else")
            }
            try check(params.sessionId, is: call.sessionID)
            return (token, call)
        }
        guard let identity else { throw APIError(.emptyToken, "log in first, or bring a call token") }
        if let call = identity.call {
            guard identity.expiresAt > Clock.now() / 1_000 else {
                throw APIError(.callTokenExpired, "the token has expired")
            }
            try check(params.sessionId, is: call.sessionID)
            return (identity, call)
        }
        guard identity.expiresAt > Clock.now() / 1_000 else {
            throw APIError(.authTokenExpired, "the token has expired")
        }
        guard let sessionID = params.sessionId, !sessionID.isEmpty else {
            throw APIError(.emptySessionID, "which session?", details: [("field", "sessionId")])
        }
        do throws(MeetingError) {
            try Limit.checkID(sessionID, field: "sessionId")
        } catch {
            throw APIError(error)
        }
        return (identity, Token.Call(sessionID: sessionID))
    }

    private func check(_ wanted: String?, is allowed: String) throws(APIError) {
        guard wanted == nil || wanted == allowed else {
            throw APIError(.callTokenInvalid, "the call token is for another session")
        }
    }
}
