import JSON
import Meeting
import Storage
import Testing

extension ControlTests {
    @Suite struct CallRouteTests {
        @Test func `a user reads the calls that it had part in, a back end all of them`() async throws {
            try await TestServer.with { server in
                try await fill(server)
                #expect(
                    try await server.backEnd("GET", "/v1/calls").list("sessionId") == [
                        "s4", "team", "s2", "s1",
                    ])
                #expect(try await server.user("ann", "GET", "/v1/calls").list("sessionId") == ["team", "s1"])
                #expect(try await server.user("eve", "GET", "/v1/calls").list("sessionId").isEmpty)
                let one = try await server.user("ben", "GET", "/v1/calls/s1")
                #expect(one.json["initiator"] == ["uid": "ann", "name": "ANN"])
                #expect(one.json["receiver"] == ["uid": "ben", "name": "BEN"])
                #expect(one.json["durationSeconds"]?.integerValue == 3)
                #expect(one.json["participants"]?[0]?["isJoined"]?.boolValue == true)
                #expect(one.json["metadata"] == ["k": 1])
                expect(try await server.user("eve", "GET", "/v1/calls/s1"), refuses: "ERR_CALL_NOT_A_PART")
                expect(
                    try await server.user("ann", "GET", "/v1/calls/s9"), refuses: "ERR_CALL_SESSION_NOT_FOUND"
                )
                expect(
                    try await server.backEnd("GET", "/v1/calls/s9/instances"),
                    refuses: "ERR_CALL_SESSION_NOT_FOUND")
                let group = try await server.backEnd("GET", "/v1/calls/team")
                #expect(group.json["receiver"] == ["guid": "team", "name": "Team"])
                #expect(group.json["receiverType"]?.stringValue == "group")
                let instances = try await server.user("ann", "GET", "/v1/calls/team/instances?perPage=5")
                #expect(instances.list("meetingId") == ["m3"])
            }
        }

        @Test(
            arguments: [
                ("type=audio", ["s2"]), ("mode=meet", ["team"]), ("status=canceled", ["s2"]),
                ("status=cancelled", ["s2"]), ("receiverType=group", ["team"]), ("guid=team", ["team"]),
                ("uid=ann", ["team", "s1"]), ("uid=ben&direction=incoming", ["s1"]),
                ("uid=ben&direction=outgoing", ["s2"]), ("hasRecording=true", ["s4"]),
                ("hasRecording=false&perPage=2", ["team", "s2"]), ("startedAfter=3000", ["s4"]),
                ("startedBefore=2000", ["s1"]), ("page=2&perPage=3", ["s1"]),
            ] as [(String, [String])])
        func `the log is read by what is wanted of it`(query: String, sessions: [String]) async throws {
            try await TestServer.with { server in
                try await fill(server)
                #expect(try await server.backEnd("GET", "/v1/calls?" + query).list("sessionId") == sessions)
            }
        }

        @Test(arguments: [
            ("type=smoke", "type"), ("status=done", "status"), ("direction=incoming", "direction"),
            ("startedAfter=soon", "startedAfter"), ("hasRecording=1", "hasRecording"), ("uid=a%20b", "uid"),
            ("order=asc", "order"),
        ])
        func `a condition that can't be is refused with its name`(query: String, field: String) async throws {
            try await TestServer.with { server in
                let answer = try await server.backEnd("GET", "/v1/calls?" + query)
                expect(answer, refuses: "ERR_BAD_REQUEST", field: field)
            }
        }

        @Test func `a user's own log tells whom it called and who called it`() async throws {
            try await TestServer.with { server in
                try await fill(server)
                for (query, sessions) in [
                    ("direction=incoming", ["s1"]), ("direction=outgoing", ["s2"]), ("uid=ann", ["s1"]),
                ] {
                    #expect(
                        try await server.user("ben", "GET", "/v1/calls?" + query).list("sessionId")
                            == sessions)
                }
            }
        }

        /// Four calls: ann rings ben, ben cancels one to eli, ann meets her team, eli's was recorded.
        private func fill(_ server: TestServer) async throws {
            func party(_ uid: String) -> CallParty { CallParty(uid: uid, name: uid.uppercased()) }
            func user(_ uid: String) -> CallReceiver {
                CallReceiver(kind: .user, id: uid, name: uid.uppercased())
            }
            let calls = [
                CallRecord(
                    id: "1", sessionID: "s1", meetingID: "m1", initiator: party("ann"), receiver: user("ben"),
                    mode: .call, status: .ended, initiatedAt: 1_000, startedAt: 1_500, endedAt: 4_500,
                    metadata: #"{"k":1}"#,
                    participants: [
                        CallParticipant(
                            id: "p", uid: "ben", name: "BEN", state: .ended, joinedAt: 1_500, leftAt: 4_500)
                    ]),
                CallRecord(
                    id: "2", sessionID: "s2", initiator: party("ben"), receiver: user("eli"), kind: .audio,
                    mode: .call, status: .cancelled, initiatedAt: 2_000),
                CallRecord(
                    id: "3", sessionID: "team", meetingID: "m3", initiator: party("ann"),
                    receiver: CallReceiver(kind: .group, id: "team", name: "Team"), mode: .meet,
                    status: .ended,
                    initiatedAt: 3_000, startedAt: 3_000, endedAt: 3_500),
                CallRecord(
                    id: "4", sessionID: "s4", initiator: party("eli"), receiver: user("eva"), mode: .call,
                    status: .ended, initiatedAt: 4_000, startedAt: 4_000, endedAt: 5_000,
                    recordings: [CallRecording(id: "r", url: "https://a/r", startedAt: 4_000)]),
            ]
            for call in calls { try await server.store.addCall(call) }
        }
    }
}
