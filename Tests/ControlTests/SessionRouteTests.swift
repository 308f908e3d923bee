import Configuration
import Control
import JSON
import MediaWorker
import Meeting
import Observability
import Storage
import Testing

extension ControlTests {
    /// Sessions over HTTP: made ahead, shown, changed, ended.
    @Suite struct SessionRouteTests {
        private static let path = "/v1/sessions"

        @Test func `a session made ahead has its settings, is there before anybody joins and after all left`()
            async throws
        {
            try await TestServer.with { server in
                let body = #"""
                    {"sessionId":"room","title":"Planning","settings":{"maxParticipants":3,"maxPresenters":2,
                    "openModeration":true,"muteOnEntry":true,"idleTimeoutSeconds":0,"maxVideoSeats":4,
                    "maxAudible":2,"maxBitrateUpBps":1000,"maxBitrateDownBps":2000,"autoRecord":true,
                    "duplicateUser":"replace","mode":"presenter","locked":false,"waitingRoom":false}}
                    """#
                let made = try await server.backEnd("POST", Self.path, body)
                #expect(made.status == 201)
                let settings: JSONValue = [
                    "maxParticipants": 3, "maxPresenters": 2, "openModeration": true, "muteOnEntry": true,
                    "locked": false, "waitingRoom": false, "idleTimeoutSeconds": 0, "maxVideoSeats": 4,
                    "maxAudible": 2, "maxBitrateUpBps": 1000, "maxBitrateDownBps": 2000, "autoRecord": true,
                    "duplicateUser": "replace",
                ]
                #expect(made.json["settings"] == settings)
                #expect(made.json["mode"]?.stringValue == "presenter")
                #expect(made.json["title"]?.stringValue == "Planning")
                #expect(made.json["participantCount"]?.integerValue == 0)
                #expect(try await server.backEnd("GET", Self.path + "/room").json == made.json)
                await expectRefusal("ERR_BAD_REQUEST", field: "displayName") {
                    try await server.person("u", settings: ["displayName": ""])
                }
                let first = try await server.person("u")
                #expect(first.joined["session"]?["meetingId"] == made.json["meetingId"])
                #expect(first.joined["participant"]?["audioMuted"]?.boolValue == true)
                try await first.request("leaveSession")
                let next = try await server.person("u")
                #expect(next.joined["session"]?["meetingId"] != made.json["meetingId"])
                #expect(next.joined["session"]?["settings"] == settings)
                #expect(next.joined["session"]?["title"]?.stringValue == "Planning")
            }
        }

        @Test func `media obey a session's limits from its beginning on, and when they are changed`()
            async throws
        {
            try await TestServer.with { server in
                func limits() -> [MediaLimits] { server.media.read { Array($0.limits.values) } }
                func down() -> [Int] { server.media.read { Array($0.receiveLimits.values) } }
                try await server.make(#"{"maxVideoSeats":4,"maxAudible":2,"maxBitrateDownBps":900000}"#)
                _ = try await server.person("u")
                #expect(limits() == [MediaLimits(maxVideoSeats: 4, maxAudible: 2)])
                #expect(down() == [900_000])
                let changed = #"{"settings":{"maxAudible":7,"maxBitrateDownBps":500000}}"#
                #expect(try await server.backEnd("PATCH", Self.path + "/room", changed).status == 200)
                #expect(limits() == [MediaLimits(maxVideoSeats: 4, maxAudible: 7)])
                #expect(down() == [500_000])
                let again = #"{"sessionId":"room","settings":{"maxVideoSeats":3}}"#
                #expect(try await server.backEnd("POST", Self.path, again).status == 200)
                #expect(limits() == [MediaLimits(maxVideoSeats: 3, maxAudible: 7)])
            }
        }

        @Test func `what a session's settings don't say, the configuration does`() async throws {
            var settings = Settings()
            settings.sessions.maxAudible = 3
            settings.sessions.maxVideoSeats = 6
            settings.sessions.maxBitrateUpBps = 2_000_000
            var plan = SessionSettings(maxParticipants: 50)
            plan.maxAudible = 3
            plan.maxVideoSeats = 6
            plan.maxBitrateUpBps = 2_000_000
            #expect(ControlSettings(settings).session == plan)
        }

        @Test func `one without an id gets one, one that is there gets the settings`() async throws {
            try await TestServer.with { server in
                let made = try await server.backEnd("POST", Self.path, #"{"settings":{"locked":true}}"#)
                let id = try #require(made.json["sessionId"]?.stringValue)
                #expect(made.status == 201 && !id.isEmpty)
                await expectRefusal("ERR_CALL_LOCKED") { try await server.person("u", session: id) }
                let inside = try await server.person("u")
                let body = #"{"sessionId":"room","title":"T","settings":{"maxParticipants":1}}"#
                let known = try await server.backEnd("POST", Self.path, body)
                #expect(known.status == 200)
                #expect(known.json["meetingId"] == inside.joined["session"]?["meetingId"])
                let told = try await inside.event("sessionUpdated")["session"]
                #expect(told?["settings"]?["maxParticipants"]?.integerValue == 1)
                await expectRefusal("ERR_CALL_FULL") { try await server.person("v") }
                try await inside.request("leaveSession")
                #expect(
                    try await server.backEnd("GET", Self.path).list("sessionId") == [id, "room"].sorted())
            }
        }

        @Test
        func `what a back end changes holds for the meeting and the next, what a moderator does for one`()
            async throws
        {
            try await TestServer.with { server in
                try await server.make(#"{"maxParticipants":5}"#)
                let mia = try await server.person("mia", scope: .moderator)
                let changed = try await server.backEnd(
                    "PATCH", Self.path + "/room", #"{"title":"New","settings":{"muteOnEntry":true}}"#)
                #expect(changed.status == 200 && changed.json["title"]?.stringValue == "New")
                #expect(changed.json["settings"]?["maxParticipants"]?.integerValue == 5)
                #expect(
                    try await mia.event("sessionUpdated")["session"]?["settings"]?["muteOnEntry"]?.boolValue
                        == true)
                try await mia.request("lockSession")
                try await mia.request("setTitle", ["title": "Mine"])
                try await mia.request("leaveSession")
                let next = try await server.backEnd("GET", Self.path + "/room").json
                #expect(next["settings"]?["locked"]?.boolValue == false)
                #expect(next["settings"]?["muteOnEntry"]?.boolValue == true)
                #expect(next["title"]?.stringValue == "New")
            }
        }

        @Test func `a session that is ended is over for all, and starts anew without its settings`()
            async throws
        {
            try await TestServer.with { server in
                try await server.make(#"{"maxParticipants":1}"#)
                let inside = try await server.person("u")
                #expect(try await server.backEnd("DELETE", Self.path + "/room").status == 204)
                #expect(server.media.read { $0.permissions.isEmpty })
                #expect(try await inside.client.closed() == 4004)
                for method in ["GET", "DELETE", "PATCH"] {
                    let body = method == "PATCH" ? "{}" : nil
                    expect(
                        try await server.backEnd(method, Self.path + "/room", body),
                        refuses: "ERR_CALL_SESSION_NOT_FOUND")
                }
                let next = try await server.person("u")
                #expect(next.joined["session"]?["settings"]?["maxParticipants"]?.integerValue == 50)
                // So does one that a moderator ends.
                try await server.make("other", #"{"maxParticipants":7}"#)
                let mia = try await server.person("mia", session: "other", scope: .moderator)
                try await mia.request("endSession")
                expect(
                    try await server.backEnd("GET", Self.path + "/other"),
                    refuses: "ERR_CALL_SESSION_NOT_FOUND")
            }
        }

        @Test func `a session that nobody uses ends, one in use doesn't`() async throws {
            try await TestServer.with({
                $0.unusedSessionMs = 100
                $0.cleaningMs = 10
            }) { server in
                for session in ["unused", "waiting", "used", "left"] {
                    try await server.make(session, #"{"waitingRoom":\#(session == "waiting")}"#)
                }
                let used = try await server.person("u", session: "used")
                let waits = try await server.person("u", session: "waiting")
                let left = try await server.person("u", session: "left")
                try await left.request("leaveSession")
                try await eventually("the unused ones to end") {
                    let list = try? await server.backEnd("GET", Self.path).list("sessionId")
                    return list == ["used", "waiting"] ? true : nil
                }
                // Those who stay are asked about again and again.
                try await eventually("another while") {
                    _ = try? await used.request("ping")
                    return server.log.records.count { $0.message == "unused session ended" } >= 2 ? true : nil
                }
                #expect(try await used.request("getSession")["session"]?["sessionId"]?.stringValue == "used")
                #expect(try await waits.request("joinSession")["state"]?.stringValue == "waiting")
            }
        }

        @Test func `sessions of groups are made ahead for members, others only where they may be`()
            async throws
        {
            try await TestServer.with({ $0.allowsAdHoc = false }) { server in
                try await server.group(["pat": .participant], maxParticipants: 4)
                let body = #"{"sessionId":"team","settings":{"locked":true}}"#
                let made = try await server.backEnd("POST", Self.path, body)
                #expect(made.status == 201 && made.json["guid"]?.stringValue == "team")
                #expect(made.json["settings"]?["maxParticipants"]?.integerValue == 4)
                await expectRefusal("ERR_CALL_LOCKED") { try await server.person("pat", session: "team") }
                await expectRefusal("ERR_NOT_GROUP_MEMBER") {
                    try await server.person("out", session: "team", scope: .owner)
                }
                _ = try await server.person("owner", session: "team")
                expect(
                    try await server.backEnd("POST", Self.path, #"{"sessionId":"crew"}"#),
                    refuses: "ERR_GUID_NOT_FOUND")
            }
        }

        @Test func `what can't be made is refused, and leaves nothing behind`() async throws {
            try await TestServer.with({ $0.maxSessions = 1 }) { server in
                for (body, field) in [
                    (#"{"sessionId":"a b"}"#, "sessionId"),
                    (#"{"settings":{"maxParticipants":0}}"#, "maxParticipants"),
                    (#"{"settings":{"mode":"party"}}"#, "settings.mode"), (#"{"more":1}"#, "more"),
                    (#"{"settings":{"more":1}}"#, "settings.more"),
                    (#"{"settings":{"idleTimeoutSeconds":-1}}"#, "idleTimeoutSeconds"),
                    (#"{"title":"\#(String(repeating: "x", count: 101))"}"#, "title"),
                ] {
                    let answer = try await server.backEnd("POST", Self.path, body)
                    expect(answer, refuses: "ERR_BAD_REQUEST", field: field)
                }
                expect(
                    try await server.backEnd("POST", Self.path, #"{"sessionId":""}"#),
                    refuses: "ERR_EMPTY_CALL_SESSION_ID")
                #expect(try await server.backEnd("GET", Self.path).json["data"] == [])
                try await server.make(#"{"maxParticipants":2}"#)
                expect(
                    try await server.backEnd("POST", Self.path, #"{"sessionId":"two"}"#),
                    refuses: "ERR_SERVER_FULL")
                expect(
                    try await server.backEnd(
                        "PATCH", Self.path + "/room", #"{"settings":{"maxAudible":-1}}"#),
                    refuses: "ERR_BAD_REQUEST", field: "maxAudible")
                let kept = try await server.backEnd("GET", Self.path + "/room").json["settings"]
                #expect(kept?["maxAudible"]?.integerValue == 5)
            }
        }

        @Test func `sessions are listed page by page`() async throws {
            try await TestServer.with { server in
                for number in 1...5 { try await server.make("s\(number)", "{}") }
                let page = try await server.backEnd("GET", Self.path + "?page=2&perPage=2")
                #expect(page.list("sessionId") == ["s3", "s4"])
                #expect(page.json["meta"]?["pagination"]?["total"]?.integerValue == 5)
                #expect(page.json["meta"]?["pagination"]?["totalPages"]?.integerValue == 3)
                #expect(try await server.backEnd("GET", Self.path + "?page=4").json["data"] == [])
                for (query, field) in [("page=0", "page"), ("perPage=101", "perPage"), ("x=1", "x")] {
                    expect(
                        try await server.backEnd("GET", Self.path + "?" + query), refuses: "ERR_BAD_REQUEST",
                        field: field)
                }
            }
        }
    }
}
