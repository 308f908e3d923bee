import Configuration
import Control
import Foundation
import JSON
import Meeting
import Storage
import Testing

extension ControlTests {
    /// What the call log has of meetings to which nobody was rung.
    @Suite struct MeetingLogTests {
        @Test func `each meeting of a group's session is an entry of its own`() async throws {
            try await TestServer.with { server in
                try await server.group(["pat": .participant])
                let pat = try await server.device("pat")
                #expect(try await pat.request("getActiveCall", ["guid": "team"]) == [:])
                var ids: [String] = []
                for round in 1...2 {
                    let (owner, result) = try await server.joined("owner", session: "team")
                    ids.append(result["session"]?["meetingId"]?.stringValue ?? "")
                    let active = try await pat.request("getActiveCall", ["guid": "team"])
                    #expect(active["session"]?["meetingId"]?.stringValue == ids.last)
                    #expect(active["isFull"]?.boolValue == false && active["isLocked"]?.boolValue == false)
                    let (guest, _) = try await server.joined("pat", session: "team")
                    try await guest.request("leaveSession")
                    let entry = try await server.entry("team") { entry in
                        entry["meetingId"]?.stringValue == ids.last
                            && entry["participants"]?.arrayValue?.count == 2
                            && entry["participants"]?[1]?["state"]?.stringValue == "ended"
                    }
                    #expect(entry["status"]?.stringValue == "ongoing" && entry["endedAt"] == nil)
                    #expect(entry["mode"]?.stringValue == "meet" && entry["type"]?.stringValue == "video")
                    #expect(entry["receiver"] == ["guid": "team", "name": "The team"])
                    #expect(entry["initiator"] == ["uid": "owner", "name": "OWNER"])
                    try await owner.request("leaveSession")
                    _ = try await server.entry("team") { $0["status"]?.stringValue == "ended" }
                    let list = try await server.user("pat", "GET", "/v1/calls/team/instances")
                    #expect(list.json["meta"]?["pagination"]?["total"]?.integerValue == Int64(round))
                    #expect(list.list("meetingId") == ids.reversed())
                    #expect(list.list("status") == Array(repeating: "ended", count: round))
                }
                #expect(Set(ids).count == 2)
                #expect(try await pat.request("getActiveCall", ["guid": "team"]) == [:])
                let out = try await server.device("out")
                await expectRefusal("ERR_NOT_GROUP_MEMBER") {
                    try await out.request("getActiveCall", ["guid": "team"])
                }
                await expectRefusal("ERR_GUID_NOT_FOUND") {
                    try await out.request("getActiveCall", ["guid": "crew"])
                }
            }
        }

        @Test func `a meeting without a group is logged for those who were in`() async throws {
            try await TestServer.with { server in
                let (ada, _) = try await server.joined("ada", settings: ["sessionType": "audio"])
                let (spy, _) = try await server.joined("spy", grants: Grants(hidden: true))
                try await ada.request("leaveSession")
                try await spy.request("leaveSession")
                let entry = try await server.entry("room") { $0["status"]?.stringValue == "ended" }
                #expect(entry["type"]?.stringValue == "audio" && entry["receiver"] == nil)
                #expect(entry["participants"]?.arrayValue?.compactMap { $0["uid"]?.stringValue } == ["ada"])
                #expect(entry["videoSeconds"]?.integerValue == 0)
                #expect(try await server.user("ada", "GET", "/v1/calls").list("sessionId") == ["room"])
                expect(try await server.user("spy", "GET", "/v1/calls/room"), refuses: "ERR_CALL_NOT_A_PART")
            }
        }

        @Test func `a server that starts closes what another one left open, one that stops its own`()
            async throws
        {
            let folder = try LogFolder()
            let path = folder.url.appending(path: "rostrum.db").path
            let dead = try await TestServer(path: path)
            try await dead.users("bob")
            let (ada, result) = try await dead.joined("ada")
            let ringing = try await dead.call("bob", from: "anna")
            _ = try await dead.entry("room") { $0["status"]?.stringValue == "ongoing" }

            // As a crash leaves it: the first one is still going, but for its own file.
            let left = try folder.copied()
            let next = try await TestServer(path: left)
            let room = try await next.entry("room") { $0["status"]?.stringValue == "ended" }
            #expect(room["meetingId"] == result["session"]?["meetingId"])
            #expect(room["participants"]?[0]?["state"]?.stringValue == "ended")
            #expect((room["endedAt"]?.integerValue ?? 0) >= (room["startedAt"]?.integerValue ?? .max))
            let call = try await next.entry(ringing) { $0["endedAt"] != nil }
            #expect(call["status"]?.stringValue == "unanswered")

            let (ben, _) = try await next.joined("ben", session: "late")
            _ = try await next.entry("late") { $0["status"]?.stringValue == "ongoing" }
            await next.server.stop()
            let last = try await TestServer(path: left)
            #expect(try await last.backEnd("GET", "/v1/calls/late").json["status"]?.stringValue == "ended")
            for server in [dead, last] { await server.server.stop() }
            for client in [ada, ben] { client.drop() }
        }
    }
}

/// A folder for one test, gone with it.
private final class LogFolder {
    let url = FileManager.default.temporaryDirectory.appending(path: "rostrum-\(UUID())")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// The database as it is on the disk now, elsewhere.
    func copied() throws -> String {
        let copy = url.appending(path: "copy")
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
        for name in ["rostrum.db", "rostrum.db-wal"] {
            try FileManager.default.copyItem(at: url.appending(path: name), to: copy.appending(path: name))
        }
        return copy.appending(path: "rostrum.db").path
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}
