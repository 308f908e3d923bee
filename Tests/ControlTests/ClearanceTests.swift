import Control
import JSON
import MediaWorker
import Meeting
import Storage
import Testing

extension ControlTests {
    /// What scopes allow, where they come from, and when they count.
    @Suite struct ClearanceTests {
        @Test func `whoever is demoted in the group can do nothing more, from the next verb on`() async throws
        {
            try await TestServer.with { server in
                try await server.group(["mia": .moderator, "pat": .participant, "ada": .admin])
                let mia = try await server.person("mia", session: "team")
                let pat = try await server.person("pat", session: "team")
                try await mia.request("muteParticipant", pat)
                // The store alone knows: what the session was told doesn't matter.
                try await server.store.setScope(.participant, of: "mia", in: "team")
                for method in ["muteParticipant", "removeParticipant", "lowerParticipantHand"] {
                    await expectRefusal("ERR_GROUP_NO_MODERATOR_SCOPE") { try await mia.request(method, pat) }
                }
                await expectRefusal("ERR_GROUP_NO_MODERATOR_SCOPE") { try await mia.request("lockSession") }
                try await server.store.setScope(.admin, of: "mia", in: "team")
                let ada = try await server.person("ada", session: "team")
                await expectRefusal("ERR_GROUP_NO_CLEARANCE") {
                    try await mia.request("muteParticipant", ada)
                }
                try await mia.request("lockSession")
            }
        }

        @Test func `in a group's session a scope is given in the group`() async throws {
            try await TestServer.with { server in
                try await server.group(["mia": .moderator, "pat": .participant, "ada": .admin])
                let ada = try await server.person("ada", session: "team")
                let pat = try await server.person("pat", session: "team")
                try await ada.request("setParticipantScope", pat, ["scope": "moderator"])
                #expect(try await server.store.member("pat", of: "team")?.scope == .moderator)
                let told = try await eventually("the scope") {
                    pat.client.read { state in
                        state.events.first { $0["data"]?["changed"] == ["scope"] }
                    }
                }
                #expect(told["data"]?["participant"]?["scope"]?.stringValue == "moderator")
                for (scope, code) in [
                    ("admin", "ERR_GROUP_NO_CLEARANCE"), ("owner", "ERR_INVALID_SCOPE"),
                    ("king", "ERR_INVALID_SCOPE"), ("moderator", "ERR_SAME_SCOPE"),
                ] {
                    await expectRefusal(code) {
                        try await ada.request("setParticipantScope", pat, ["scope": .string(scope)])
                    }
                }
                let owner = try await server.person("owner", session: "team")
                await expectRefusal("ERR_GROUP_NO_CLEARANCE") {
                    try await ada.request("setParticipantScope", owner, ["scope": "viewer"])
                }
                let path = "/v1/sessions/team/participants/\(owner.id.stringValue ?? "")/scope"
                expect(
                    try await server.backEnd("POST", path, #"{"scope":"viewer"}"#),
                    refuses: "ERR_CANNOT_CHANGE_OWNER_SCOPE")
            }
        }

        @Test func `with open moderation participants mute others, and no more than that`() async throws {
            try await TestServer.with { server in
                try await server.make(#"{"openModeration":true}"#)
                let pat = try await server.person("pat")
                let bob = try await server.person("bob")
                let vic = try await server.person("vic", scope: .viewer)
                #expect(try await pat.request("muteParticipant", bob) == ["affected": 1])
                #expect(try await pat.request("pauseParticipantVideo", bob) == ["affected": 1])
                for (who, method, params) in [
                    (pat, "removeParticipant", [:]), (pat, "muteParticipant", ["lock": true]),
                    (pat, "stopParticipantScreenShare", [:]), (vic, "muteParticipant", [:]),
                ] as [(Person, String, JSONValue)] {
                    await expectRefusal("ERR_GROUP_NO_MODERATOR_SCOPE") {
                        try await who.request(method, bob, params)
                    }
                }
            }
        }

        @Test func `a group's scopes make no more presenters than there are places`() async throws {
            try await TestServer.with { server in
                try await server.group(["pat": .participant, "vic": .viewer])
                try await server.make("team", #"{"mode":"presenter","maxPresenters":2}"#)
                _ = try await server.person("owner", session: "team")
                let pat = try await server.person("pat", session: "team")
                let vic = try await server.person("vic", session: "team")
                let path = "/v1/groups/team/members/vic"
                #expect(try await server.backEnd("PUT", path, #"{"scope":"participant"}"#).status == 200)
                #expect(server.published.map(\.isEmpty) == [false, false, true])
                await expectRefusal("ERR_PRESENTER_LIMIT") { try await vic.request("unmuteAudio") }
                try await pat.request("leaveSession")
                try await vic.request("unmuteAudio")
                #expect(server.published.last == Set(MediaSource.allCases))
                // The second of those who are in now.
                #expect(server.source(.microphone, of: 1) == .live)
            }
        }

        @Test func `presenters are counted, in the presenter mode`() async throws {
            try await TestServer.with { server in
                try await server.make(#"{"mode":"presenter","maxPresenters":2,"duplicateUser":"refuse"}"#)
                let mia = try await server.person("mia", scope: .moderator)
                #expect(mia.joined["session"]?["mode"]?.stringValue == "presenter")
                _ = try await server.person("pat")
                let vic = try await server.person("vic", scope: .viewer)
                for attempt in [
                    { _ = try await mia.request("setParticipantScope", vic, ["scope": "participant"]) },
                    { _ = try await server.person("late") },
                ] as [() async throws -> Void] {
                    do {
                        try await attempt()
                        Issue.record("not refused")
                    } catch let refusal as Refusal {
                        #expect(refusal.code == "ERR_PRESENTER_LIMIT")
                        #expect(refusal.details?["maxPresenters"]?.integerValue == 2)
                    }
                }
                await expectRefusal("ERR_ALREADY_IN_SESSION") {
                    try await server.person("pat", settings: ["deviceId": "other"])
                }
            }
        }
    }
}
