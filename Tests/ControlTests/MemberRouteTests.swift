import Configuration
import JSON
import Meeting
import Storage
import Testing

extension ControlTests {
    @Suite struct MemberRouteTests {
        private static let members = "/v1/groups/team/members"
        private static let bans = "/v1/groups/team/bans"

        @Test func `members are added, all or none, and those who are in stay as they are`() async throws {
            try await TestServer.with { server in
                try await server.group(["mia": .moderator])
                for uid in ["ann", "bob"] { try await server.store.putUser(User(uid: uid, name: uid)) }
                let body = #"[{"uid":"ann"},{"uid":"mia","scope":"viewer"},{"uid":"bob","scope":"viewer"}]"#
                let added = try await server.user("mia", "POST", Self.members, body)
                #expect(added.status == 201 && added.list("uid") == ["ann", "bob"])
                #expect(added.list("scope") == ["participant", "viewer"])
                #expect(try await server.store.member("mia", of: "team")?.scope == .moderator)
                let all = try await server.user("bob", "GET", Self.members)
                #expect(all.list("uid") == ["owner", "mia", "ann", "bob"])
                #expect(all.json["meta"]?["pagination"]?["total"]?.integerValue == 4)
                expect(
                    try await server.backEnd("POST", Self.members, #"[{"uid":"new"},{"uid":"nobody"}]"#),
                    refuses: "ERR_UID_NOT_FOUND")
                #expect(try await server.store.memberUIDs(of: "team").count == 4)
            }
        }

        @Test func `at most 25 members come in one request`() async throws {
            try await TestServer.with { server in
                try await server.group()
                let users = (0..<26).map { "u\($0)" }
                for uid in users { try await server.store.putUser(User(uid: uid, name: uid)) }
                func body(_ uids: [String]) -> String {
                    "[" + uids.map { #"{"uid":"\#($0)"}"# }.joined(separator: ",") + "]"
                }
                for wrong in [body(users), "[]", #"{"uid":"u1"}"#] {
                    expect(
                        try await server.backEnd("POST", Self.members, wrong), refuses: "ERR_BAD_REQUEST")
                }
                let added = try await server.backEnd("POST", Self.members, body(Array(users.prefix(25))))
                #expect(added.list("uid").count == 25)
            }
        }

        /// Who, what and why not; `owner` owns the group.
        @Test(
            arguments: [
                // Outsiders and those banned.
                ("out", "GET", "", "", "ERR_NOT_GROUP_MEMBER"),
                ("bad", "GET", "", "", "ERR_BANNED_GROUPMEMBER"),
                // Less than a moderator.
                ("pat", "POST", "", #"[{"uid":"out"}]"#, "ERR_GROUP_NO_MODERATOR_SCOPE"),
                ("vic", "PUT", "/pat", #"{"scope":"viewer"}"#, "ERR_GROUP_NO_MODERATOR_SCOPE"),
                ("pat", "DELETE", "/vic", "", "ERR_GROUP_NO_MODERATOR_SCOPE"),
                // Not above the target, or above what is given.
                ("mia", "POST", "", #"[{"uid":"out","scope":"moderator"}]"#, "ERR_GROUP_NO_CLEARANCE"),
                ("mia", "PUT", "/max", #"{"scope":"viewer"}"#, "ERR_GROUP_NO_CLEARANCE"),
                ("mia", "PUT", "/pat", #"{"scope":"moderator"}"#, "ERR_GROUP_NO_CLEARANCE"),
                ("ada", "DELETE", "/amy", "", "ERR_GROUP_NO_CLEARANCE"),
                // Oneself.
                ("mia", "PUT", "/mia", #"{"scope":"viewer"}"#, "ERR_GROUP_NO_SELF_ACTION"),
                ("owner", "DELETE", "/owner", "", "ERR_GROUP_NO_SELF_ACTION"),
                // The owner.
                ("ada", "DELETE", "/owner", "", "ERR_CANNOT_KICK_OWNER"),
                ("KEY", "DELETE", "/owner", "", "ERR_CANNOT_KICK_OWNER"),
                ("ada", "PUT", "/owner", #"{"scope":"viewer"}"#, "ERR_CANNOT_CHANGE_OWNER_SCOPE"),
                ("KEY", "PUT", "/owner", #"{"scope":"viewer"}"#, "ERR_CANNOT_CHANGE_OWNER_SCOPE"),
                // What can't be.
                ("KEY", "PUT", "/pat", #"{"scope":"participant"}"#, "ERR_SAME_SCOPE"),
                ("KEY", "PUT", "/pat", #"{"scope":"king"}"#, "ERR_INVALID_SCOPE"),
                ("KEY", "PUT", "/pat", #"{"scope":"owner"}"#, "ERR_INVALID_SCOPE"),
                ("KEY", "POST", "", #"[{"uid":"out","scope":"owner"}]"#, "ERR_INVALID_SCOPE"),
                ("KEY", "POST", "", #"[{"uid":"bad"}]"#, "ERR_BANNED_GROUPMEMBER"),
                ("KEY", "POST", "", #"[{"uid":"a b"}]"#, "ERR_BAD_REQUEST"),
                ("KEY", "PUT", "/out", #"{"scope":"viewer"}"#, "ERR_NOT_GROUP_MEMBER"),
                ("KEY", "DELETE", "/out", "", "ERR_NOT_GROUP_MEMBER"),
                ("KEY", "DELETE", "/bad", "", "ERR_NOT_GROUP_MEMBER"),
            ] as [(String, String, String, String, String)])
        func `what somebody may not do to members is refused with its code`(
            who: String, method: String, target: String, body: String, code: String
        ) async throws {
            try await TestServer.with { server in
                try await fill(server)
                let key = who == "KEY" ? TestServer.key.secret : TestServer.authToken(who)
                let answer = try await server.http(
                    method, Self.members + target, authorization: key, body: body.isEmpty ? nil : body)
                expect(answer, refuses: code)
                #expect(try await server.store.memberUIDs(of: "team").count == 7)
                #expect(try await server.store.member("pat", of: "team")?.scope == .participant)
            }
        }

        @Test func `what is asked about a group that isn't there is refused`() async throws {
            try await TestServer.with { server in
                for (method, path, body) in [
                    ("GET", "members", nil), ("POST", "members", #"[{"uid":"u"}]"#),
                    ("PUT", "members/u", #"{"scope":"viewer"}"#), ("DELETE", "members/u", nil),
                    ("GET", "bans", nil), ("POST", "bans", #"{"uid":"u"}"#), ("DELETE", "bans/u", nil),
                    ("PUT", "owner", #"{"uid":"u"}"#),
                ] as [(String, String, String?)] {
                    let path = "/v1/groups/nothing/" + path
                    expect(try await server.backEnd(method, path, body), refuses: "ERR_GUID_NOT_FOUND")
                    expect(try await server.user("u", method, path, body), refuses: "ERR_GUID_NOT_FOUND")
                }
            }
        }

        @Test func `scopes are given up to one's own, and lost at once`() async throws {
            try await TestServer.with { server in
                try await fill(server)
                let promoted = try await server.user(
                    "ada", "PUT", Self.members + "/pat", #"{"scope":"moderator"}"#)
                #expect(promoted.status == 200 && promoted.json["scope"]?.stringValue == "moderator")
                #expect(try await server.user("pat", "GET", Self.bans).status == 200)
                _ = try await server.user("ada", "PUT", Self.members + "/pat", #"{"scope":"viewer"}"#)
                expect(
                    try await server.user("pat", "GET", Self.bans), refuses: "ERR_GROUP_NO_MODERATOR_SCOPE")
                #expect(try await server.user("mia", "DELETE", Self.members + "/pat").status == 204)
                expect(try await server.user("pat", "GET", Self.members), refuses: "ERR_NOT_GROUP_MEMBER")
            }
        }

        @Test func `a ban ends the membership and holds until it is lifted`() async throws {
            try await TestServer.with { server in
                try await fill(server)
                for (who, target, code) in [
                    ("pat", "vic", "ERR_GROUP_NO_MODERATOR_SCOPE"), ("mia", "max", "ERR_GROUP_NO_CLEARANCE"),
                    ("mia", "mia", "ERR_GROUP_NO_SELF_ACTION"), ("ada", "owner", "ERR_CANNOT_KICK_OWNER"),
                    ("mia", "bad", "ERR_ALREADY_BANNED"),
                ] {
                    let answer = try await server.user(who, "POST", Self.bans, #"{"uid":"\#(target)"}"#)
                    expect(answer, refuses: code)
                }
                let banned = try await server.user("mia", "POST", Self.bans, #"{"uid":"vic"}"#)
                #expect(banned.status == 201 && banned.json["uid"]?.stringValue == "vic")
                #expect(try await server.user("mia", "GET", Self.bans).list("uid") == ["bad", "vic"])
                expect(try await server.user("vic", "GET", Self.members), refuses: "ERR_BANNED_GROUPMEMBER")
                expect(
                    try await server.backEnd("POST", Self.members, #"[{"uid":"vic"}]"#),
                    refuses: "ERR_BANNED_GROUPMEMBER")
                expect(
                    try await server.user("pat", "DELETE", Self.bans + "/vic"),
                    refuses: "ERR_GROUP_NO_MODERATOR_SCOPE")
                #expect(try await server.user("mia", "DELETE", Self.bans + "/vic").status == 204)
                expect(
                    try await server.user("mia", "DELETE", Self.bans + "/vic"),
                    refuses: "ERR_NOT_A_BANNED_USER")
                #expect(try await server.backEnd("POST", Self.members, #"[{"uid":"vic"}]"#).status == 201)
            }
        }

        @Test func `a scope that is lost while something is asked allows no more of it`() async throws {
            try await TestServer.with { server in
                for round in 0..<20 {
                    let guid = "team\(round)"
                    try await server.group(["mod": .moderator, "adm": .admin], guid: guid)
                    // The admin demotes while the moderator kicks: whoever comes second is judged by what then holds.
                    try await server.store.putUser(User(uid: "x", name: "X"))
                    try await server.store.addMembers([Member(uid: "x", joinedAt: 3)], to: guid)
                    async let demoted = server.user(
                        "adm", "PUT", "/v1/groups/\(guid)/members/mod", #"{"scope":"viewer"}"#)
                    async let kicked = server.user("mod", "DELETE", "/v1/groups/\(guid)/members/x")
                    let answers = try await (demoted, kicked)
                    #expect(answers.0.status == 200)
                    let isIn = try await server.store.member("x", of: guid) != nil
                    #expect(answers.1.code == (isIn ? "ERR_GROUP_NO_MODERATOR_SCOPE" : nil))
                }
            }
        }

        /// A group of each scope, with somebody banned and somebody outside.
        private func fill(_ server: TestServer) async throws {
            try await server.group([
                "vic": .viewer, "pat": .participant, "mia": .moderator, "max": .moderator, "ada": .admin,
                "amy": .admin,
            ])
            for uid in ["out", "bad"] { try await server.store.putUser(User(uid: uid, name: uid)) }
            try await server.store.ban(Ban(uid: "bad", bannedAt: 3), in: "team")
        }
    }
}
