import JSON
import Meeting
import Storage
import Testing

extension ControlTests {
    @Suite struct GroupRouteTests {
        @Test func `a group is made with its owner, read, changed, listed and deleted`() async throws {
            try await TestServer.with { server in
                _ = try await server.backEnd("PUT", "/v1/users/ada", #"{"name":"Ada"}"#)
                let body = #"{"name":"Team","type":"private","owner":"ada","maxParticipants":3,"metadata":7}"#
                let made = try await server.backEnd("PUT", "/v1/groups/team", body)
                #expect(made.status == 201)
                #expect(
                    made.json == [
                        "guid": "team", "name": "Team", "type": "private", "owner": "ada",
                        "maxParticipants": 3,
                        "metadata": 7,
                    ])
                #expect(try await server.backEnd("GET", "/v1/groups/team").json == made.json)
                let members = try await server.backEnd("GET", "/v1/groups/team/members")
                #expect(members.json["data"]?[0]?["scope"]?.stringValue == "owner")
                let changed = try await server.backEnd("PUT", "/v1/groups/team", #"{"name":"Crew"}"#)
                #expect(changed.status == 200)
                #expect(
                    changed.json == ["guid": "team", "name": "Crew", "type": "public", "owner": "ada"])
                #expect(try await server.backEnd("GET", "/v1/groups?perPage=1").list("guid") == ["team"])
                #expect(try await server.backEnd("DELETE", "/v1/groups/team").status == 204)
                expect(try await server.backEnd("GET", "/v1/groups/team"), refuses: "ERR_GUID_NOT_FOUND")
                expect(try await server.backEnd("DELETE", "/v1/groups/team"), refuses: "ERR_GUID_NOT_FOUND")
            }
        }

        @Test(arguments: [
            (#"{"name":"T","owner":"nobody"}"#, "ERR_UID_NOT_FOUND"),
            (#"{"name":"T","owner":"a b"}"#, "ERR_BAD_REQUEST"),
            (#"{"name":"T","type":"secret"}"#, "ERR_BAD_REQUEST"),
            (#"{"name":"T","maxParticipants":0}"#, "ERR_BAD_REQUEST"),
            (#"{"name":"T","guid":"other"}"#, "ERR_BAD_REQUEST"),
            (#"{"name":"T","passwordHash":"x"}"#, "ERR_BAD_REQUEST"),
        ])
        func `a group that can't be is refused`(body: String, code: String) async throws {
            try await TestServer.with { server in
                expect(try await server.backEnd("PUT", "/v1/groups/team", body), refuses: code)
                #expect(try await server.store.group("team") == nil)
            }
        }

        @Test func `an owner changes by a transfer only, and becomes an admin by it`() async throws {
            try await TestServer.with { server in
                try await server.group(["ben": .viewer, "eve": .admin])
                expect(
                    try await server.backEnd("PUT", "/v1/groups/team", #"{"name":"T","owner":"ben"}"#),
                    refuses: "ERR_CANNOT_CHANGE_OWNER_SCOPE", field: "owner")
                let path = "/v1/groups/team/owner"
                expect(
                    try await server.user("eve", "PUT", path, #"{"uid":"ben"}"#),
                    refuses: "ERR_GROUP_NO_CLEARANCE")
                expect(
                    try await server.user("owner", "PUT", path, #"{"uid":"owner"}"#),
                    refuses: "ERR_GROUP_NO_SELF_ACTION")
                expect(
                    try await server.backEnd("PUT", path, #"{"uid":"owner"}"#), refuses: "ERR_SAME_SCOPE")
                expect(
                    try await server.user("owner", "PUT", path, #"{"uid":"nobody"}"#),
                    refuses: "ERR_NOT_GROUP_MEMBER")
                let given = try await server.user("owner", "PUT", path, #"{"uid":"ben"}"#)
                #expect(given.status == 200 && given.json["owner"]?.stringValue == "ben")
                #expect(try await server.store.member("owner", of: "team")?.scope == .admin)
                expect(
                    try await server.user("owner", "PUT", path, #"{"uid":"eve"}"#),
                    refuses: "ERR_GROUP_NO_CLEARANCE")
            }
        }
    }
}
