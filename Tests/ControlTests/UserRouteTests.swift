import JSON
import Meeting
import Storage
import Testing

extension ControlTests {
    @Suite struct UserRouteTests {
        @Test func `a profile is made, read, changed and deleted`() async throws {
            try await TestServer.with { server in
                let body = #"{"name":"Ada","avatar":"https://a/b","metadata":{"team":[1,2]}}"#
                let made = try await server.backEnd("PUT", "/v1/users/ada", body)
                #expect(made.status == 201)
                let read = try await server.backEnd("GET", "/v1/users/ada")
                #expect(read.status == 200 && read.json == made.json)
                #expect(
                    read.json == [
                        "uid": "ada", "name": "Ada", "avatar": "https://a/b", "metadata": ["team": [1, 2]],
                    ])
                let changed = try await server.backEnd(
                    "PUT", "/v1/users/ada", #"{"uid":"ada","name":"Lovelace"}"#)
                #expect(changed.status == 200 && changed.json == ["uid": "ada", "name": "Lovelace"])
                let deleted = try await server.backEnd("DELETE", "/v1/users/ada")
                #expect(deleted.status == 204 && deleted.body.isEmpty)
                expect(try await server.backEnd("GET", "/v1/users/ada"), refuses: "ERR_UID_NOT_FOUND")
                expect(try await server.backEnd("DELETE", "/v1/users/ada"), refuses: "ERR_UID_NOT_FOUND")
            }
        }

        @Test func `an id may have every character that ids have, encoded or not`() async throws {
            try await TestServer.with { server in
                let made = try await server.backEnd("PUT", "/v1/users/a_.:@-Z9", #"{"name":"A"}"#)
                #expect(made.json["uid"]?.stringValue == "a_.:@-Z9")
                #expect(try await server.backEnd("GET", "/v1/users/a_.%3A%40-Z9").status == 200)
            }
        }

        @Test(arguments: [
            ("a%20b", #"{"name":"A"}"#, "uid"), ("a", #"{"name":""}"#, "name"), ("a", "{}", "name"),
            ("a", #"{"name":7}"#, "name"), ("a", #"{"name":"A","admin":true}"#, "admin"),
            ("a", #"{"name":"A","avatar":"ftp://a"}"#, "avatar"), ("a", #"{"name":"A","uid":"b"}"#, "uid"),
            ("a", #"{"name":"A","metadata":""# + String(repeating: "x", count: 10_240) + #""}"#, "metadata"),
        ])
        func `a profile that can't be is refused with its field`(
            uid: String, body: String, field: String
        ) async throws {
            try await TestServer.with { server in
                let answer = try await server.backEnd("PUT", "/v1/users/\(uid)", body)
                expect(answer, refuses: "ERR_BAD_REQUEST", field: field)
                #expect(try await server.store.users(PageRequest()).total == 0)
            }
        }

        @Test func `users are listed a page at a time, by uid`() async throws {
            try await TestServer.with { server in
                for index in 0..<65 {
                    try await server.store.putUser(User(uid: "u\(100 + index)", name: "U"))
                }
                let first = try await server.backEnd("GET", "/v1/users")
                #expect(first.list("uid") == (100..<130).map { "u\($0)" })
                #expect(
                    first.json["meta"]?["pagination"] == [
                        "total": 65, "count": 30, "perPage": 30, "currentPage": 1, "totalPages": 3,
                    ])
                let last = try await server.backEnd("GET", "/v1/users?page=4&perPage=20")
                #expect(last.list("uid") == (160..<165).map { "u\($0)" })
                let beyond = try await server.backEnd("GET", "/v1/users?page=5&perPage=20")
                #expect(beyond.status == 200 && beyond.list("uid").isEmpty)
                for (query, field) in [
                    ("page=0", "page"), ("perPage=101", "perPage"), ("page=x", "page"), ("size=3", "size"),
                    ("page=1&page=2", "page"), ("page=9223372036854775807", "page"),
                ] {
                    let refused = try await server.backEnd("GET", "/v1/users?" + query)
                    expect(refused, refuses: "ERR_BAD_REQUEST", field: field)
                }
            }
        }

        @Test func `who owns groups can't be deleted`() async throws {
            try await TestServer.with { server in
                try await server.group(guid: "one")
                expect(
                    try await server.backEnd("DELETE", "/v1/users/owner"), refuses: "ERR_CANNOT_KICK_OWNER")
            }
        }

        @Test func `a store that is closed is said as a server that stops`() async throws {
            try await TestServer.with { server in
                await server.store.close()
                expect(try await server.backEnd("GET", "/v1/users"), refuses: "ERR_SERVER_DRAINING")
            }
        }
    }
}
