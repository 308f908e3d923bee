import Control
import JSON
import MediaWorker
import Meeting
import Storage
import Testing

extension ControlTests {
    /// What moderators do over the socket: the effect, who is told, what is answered.
    @Suite struct ModerationTests {
        /// A moderator, a participant and a viewer, all with media.
        private func with(
            _ change: (inout ControlSettings) -> Void = { _ in },
            _ body: (TestServer, _ mia: Person, _ pat: Person, _ vic: Person) async throws -> Void
        ) async throws {
            try await TestServer.with(change) { server in
                let mia = try await server.person("mia", scope: .moderator)
                let pat = try await server.person("pat")
                let vic = try await server.person("vic", scope: .viewer)
                try await body(server, mia, pat, vic)
            }
        }

        @Test func `mutes and pauses hold at the media plane, and everyone hears by whom`() async throws {
            try await with { server, mia, pat, vic in
                try await pat.request("startScreenSharing")
                let steps: [(method: String, event: String, source: MediaSource)] = [
                    ("muteParticipant", "participantAudioMuted", .microphone),
                    ("pauseParticipantVideo", "participantVideoPaused", .camera),
                    ("stopParticipantScreenShare", "participantStoppedScreenShare", .screen),
                ]
                for step in steps {
                    #expect(server.source(step.source, of: 1) != .off)
                    #expect(try await mia.request(step.method, pat) == ["affected": 1])
                    #expect(server.source(step.source, of: 1) == .off)
                    for person in [mia, pat, vic] {
                        let told = try await person.event(step.event)
                        #expect(told["participant"]?["participantId"] == pat.id)
                        #expect(told["by"] == mia.author)
                    }
                    // By the user's id, and once more: nothing is left to do.
                    #expect(try await mia.request(step.method, ["uid": "pat"]) == ["affected": 0])
                }
                try await pat.request("unmuteAudio")
                try await pat.request("resumeVideo")
                let all = try await mia.request("muteUser", ["uid": "pat", "kinds": ["audio", "video"]])
                #expect(all == ["affected": 1])
                #expect(server.source(.camera, of: 1) == .off)
            }
        }

        @Test func `a locked microphone stays muted until it is unlocked, and isn't unmuted by that`()
            async throws
        {
            try await with { server, mia, pat, _ in
                try await mia.request("muteParticipant", pat, ["lock": true])
                await expectRefusal("ERR_AUDIO_LOCKED") { try await pat.request("unmuteAudio") }
                try await mia.request("askToUnmute", pat)
                #expect(try await pat.event("unmuteRequested")["by"] == mia.author)
                try await mia.request("unlockParticipant", pat)
                #expect(server.source(.microphone, of: 1) == .off)
                try await pat.request("unmuteAudio")
                #expect(server.source(.microphone, of: 1) == .live)
            }
        }

        @Test func `a locked microphone isn't heard as the sound of a screen either`() async throws {
            try await with { server, mia, pat, _ in
                try await pat.request("startScreenSharing", ["mid": "2", "audioMid": "3"])
                #expect(server.source(.screenAudio, of: 1) == .live)
                try await mia.request("muteParticipant", pat, ["lock": true])
                #expect(server.source(.screenAudio, of: 1) == .off)
                try await pat.request("stopScreenSharing")
                // The picture is shown, and the microphone's m-line is heard under no name.
                try await pat.request("startScreenSharing", ["mid": "2", "audioMid": "0"])
                try await pat.request("negotiate", ["offer": "v=0"])
                #expect(server.source(.screen, of: 1) == .live)
                #expect(server.source(.screenAudio, of: 1) == .off)
                try await mia.request("unlockParticipant", pat)
                #expect(server.source(.screenAudio, of: 1) == .off)
                try await pat.request("unmuteAudio")
                #expect(server.source(.screenAudio, of: 1) == .live)
            }
        }

        @Test func `a moderator's mute is answered after the media plane has done it and all were told`()
            async throws
        {
            try await with { server, mia, pat, _ in
                server.media.hold()
                let id = try mia.client.post("muteParticipant", pat.target)
                try await eventually("the effect to begin") {
                    server.media.read { $0.held.isEmpty ? nil : true }
                }
                #expect(mia.client.read { $0.answers[id] == nil })
                server.media.release()
                _ = try await mia.client.answer(to: id)
                #expect(mia.client.read { $0.order.suffix(2) } == ["participantAudioMuted", "answer"])
            }
        }

        @Test func `all are muted but those above, those spared and oneself; newcomers too if so wanted`()
            async throws
        {
            try await with { server, mia, pat, _ in
                let ada = try await server.person("ada", scope: .admin)
                let bob = try await server.person("bob")
                let params: JSONValue = ["except": [bob.id], "onEntry": true, "lock": true]
                // The viewer, who is muted anyway, is locked.
                #expect(try await mia.request("muteAll", params) == ["affected": 2])
                #expect([0, 1, 3, 4].map { server.source(.microphone, of: $0) } == [nil, .off, nil, nil])
                await expectRefusal("ERR_AUDIO_LOCKED") { try await pat.request("unmuteAudio") }
                let late = try await server.person("late")
                #expect(late.joined["participant"]?["audioMuted"]?.boolValue == true)
                #expect(late.joined["session"]?["settings"]?["muteOnEntry"]?.boolValue == true)
                await expectRefusal("ERR_AUDIO_LOCKED") { try await late.request("unmuteAudio") }
                #expect(try await ada.request("muteAll", ["kinds": ["video"]]) == ["affected": 4])
            }
        }

        @Test func `whoever is on its way in when all are muted comes in muted and locked`() async throws {
            try await with { server, mia, _, _ in
                try await mia.request("muteAll", ["lock": true])
                server.media.hold()
                let late = try await server.client()
                let id = try late.post(
                    "joinSession", ["callToken": .string(TestServer.callToken("late"))])
                try await eventually("its media to be set up") {
                    server.media.read { $0.held.isEmpty ? nil : true }
                }
                try await mia.request("muteAll", ["lock": true, "onEntry": true])
                server.media.release()
                let joined = try await late.answer(to: id)
                #expect(joined["participant"]?["audioMuted"]?.boolValue == true)
                #expect(joined["participant"]?["audioLocked"]?.boolValue == true)
                #expect(server.source(.microphone, of: 3) == .off)
                await expectRefusal("ERR_AUDIO_LOCKED") { try await late.request("unmuteAudio") }
            }
        }

        @Test func `hands are lowered one by one or all at once, and told in order`() async throws {
            try await with { server, mia, pat, vic in
                let bob = try await server.person("bob")
                for person in [pat, vic, bob] { try await person.request("raiseHand") }
                let hands = try await mia.request("lowerParticipantHand", vic)["hands"]
                #expect((hands?.arrayValue ?? []).map { $0["participantId"] } == [pat.id, bob.id])
                let told = try await pat.event("participantHandLowered")
                #expect(told["hands"] == hands && told["by"] == mia.author)
                #expect(try await mia.request("lowerAllHands") == ["affected": 2])
                #expect(try await mia.request("lowerAllHands") == ["affected": 0])
            }
        }

        @Test func `a scope takes effect at the media plane, and what it allows is allowed again`()
            async throws
        {
            try await with { server, mia, pat, vic in
                let all = Set(MediaSource.allCases)
                #expect(server.published == [all, all, []])
                try await mia.request("setParticipantScope", pat, ["scope": "viewer"])
                try await mia.request("setParticipantScope", ["uid": "vic", "scope": "participant"])
                #expect(server.published == [all, [], all])
                await expectRefusal("ERR_PUBLISH_NOT_ALLOWED") { try await pat.request("unmuteAudio") }
                let told = try await eventually("the scope") {
                    vic.client.read { state in
                        state.events.first { $0["data"]?["changed"] == ["scope"] }
                    }
                }
                #expect(told["data"]?["participant"]?["scope"]?.stringValue == "viewer")
                try await vic.request("unmuteAudio")
                try await mia.request("setParticipantScope", pat, ["scope": "participant"])
                try await pat.request("unmuteAudio")
                #expect(server.published == [all, all, all])
            }
        }

        @Test func `a locked session lets moderators in, and those who come back`() async throws {
            try await with { server, mia, pat, _ in
                #expect(try await mia.request("lockSession") == ["affected": 1])
                #expect(try await mia.request("lockSession") == ["affected": 0])
                let updated = try await pat.event("sessionUpdated")
                #expect(updated["session"]?["settings"]?["locked"]?.boolValue == true)
                await expectRefusal("ERR_CALL_LOCKED") { try await server.person("late") }
                _ = try await server.person("ada", scope: .moderator)
                pat.client.drop()
                let back = try await server.client()
                try await back.request(
                    "resumeSession", ["resumeToken": pat.joined["resumeToken"] ?? .null, "lastSeq": 0])
                try await mia.request("unlockSession")
                _ = try await server.person("late")
            }
        }

        @Test func `title and places are changed and told`() async throws {
            try await with { server, mia, pat, _ in
                try await mia.request("setTitle", ["title": "Daily"])
                #expect(try await pat.event("sessionUpdated")["session"]?["title"]?.stringValue == "Daily")
                try await mia.request("setCapacity", ["maxParticipants": 3])
                await expectRefusal("ERR_CALL_FULL") { try await server.person("late") }
                try await mia.request("setCapacity", ["maxParticipants": 4])
                _ = try await server.person("late")
                await expectRefusal("ERR_BAD_REQUEST", field: "maxParticipants") {
                    try await mia.request("setCapacity", ["maxParticipants": 0])
                }
            }
        }

        @Test func `whoever ends the session is answered, then all are closed with 4004`() async throws {
            try await with { server, mia, pat, vic in
                let id = try mia.client.post("endSession", ["reason": "lunch"])
                _ = try await mia.client.answer(to: id)
                for person in [mia, pat, vic] {
                    #expect(try await person.event("sessionEnded")["reason"]?.stringValue == "lunch")
                    #expect(try await person.client.closed() == 4004)
                }
                #expect(server.media.read { $0.permissions.isEmpty && $0.sessions.isEmpty })
                #expect(try await server.backEnd("GET", "/v1/sessions").json["data"] == [])
            }
        }

        @Test func `who is removed is closed with 4003 and told why; its token is refused for a while`()
            async throws
        {
            try await with { server, mia, pat, vic in
                let left = server.media.read { $0.left }
                try await mia.request("removeParticipant", pat, ["reason": "noise", "banSeconds": 1])
                #expect(server.media.read { $0.left } == left + 1)
                let removed = try await pat.event("removed")
                #expect(removed["by"] == mia.author && removed["reason"]?.stringValue == "noise")
                #expect(try await pat.client.closed() == 4003)
                #expect(try await vic.event("participantLeft")["reason"]?.stringValue == "removed")
                await expectRefusal("ERR_CALL_REMOVED") { try await server.person("pat") }
                await expectRefusal("ERR_NOT_IN_SESSION") {
                    try await server.client().request(
                        "resumeSession", ["resumeToken": pat.joined["resumeToken"] ?? .null, "lastSeq": 0])
                }
                let back = try await eventually("the ban to end") { try? await server.person("pat") }
                try await mia.request("removeUser", ["uid": "pat", "banSeconds": 0])
                #expect(try await back.client.closed() == 4003)
                _ = try await server.person("pat")
            }
        }

        @Test func `a ban that runs on holds in the next meeting, one for the meeting's life doesn't`()
            async throws
        {
            try await with { server, mia, pat, vic in
                try await mia.request("removeParticipant", pat, ["banSeconds": 600])
                try await mia.request("removeParticipant", vic, ["banSeconds": -1])
                await expectRefusal("ERR_CALL_REMOVED") { try await server.person("vic") }
                try await mia.request("leaveSession")
                let next = try await server.person("vic")
                #expect(next.joined["session"]?["meetingId"] != vic.joined["session"]?["meetingId"])
                await expectRefusal("ERR_CALL_REMOVED") { try await server.person("pat") }
            }
        }

        @Test(
            arguments: [
                ("muteParticipant", ["participantId": "nobody"], "ERR_PARTICIPANT_NOT_FOUND", nil),
                ("muteParticipant", ["uid": "nobody"], "ERR_PARTICIPANT_NOT_FOUND", nil),
                ("muteParticipant", [:], "ERR_BAD_REQUEST", "participantId"),
                (
                    "muteParticipant", ["participantId": "x", "uid": "pat"], "ERR_BAD_REQUEST",
                    "participantId"
                ),
                ("muteParticipant", ["uid": "pat", "kinds": []], "ERR_BAD_REQUEST", "kinds"),
                ("muteParticipant", ["uid": "pat", "kinds": ["smell"]], "ERR_BAD_REQUEST", "kinds[0]"),
                (
                    "muteParticipant", ["uid": "pat", "kinds": ["video"], "lock": true], "ERR_BAD_REQUEST",
                    "lock"
                ),
                ("muteParticipant", ["uid": "mia"], "ERR_GROUP_NO_SELF_ACTION", nil),
                ("muteParticipant", ["uid": "ada"], "ERR_GROUP_NO_CLEARANCE", nil),
                ("removeParticipant", ["uid": "max"], "ERR_GROUP_NO_CLEARANCE", nil),
                ("removeParticipant", ["uid": "pat", "banSeconds": -2], "ERR_BAD_REQUEST", "banSeconds"),
                ("setParticipantScope", ["uid": "pat", "scope": "king"], "ERR_INVALID_SCOPE", nil),
                ("setParticipantScope", ["uid": "pat", "scope": "owner"], "ERR_INVALID_SCOPE", nil),
                ("setParticipantScope", ["uid": "pat", "scope": "moderator"], "ERR_GROUP_NO_CLEARANCE", nil),
                ("setParticipantScope", ["uid": "pat", "scope": "participant"], "ERR_SAME_SCOPE", nil),
                ("setParticipantScope", ["uid": "mia", "scope": "viewer"], "ERR_GROUP_NO_SELF_ACTION", nil),
                ("admitParticipant", ["participantId": "nobody"], "ERR_PARTICIPANT_NOT_FOUND", nil),
                ("denyParticipant", [:], "ERR_BAD_REQUEST", "participantId"),
                ("setCapacity", ["maxParticipants": 1, "more": 1], "ERR_BAD_REQUEST", "more"),
                ("lockSession", ["more": 1], "ERR_BAD_REQUEST", "more"),
                ("lowerAllHands", ["more": 1], "ERR_BAD_REQUEST", "more"),
            ] as [(String, JSONValue, String, String?)])
        func `what can't be is refused with its code`(
            method: String, params: JSONValue, code: String, field: String?
        ) async throws {
            try await with { server, mia, _, _ in
                _ = try await server.person("ada", scope: .admin)
                _ = try await server.person("max", scope: .moderator)
                await expectRefusal(code, field: field) { try await mia.request(method, params) }
                #expect(try await server.roster() == ["mia", "pat", "vic", "ada", "max"])
            }
        }
    }
}
