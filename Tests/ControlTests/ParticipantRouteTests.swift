import Control
import JSON
import MediaWorker
import Meeting
import Storage
import Testing

extension ControlTests {
    /// Participants over HTTP.
    @Suite struct ParticipantRouteTests {
        private func path(_ person: Person, _ verb: String, session: String = "room") -> String {
            "/v1/sessions/\(session)/participants/\(person.id.stringValue ?? "")/\(verb)"
        }

        @Test func `a back end does all that moderators do, and is answered after the effect`() async throws {
            try await TestServer.with { server in
                let pat = try await server.person("pat")
                try await pat.request("startScreenSharing")
                try await pat.request("raiseHand")
                let steps: [(verb: String, body: String?, answer: JSONValue, event: String)] = [
                    ("mute", #"{"lock":true}"#, ["affected": 1], "participantAudioMuted"),
                    ("pause-video", nil, ["affected": 1], "participantVideoPaused"),
                    ("stop-screen-share", "{}", ["affected": 1], "participantStoppedScreenShare"),
                    ("lower-hand", nil, ["hands": []], "participantHandLowered"),
                    ("ask-to-unmute", nil, [:], "unmuteRequested"),
                    ("unlock", nil, [:], "participantUpdated"),
                    ("scope", #"{"scope":"viewer"}"#, [:], "participantUpdated"),
                ]
                for step in steps {
                    let answer = try await server.backEnd("POST", path(pat, step.verb), step.body)
                    #expect(answer.status == 200 && answer.json == step.answer, "\(step.verb) \(answer.body)")
                    let told = try await pat.event(step.event)
                    // A back end has no uid.
                    if told["by"] != nil { #expect(told["by"] == [:]) }
                }
                #expect(server.source(.microphone, of: 0) == .off && server.source(.screen, of: 0) == .off)
                #expect(server.published == [[]])
                let state = try await server.backEnd("GET", String(path(pat, "").dropLast()))
                #expect(state.json["audioLocked"]?.boolValue == false)
                #expect(state.json["scope"]?.stringValue == "viewer")
                let removed = try await server.backEnd("POST", path(pat, "remove"), #"{"reason":"bye"}"#)
                #expect(removed.status == 200 && server.media.read { $0.permissions.isEmpty })
                #expect(try await pat.client.closed() == 4003)
                await expectRefusal("ERR_CALL_REMOVED") { try await server.person("pat") }
            }
        }

        @Test func `all are muted, hands lowered, the session locked over HTTP`() async throws {
            try await TestServer.with { server in
                let mia = try await server.person("mia", scope: .moderator)
                let pat = try await server.person("pat")
                try await pat.request("raiseHand")
                let body = #"{"except":["\#(mia.id.stringValue ?? "")"]}"#
                for (verb, body, first, second) in [
                    ("mute-all", body, 1, 0), ("lower-all-hands", nil, 1, 0), ("lock", nil, 1, 0),
                    ("unlock", nil, 1, 0),
                ] as [(String, String?, Int64, Int64)] {
                    for affected in [first, second] {
                        let answer = try await server.backEnd("POST", "/v1/sessions/room/\(verb)", body)
                        #expect(answer.json == ["affected": .integer(affected)], "\(verb)")
                    }
                }
                #expect(server.source(.microphone, of: 0) == nil && server.source(.microphone, of: 1) == .off)
            }
        }

        @Test func `those who wait are seen by moderators, and admitted or sent away`() async throws {
            try await TestServer.with { server in
                try await server.make(#"{"waitingRoom":true}"#)
                let mia = try await server.person("mia", scope: .moderator)
                let (one, two) = (try await server.person("one"), try await server.person("two"))
                let waiting = "/v1/sessions/room/participants?state=waiting"
                #expect(try await server.backEnd("GET", waiting).list("uid") == ["one", "two"])
                #expect(try await server.user("mia", "GET", waiting).list("uid") == ["one", "two"])
                #expect(try await server.roster() == ["mia"])
                let admitted = try await server.user("mia", "POST", path(one, "admit"))
                #expect(admitted.json == ["affected": 1])
                #expect(try await one.event("admitted")["by"] == mia.author)
                #expect(try await one.request("joinSession")["state"]?.stringValue == "joined")
                expect(
                    try await server.user("one", "GET", waiting), refuses: "ERR_GROUP_NO_MODERATOR_SCOPE")
                #expect(try await server.backEnd("POST", path(two, "deny")).json == ["affected": 1])
                #expect(try await two.event("denied")["by"] == [:])
                let all = "/v1/sessions/room/participants/all/admit"
                #expect(try await server.backEnd("POST", all).json == ["affected": 0])
            }
        }

        @Test func `in an ad hoc session an auth token speaks for the participant of its user`() async throws
        {
            try await TestServer.with { server in
                let mia = try await server.person("mia", scope: .moderator)
                let pat = try await server.person("pat")
                let ada = try await server.person("ada", scope: .admin)
                let muted = try await server.user("mia", "POST", path(pat, "mute"))
                #expect(muted.json == ["affected": 1])
                #expect(try await pat.event("participantAudioMuted")["by"] == mia.author)
                for (who, target, code) in [
                    ("pat", mia, "ERR_GROUP_NO_MODERATOR_SCOPE"), ("mia", ada, "ERR_GROUP_NO_CLEARANCE"),
                    ("mia", mia, "ERR_GROUP_NO_SELF_ACTION"), ("out", pat, "ERR_CALL_NOT_A_PART"),
                ] {
                    expect(try await server.user(who, "POST", path(target, "mute")), refuses: code)
                }
                #expect(try await server.user("pat", "GET", "/v1/sessions/room").status == 200)
                let roster = "/v1/sessions/room/participants"
                #expect(try await server.user("pat", "GET", roster).list("uid") == ["mia", "pat", "ada"])
                expect(try await server.user("out", "GET", roster), refuses: "ERR_CALL_NOT_A_PART")
            }
        }

        @Test func `in a group's session the scope in the group counts, whether one is in or not`()
            async throws
        {
            try await TestServer.with { server in
                try await server.group(["mia": .moderator, "max": .moderator, "pat": .participant])
                let mia = try await server.person("mia", session: "team")
                let pat = try await server.person("pat", session: "team")
                #expect(
                    try await server.user("max", "POST", path(pat, "mute", session: "team")).status == 200)
                #expect(try await pat.event("participantAudioMuted")["by"] == ["uid": "max"])
                expect(
                    try await server.user("max", "POST", path(mia, "mute", session: "team")),
                    refuses: "ERR_GROUP_NO_CLEARANCE")
                let scope = try await server.user(
                    "owner", "POST", path(mia, "scope", session: "team"), #"{"scope":"viewer"}"#)
                #expect(scope.status == 200)
                #expect(try await server.store.member("mia", of: "team")?.scope == .viewer)
                expect(
                    try await server.user("mia", "POST", path(pat, "remove", session: "team")),
                    refuses: "ERR_GROUP_NO_MODERATOR_SCOPE")
                #expect(try await server.roster("team") == ["mia", "pat"])
            }
        }

        @Test func `what isn't there, or isn't right, is refused`() async throws {
            try await TestServer.with { server in
                let pat = try await server.person("pat")
                let room = "/v1/sessions/room/participants"
                for (method, path, body, code) in [
                    ("POST", "\(room)/nobody/mute", nil, "ERR_PARTICIPANT_NOT_FOUND"),
                    ("GET", "\(room)/nobody", nil, "ERR_PARTICIPANT_NOT_FOUND"),
                    ("POST", "/v1/sessions/gone/participants/x/mute", nil, "ERR_CALL_SESSION_NOT_FOUND"),
                    ("GET", "/v1/sessions/gone/participants", nil, "ERR_CALL_SESSION_NOT_FOUND"),
                    ("POST", "/v1/sessions/gone/lock", nil, "ERR_CALL_SESSION_NOT_FOUND"),
                    ("POST", path(pat, "mute"), #"{"kinds":["x"]}"#, "ERR_BAD_REQUEST"),
                    ("POST", path(pat, "mute"), #"{"uid":"pat"}"#, "ERR_BAD_REQUEST"),
                    ("POST", path(pat, "mute"), #"{"participantId":"x"}"#, "ERR_BAD_REQUEST"),
                    ("POST", path(pat, "mute"), "[]", "ERR_BAD_REQUEST"),
                    ("POST", path(pat, "scope"), #"{"scope":"king"}"#, "ERR_INVALID_SCOPE"),
                    ("POST", path(pat, "scope"), nil, "ERR_BAD_REQUEST"),
                    ("GET", "\(room)?state=lost", nil, "ERR_BAD_REQUEST"),
                ] as [(String, String, String?, String)] {
                    expect(try await server.backEnd(method, path, body), refuses: code)
                }
                #expect(try await server.roster() == ["pat"])
            }
        }
    }
}
