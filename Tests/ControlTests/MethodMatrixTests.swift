import JSON
import Meeting
import Testing

@testable import Control

/// Who makes a request on a socket.
private enum Asker: String, CaseIterable {
    case owner, admin, moderator, participant, viewer
    /// Knows who it is, and is in no session.
    case outside
    /// Isn't admitted yet.
    case waiting

    var scope: Scope { Scope(rawValue: rawValue) ?? .participant }
}

/// A method of a session, with parameters that succeed, and who may use it.
private struct Row: Sendable {
    enum Access: Sendable {
        case everybody
        /// Not those who only receive.
        case publisher
        case moderator
    }

    let method: String
    let access: Access
    let params: JSONValue

    init(_ method: String, _ access: Access, _ params: JSONValue = [:]) {
        self.method = method
        self.access = access
        self.params = params
    }

    /// What the answer must be: a code, or nil for success.
    func code(for actor: Asker) -> String? {
        switch (actor, access) {
        case (.outside, _), (.waiting, _): "ERR_NOT_IN_SESSION"
        case (.viewer, .publisher): "ERR_PUBLISH_NOT_ALLOWED"
        case (_, .moderator): actor.scope >= .moderator ? nil : "ERR_GROUP_NO_MODERATOR_SCOPE"
        default: nil
        }
    }

    /// `tom` is a participant who is in, and `@tom` stands for its participantId.
    static let all: [Row] = [
        Row("negotiate", .everybody, ["offer": "v=0"]),
        Row("getSession", .everybody), Row("getParticipants", .everybody),
        Row("getStats", .everybody),
        Row("muteAudio", .everybody), Row("unmuteAudio", .publisher),
        Row("pauseVideo", .everybody), Row("resumeVideo", .publisher),
        Row("startScreenSharing", .publisher), Row("stopScreenSharing", .everybody),
        Row("raiseHand", .everybody), Row("lowerHand", .everybody),
        Row("setDisplayName", .everybody, ["displayName": "N"]),
        Row("setLayout", .everybody, ["layout": "tile"]),
        Row("setReceiveLimits", .everybody, ["lastN": 4]),
        Row("pinParticipant", .everybody, ["participantId": "@tom", "source": "camera"]),
        Row("unpinParticipant", .everybody, ["participantId": "@tom", "source": "camera"]),
        Row("sendMessage", .everybody, ["type": "chat", "text": "x"]),
        Row("muteParticipant", .moderator, ["uid": "tom"]), Row("muteUser", .moderator, ["uid": "tom"]),
        Row("pauseParticipantVideo", .moderator, ["uid": "tom"]),
        Row("stopParticipantScreenShare", .moderator, ["uid": "tom"]),
        Row("unlockParticipant", .moderator, ["uid": "tom"]),
        Row("askToUnmute", .moderator, ["uid": "tom"]),
        Row("muteAll", .moderator),
        Row("lowerParticipantHand", .moderator, ["uid": "tom"]), Row("lowerAllHands", .moderator),
        Row("setParticipantScope", .moderator, ["uid": "tom", "scope": "viewer"]),
        Row("lockSession", .moderator), Row("unlockSession", .moderator),
        Row("setCapacity", .moderator, ["maxParticipants": 9]),
        Row("setTitle", .moderator, ["title": "T"]),
        Row("admitParticipant", .moderator, ["participantId": "all"]),
        Row("denyParticipant", .moderator, ["participantId": "all"]),
        Row("removeParticipant", .moderator, ["uid": "tom"]),
        Row("removeUser", .moderator, ["uid": "tom"]),
        Row("endSession", .moderator),
    ]

    /// Methods that aren't about a session that one is in.
    static let others: Set<String> = [
        "login", "logout", "ping", "joinSession", "startSession", "resumeSession", "leaveSession",
        "sendCustomMessage", "fetchMessages", "initiateCall", "acceptCall", "rejectCall", "cancelCall",
        "endCall", "getActiveCall", "registerPushToken", "unregisterPushToken",
    ]
}

extension ControlTests {
    /// Each method with each who may ask, from one table.
    @Suite struct MethodMatrixTests {
        @Test func `the table has every method that there is for sessions`() {
            #expect(Set(Row.all.map(\.method)) == Set(Method.table.keys).subtracting(Row.others))
            #expect(Row.all.count == Set(Row.all.map(\.method)).count)
        }

        @Test(arguments: ["group", "room"], Asker.allCases.map(\.rawValue))
        func `each method answers each scope as the table says`(kind: String, name: String) async throws {
            let actor = try #require(Asker(rawValue: name))
            try await TestServer.with { server in
                for (number, row) in Row.all.enumerated() {
                    let session = "\(kind)\(number)"
                    if kind == "group" { try await fill(session, server) }
                    if actor == .waiting { try await server.make(session, #"{"waitingRoom":true}"#) }
                    let host = try await server.person("host", session: session, scope: .moderator)
                    // Whoever waits doesn't need to find anybody.
                    let tom = actor == .waiting ? nil : try await server.person("tom", session: session)
                    let client = try await client(actor, in: session, server)
                    let code = row.code(for: actor)
                    let what = "\(row.method) by \(name) in a \(kind)"
                    do {
                        var params = row.params.objectValue ?? [:]
                        if params["participantId"]?.stringValue == "@tom" {
                            params["participantId"] = tom?.joined["participant"]?["participantId"] ?? "x"
                        }
                        try await client.request(row.method, .object(params))
                        #expect(code == nil, "\(what)")
                    } catch let refusal as Refusal {
                        #expect(refusal.code == code, "\(what): \(refusal.message)")
                    }
                    _ = (host, tom)
                }
            }
        }

        private func client(
            _ actor: Asker, in session: String, _ server: TestServer
        ) async throws -> TestClient {
            let uid = actor.rawValue
            if actor == .outside {
                return try await server.client(query: "?access_token=\(TestServer.authToken(uid))")
            }
            let person = try await server.person(uid, session: session, scope: actor.scope)
            #expect(person.joined["state"]?.stringValue == (actor == .waiting ? "waiting" : "joined"))
            return person.client
        }

        private func fill(_ guid: String, _ server: TestServer) async throws {
            try await server.group(
                [
                    "admin": .admin, "moderator": .moderator, "participant": .participant, "viewer": .viewer,
                    "waiting": .participant, "host": .moderator, "tom": .participant,
                ], guid: guid)
        }
    }
}
