import JSON
import Meeting

/// One method of the socket: its name, and what it does with its parameters.
struct Method: Sendable {
    typealias Run<Params> = @Sendable (Client, Params, Reply) async throws(APIError) -> Void
    typealias Command<Params, Result> =
        @Sendable (inout MeetingSession, ParticipantID, Params, Int64) throws(MeetingError) -> Result

    let name: String
    let needsLogin: Bool
    let run: Run<JSONValue>

    /// All methods, by name, older names included.
    static let table: [String: Method] = {
        var table: [String: Method] = [:]
        for method in all + viewing + moderation { table[method.name] = method }
        for (alias, name) in aliases { table[alias] = table[name] }
        return table
    }()

    /// Names that older clients use.
    private static let aliases = [
        "startSession": "joinSession", "muteUser": "muteParticipant", "removeUser": "removeParticipant",
    ]

    private static let all: [Method] = [
        method("login", needsLogin: false, LoginParams.self) { client, params, reply throws(APIError) in
            try await client.login(params, reply)
        },
        method("logout", NoParams.self) { client, _, reply throws(APIError) in await client.logout(reply) },
        method("ping", needsLogin: false, NoParams.self) { _, _, reply throws(APIError) in
            reply.succeed(PingResult(at: Clock.now()))
        },
        method("joinSession", needsLogin: false, JoinParams.self) { client, params, reply throws(APIError) in
            try await client.join(params, reply)
        },
        method("resumeSession", needsLogin: false, ResumeParams.self) {
            client, params, reply throws(APIError) in
            try await client.resume(params, reply)
        },
        method("leaveSession", NoParams.self) { client, _, reply throws(APIError) in await client.leave(reply)
        },
        method("negotiate", NegotiateParams.self) { client, params, reply throws(APIError) in
            let member = try await client.member()
            try await member.session.negotiate(member.participant, offer: params.offer, reply)
        },
        method("getSession", NoParams.self) { client, _, reply throws(APIError) in
            let member = try await client.member()
            try await member.session.checkIsIn(member.participant)
            reply.succeed(SessionResult(session: await member.session.session()))
        },
        method("getParticipants", NoParams.self) { client, _, reply throws(APIError) in
            let member = try await client.member()
            try await member.session.checkIsIn(member.participant)
            reply.succeed(ParticipantsResult(participants: await member.session.roster()))
        },
        method("getStats", NoParams.self) { client, _, reply throws(APIError) in
            let member = try await client.member()
            try await member.session.checkIsIn(member.participant)
            reply.succeed(await member.session.stats(of: member.participant))
        },
        command("muteAudio", NoParams.self) { meeting, me, _, now throws(MeetingError) in
            try meeting.muteAudio(me, now: now)
            return NoResult()
        },
        command("unmuteAudio", NoParams.self) { meeting, me, _, now throws(MeetingError) in
            try meeting.unmuteAudio(me, now: now)
            return NoResult()
        },
        command("pauseVideo", NoParams.self) { meeting, me, _, now throws(MeetingError) in
            try meeting.pauseVideo(me, now: now)
            return NoResult()
        },
        command("resumeVideo", NoParams.self) { meeting, me, _, now throws(MeetingError) in
            try meeting.resumeVideo(me, now: now)
            return NoResult()
        },
        method("startScreenSharing", ScreenParams.self) { client, params, reply throws(APIError) in
            try await client.startScreenSharing(params, reply)
        },
        command("stopScreenSharing", NoParams.self) { meeting, me, _, now throws(MeetingError) in
            try meeting.stopScreenSharing(me, now: now)
            return NoResult()
        },
        command("raiseHand", NoParams.self) { meeting, me, _, now throws(MeetingError) in
            HandsResult(hands: try meeting.raiseHand(me, now: now).map(HandObject.init))
        },
        command("lowerHand", NoParams.self) { meeting, me, _, now throws(MeetingError) in
            HandsResult(hands: try meeting.lowerHand(me, now: now).map(HandObject.init))
        },
        command("setDisplayName", NameParams.self) { meeting, me, params, now throws(MeetingError) in
            try meeting.setDisplayName(me, to: params.displayName, now: now)
            return NoResult()
        },
        method("sendMessage", MessageParams.self) { client, params, reply throws(APIError) in
            try await client.sendMessage(params, reply)
        },
        method("sendCustomMessage", CustomMessageParams.self) { client, params, reply throws(APIError) in
            try await client.sendCustomMessage(params, reply)
        },
        method("fetchMessages", HistoryParams.self) { client, params, reply throws(APIError) in
            try await client.fetchMessages(params, reply)
        },
        method("initiateCall", CallBody.self) { client, params, reply throws(APIError) in
            try await client.initiateCall(params, reply)
        },
        method("acceptCall", CallParams.self) { client, params, reply throws(APIError) in
            try await client.changeCall(.accept, params, reply)
        },
        method("rejectCall", CallParams.self) { client, params, reply throws(APIError) in
            try await client.changeCall(.reject, params, reply)
        },
        method("cancelCall", CallParams.self) { client, params, reply throws(APIError) in
            try await client.changeCall(.cancel, params, reply)
        },
        method("endCall", CallParams.self) { client, params, reply throws(APIError) in
            try await client.changeCall(.end, params, reply)
        },
        method("getActiveCall", ActiveCallParams.self) { client, params, reply throws(APIError) in
            try await client.getActiveCall(params, reply)
        },
    ]

    // MARK: - Making one

    /// A method that does as it likes, and answers.
    static func method<Params: Decodable & Sendable>(
        _ name: String, needsLogin: Bool = true, _ params: Params.Type, _ run: @escaping Run<Params>
    ) -> Method {
        Method(name: name, needsLogin: needsLogin) { client, value, reply throws(APIError) in
            try await run(client, decode(params, value), reply)
        }
    }

    /// A method that changes the meeting that the client is in, and answers with what that gives.
    private static func command<Params: Decodable & Sendable, Result: Encodable & Sendable>(
        _ name: String, _ params: Params.Type, _ run: @escaping Command<Params, Result>
    ) -> Method {
        Method(name: name, needsLogin: true) { client, value, reply throws(APIError) in
            let params = try decode(params, value)
            let member = try await client.member()
            let me = member.participant
            try await member.session.perform(reply) {
                (meeting: inout MeetingSession, now: Int64) throws(MeetingError) in
                try run(&meeting, me, params, now)
            }
        }
    }

    private static func decode<Params: Decodable>(
        _ type: Params.Type, _ value: JSONValue
    ) throws(APIError) -> Params {
        do throws(JSONError) {
            return try JSON.decode(type, from: value)
        } catch {
            throw APIError(error)
        }
    }
}
