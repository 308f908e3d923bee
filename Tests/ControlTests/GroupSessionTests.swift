@testable import Control
import JSON
import Meeting
import Storage
import Testing

extension ControlTests {
    /// Sessions whose id is a group's: the group says who may be in, and as what.
    @Suite struct GroupSessionTests {
        @Test func `in a group's session the group says who may join, and as what`() async throws {
            try await TestServer.with({ $0.allowsAdHoc = false }) { server in
                try await server.group(["vic": .viewer, "mia": .moderator], maxParticipants: 2)
                try await server.store.ban(Ban(uid: "bad", bannedAt: 1), in: "team")
                let (_, viewer) = try await server.joined("vic", session: "team", scope: .owner)
                #expect(viewer["participant"]?["scope"]?.stringValue == "viewer")
                #expect(viewer["session"]?["guid"]?.stringValue == "team")
                #expect(viewer["session"]?["settings"]?["maxParticipants"]?.integerValue == 2)
                let (moderator, _) = try await server.joined("mia", session: "team", scope: .viewer)
                try await moderator.request("setTitle", ["title": "Daily"])
                await expectRefusal("ERR_CALL_FULL") { try await server.joined("owner", session: "team") }
                for (uid, session, code) in [
                    ("out", "team", "ERR_NOT_GROUP_MEMBER"), ("bad", "team", "ERR_BANNED_GROUPMEMBER"),
                    ("mia", "crew", "ERR_GUID_NOT_FOUND"),
                ] {
                    await expectRefusal(code) { try await server.joined(uid, session: session) }
                    let body = #"{"sessionId":"\#(session)","uid":"\#(uid)"}"#
                    expect(try await server.backEnd("POST", "/v1/call-tokens", body), refuses: code)
                    let own = #"{"sessionId":"\#(session)"}"#
                    expect(try await server.user(uid, "POST", "/v1/call-tokens", own), refuses: code)
                }
                #expect(
                    try await server.user("vic", "POST", "/v1/call-tokens", #"{"sessionId":"team"}"#).status
                        == 201)
                #expect(await server.metric("rostrum_participants") == 2)
            }
        }

        @Test(arguments: ["kick", "ban", "delete"])
        func `who is put out of the group is out of its session when that is answered`(
            how: String
        ) async throws {
            try await TestServer.with { server in
                try await server.group(["pat": .participant, "mia": .moderator])
                let (pat, _) = try await server.joined("pat", session: "team", offer: "v=0\nseats 1")
                let (mia, _) = try await server.joined("mia", session: "team", offer: "v=0\nseats 1")
                let left = server.media.read { $0.left }
                let answer =
                    switch how {
                    case "kick": try await server.user("mia", "DELETE", "/v1/groups/team/members/pat")
                    case "ban":
                        try await server.user("mia", "POST", "/v1/groups/team/bans", #"{"uid":"pat"}"#)
                    default: try await server.backEnd("DELETE", "/v1/users/pat")
                    }
                #expect(answer.status < 300)
                #expect(server.media.read { $0.left } == left + 1)
                #expect(try await pat.closed() == 4003)
                let told = try await mia.event("participantLeft")
                #expect(told["data"]?["participant"]?["uid"]?.stringValue == "pat")
                #expect(told["data"]?["reason"]?.stringValue == "removed")
                let code = how == "ban" ? "ERR_BANNED_GROUPMEMBER" : "ERR_NOT_GROUP_MEMBER"
                await expectRefusal(code) { try await server.joined("pat", session: "team") }
            }
        }

        @Test func `who joins while being kicked isn't in afterwards`() async throws {
            try await TestServer.with { server in
                try await server.group(["mia": .moderator, "pat": .participant])
                let (mia, _) = try await server.joined("mia", session: "team")
                for round in 0..<25 {
                    if round > 0 {
                        _ = try await server.backEnd("POST", "/v1/groups/team/members", #"[{"uid":"pat"}]"#)
                    }
                    let client = try await server.client()
                    let token = TestServer.callToken("pat", session: "team")
                    _ = try client.post("joinSession", ["callToken": .string(token)])
                    #expect(
                        try await server.user("mia", "DELETE", "/v1/groups/team/members/pat").status == 204)
                    let roster = try await mia.request("getParticipants")["participants"]?.arrayValue ?? []
                    #expect(roster.map { $0["uid"]?.stringValue } == ["mia"])
                }
                #expect(
                    try await eventually("places") {
                        await server.metric("rostrum_participants") == 1 ? true : nil
                    })
            }
        }

        @Test func `a scope that changes in mid-meeting holds for the next action, and is told`() async throws
        {
            try await TestServer.with { server in
                try await server.group(["mia": .moderator, "pat": .participant])
                let (mia, _) = try await server.joined("mia", session: "team")
                let (pat, _) = try await server.joined("pat", session: "team")
                try await mia.request("setTitle", ["title": "One"])
                await expectRefusal("ERR_GROUP_NO_MODERATOR_SCOPE") {
                    try await pat.request("setTitle", ["title": "Two"])
                }
                _ = try await server.backEnd("PUT", "/v1/groups/team/members/mia", #"{"scope":"viewer"}"#)
                await expectRefusal("ERR_GROUP_NO_MODERATOR_SCOPE") {
                    try await mia.request("setTitle", ["title": "Three"])
                }
                await expectRefusal("ERR_PUBLISH_NOT_ALLOWED") { try await mia.request("unmuteAudio") }
                let told = try await eventually("the change") {
                    pat.read { state in
                        state.events.first {
                            $0["event"]?.stringValue == "participantUpdated"
                                && $0["data"]?["changed"] == ["scope"]
                        }
                    }
                }
                #expect(told["data"]?["participant"]?["scope"]?.stringValue == "viewer")
                _ = try await server.backEnd("PUT", "/v1/groups/team/members/pat", #"{"scope":"admin"}"#)
                try await pat.request("setTitle", ["title": "Four"])
            }
        }

        @Test func `a group that is deleted ends its session, one that is made takes its session over`()
            async throws
        {
            try await TestServer.with { server in
                try await server.store.putUser(User(uid: "ada", name: "Ada"))
                let (early, _) = try await server.joined("out", session: "team")
                _ = try await server.backEnd("PUT", "/v1/groups/team", #"{"name":"T","owner":"ada"}"#)
                #expect(try await early.closed() == 4004)
                let (ada, _) = try await server.joined("ada", session: "team")
                _ = try await server.backEnd("PUT", "/v1/groups/team", #"{"name":"T","maxParticipants":7}"#)
                let updated = try await ada.event("sessionUpdated")
                #expect(updated["data"]?["session"]?["settings"]?["maxParticipants"]?.integerValue == 7)
                _ = try await server.backEnd("DELETE", "/v1/groups/team")
                #expect(try await ada.closed() == 4004)
                #expect(await server.metric("rostrum_participants") == 0)
            }
        }

        @Test func `members are told whom a back end has deleted, and only they`() async throws {
            try await TestServer.with { server in
                try await server.group(["pat": .participant, "gone": .moderator])
                try await server.group(["other": .participant], guid: "club", owner: "out")
                let pat = try await server.device("pat")
                let gone = try await server.device("gone")
                let other = try await server.device("other")
                let (inside, _) = try await server.joined("gone", session: "team")
                #expect(try await server.backEnd("DELETE", "/v1/users/gone").status == 204)
                let left: JSONValue = ["guid": "team", "uid": "gone"]
                #expect(try await pat.event("groupMemberLeft")["data"] == left)
                #expect(try await gone.event("groupMemberLeft")["data"] == left)
                #expect(try await inside.closed() == 4003)
                let members = try await server.backEnd("GET", "/v1/groups/team/members").list("uid")
                #expect(members == ["owner", "pat"])
                #expect(try await gone.closed() == 4001)
                try await pat.request("ping")
                for client in [pat, gone] {
                    let told = client.names.filter { $0.hasPrefix("groupMember") }
                    #expect(told == [], "once, and nothing else of members")
                }
                try await other.expectNothing()
            }
        }

        @Test func `members are told of the group's meetings and of its members, others aren't`() async throws
        {
            try await TestServer.with { server in
                try await server.group(["pat": .participant])
                try await server.store.putUser(User(uid: "new", name: "New"))
                func socket(_ uid: String) async throws -> TestClient {
                    try await server.client(query: "?access_token=\(TestServer.authToken(uid))")
                }
                let (pat, out) = try await (socket("pat"), socket("out"))
                for client in [pat, out] { try await client.request("ping") }
                let (owner, _) = try await server.joined("owner", session: "team")
                #expect(
                    try await pat.event("meetingStarted")["data"] == ["guid": "team", "sessionId": "team"])
                try await owner.request("leaveSession")
                _ = try await pat.event("meetingEnded")
                _ = try await server.user("owner", "POST", "/v1/groups/team/members", #"[{"uid":"new"}]"#)
                #expect(
                    try await pat.event("groupMemberJoined")["data"] == [
                        "guid": "team", "uid": "new", "scope": "participant", "by": "owner",
                    ])
                _ = try await server.backEnd("PUT", "/v1/groups/team/members/new", #"{"scope":"viewer"}"#)
                _ = try await pat.event("groupMemberScopeChanged")
                _ = try await server.backEnd("DELETE", "/v1/groups/team/members/new")
                _ = try await pat.event("groupMemberKicked")
                _ = try await server.backEnd("POST", "/v1/groups/team/bans", #"{"uid":"pat"}"#)
                #expect(try await pat.event("groupMemberBanned")["data"] == ["guid": "team", "uid": "pat"])
                try await out.request("ping")
                #expect(out.read { $0.events.isEmpty })
            }
        }

        @Test
        func `a session that has outlived its group, or is older than it, is over for whoever comes next`()
            async throws
        {
            try await TestServer.with { server in
                // Somebody read the group, and made its session when it had been deleted.
                let place = GroupDirectory.Place(scope: .owner, places: 5)
                let late = try await server.server.core.registry.session("team", group: place)
                let (_, joined) = try await server.joined("stranger", session: "team")
                #expect(joined["session"]?["guid"] == nil)
                #expect(await server.server.core.registry.running("team") !== late)
                // The other way round: somebody found no group, which is there by now.
                let early = try await server.server.core.registry.session("club", group: nil)
                try await server.group(["pat": .participant], guid: "club")
                let (_, member) = try await server.joined("pat", session: "club")
                #expect(member["session"]?["guid"]?.stringValue == "club")
                #expect(await server.server.core.registry.running("club") !== early)
            }
        }
    }
}
