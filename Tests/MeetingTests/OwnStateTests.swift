import Meeting
import Testing

@Suite struct OwnStateTests {
    @Test func `muting stops the media before anybody is told`() throws {
        var room = Room()
        let a = try room.join("a")
        room.outputs = []
        try room.meeting.muteAudio(a, now: room.now)
        room.deliver()
        #expect(room.outputs.first == .setSource(.microphone, of: a, live: false))
        #expect(room.events(of: a) == ["participantAudioMuted"])
        try room.meeting.muteAudio(a, now: room.now)
        room.deliver()
        #expect(room.outputs.isEmpty)
    }

    @Test func `viewers publish nothing`() throws {
        var room = Room()
        let viewer = try room.join("v", scope: .viewer)
        let participant = try #require(room.meeting.participant(viewer))
        #expect(participant.audioMuted && participant.videoPaused)
        #expect(throws: MeetingError.publishNotAllowed(.microphone)) {
            try room.meeting.unmuteAudio(viewer, now: room.now)
        }
        #expect(throws: MeetingError.publishNotAllowed(.camera)) {
            try room.meeting.resumeVideo(viewer, now: room.now)
        }
        #expect(throws: MeetingError.publishNotAllowed(.screen)) {
            try room.meeting.startScreenSharing(viewer, now: room.now)
        }
    }

    @Test func `grants limit what is published`() throws {
        var room = Room()
        let a = try room.join("a", grants: Grants(publish: [.microphone]))
        #expect(room.meeting.participant(a)?.audioMuted == false)
        #expect(room.meeting.participant(a)?.videoPaused == true)
        #expect(throws: MeetingError.publishNotAllowed(.screen)) {
            try room.meeting.startScreenSharing(a, now: room.now)
        }
    }

    @Test func `a shared screen brings its sound, and takes it away`() throws {
        var room = Room()
        let a = try room.join("a")
        room.outputs = []
        try room.meeting.startScreenSharing(a, now: room.now)
        try room.meeting.stopScreenSharing(a, now: room.now)
        room.deliver()
        let effects = room.outputs.filter { if case .setSource = $0 { true } else { false } }
        #expect(
            effects == [
                .setSource(.screen, of: a, live: true), .setSource(.screenAudio, of: a, live: true),
                .setSource(.screen, of: a, live: false), .setSource(.screenAudio, of: a, live: false),
            ])
    }

    @Test func `hands keep the order in which they were raised`() throws {
        var room = Room()
        let ids = try ["a", "b", "c"].map { uid throws(MeetingError) in try room.join(uid) }
        for id in [ids[2], ids[0], ids[1]] { _ = try room.meeting.raiseHand(id, now: room.now) }
        let again = try room.meeting.raiseHand(ids[2], now: room.now + 5)
        #expect(again.map(\.participant) == [ids[2], ids[0], ids[1]])
        #expect(try room.meeting.lowerHand(ids[0], now: room.now).map(\.participant) == [ids[2], ids[1]])
        room.meeting.leave(ids[2], now: room.now)
        room.deliver()
        #expect(room.meeting.hands.map(\.participant) == [ids[1]])
        #expect(room.clients[ids[1]]?.hands.map(\.participant) == [ids[1]])
        #expect(try room.meeting.raiseHand(ids[0], now: room.now).map(\.participant) == [ids[1], ids[0]])
    }

    @Test func `two hundred hands at random are one queue for everyone`() throws {
        var random = Seeded(state: 9)
        var room = Room(limits: MeetingLimits(maxParticipants: 200))
        let ids = try (0..<200).map { index throws(MeetingError) in try room.join("u\(index)") }
        for _ in 0..<600 {
            guard let id = ids.randomElement(using: &random) else { continue }
            if Bool.random(using: &random) {
                _ = try room.meeting.raiseHand(id, now: room.now)
            } else {
                _ = try room.meeting.lowerHand(id, now: room.now)
            }
            room.deliver()
        }
        #expect(room.meeting.hands.count > 20)
        #expect(room.clients.values.allSatisfy { $0.hands == room.meeting.hands && $0.faults.isEmpty })
    }

    @Test func `a message reaches those listed and its sender, and nobody else`() throws {
        var room = Room()
        let ids = try ["a", "b", "c"].map { uid throws(MeetingError) in try room.join(uid) }
        room.outputs = []
        let draft = Message.Draft(type: "chat", text: "hi", to: [ids[1]])
        _ = try room.meeting.sendMessage(draft, from: ids[0], messageID: "m", now: room.now)
        room.deliver()
        let reached: [ParticipantID] = room.outputs.flatMap { output -> [ParticipantID] in
            guard case .event(_, _, let to) = output else { return [] }
            return to.map(\.participant)
        }
        #expect(reached == [ids[0], ids[1]])
    }

    @Test func `a message over the limits is refused`() throws {
        var room = Room()
        let a = try room.join("a")
        let refused = [
            Message.Draft(type: ""), Message.Draft(type: "t", text: String(repeating: "x", count: 65_537)),
            Message.Draft(type: "t", data: String(repeating: "1", count: 10_241)),
            Message.Draft(type: "t", to: []),
        ]
        for draft in refused {
            #expect(throws: MeetingError.self) {
                try room.meeting.sendMessage(draft, from: a, messageID: "m", now: room.now)
            }
        }
        let stranger = Message.Draft(type: "t", to: [ParticipantID(rawValue: "nobody")])
        #expect(throws: MeetingError.participantNotFound) {
            try room.meeting.sendMessage(stranger, from: a, messageID: "m", now: room.now)
        }
    }

    @Test func `who is muted or gone isn't speaking`() throws {
        var room = Room()
        let a = try room.join("a")
        let b = try room.join("b")
        room.meeting.setDominantSpeaker(a, now: room.now)
        try room.meeting.muteAudio(a, now: room.now)
        #expect(room.meeting.session.dominantSpeaker == nil)
        room.meeting.setDominantSpeaker(a, now: room.now)
        #expect(room.meeting.session.dominantSpeaker == nil)
        room.meeting.setDominantSpeaker(b, now: room.now)
        #expect(room.meeting.session.dominantSpeaker == b)
        room.meeting.leave(b, now: room.now)
        room.deliver()
        #expect(room.clients[a]?.dominantSpeaker == nil)
    }

    @Test func `only moderators name the session`() throws {
        var room = Room()
        let a = try room.join("a")
        let moderator = try room.join("m", scope: .moderator)
        #expect(throws: MeetingError.noModeratorScope) {
            try room.meeting.setTitle("x", by: a, now: room.now)
        }
        try room.meeting.setTitle("Weekly", by: moderator, now: room.now)
        room.deliver()
        #expect(room.clients[a]?.session.title == "Weekly")
    }

    @Test func `every error code has its own string and a status of the API`() {
        let statuses: Set<Int> = [400, 401, 403, 404, 405, 409, 413, 429, 500, 503]
        #expect(Set(ErrorCode.allCases.map(\.rawValue)).count == ErrorCode.allCases.count)
        #expect(ErrorCode.allCases.allSatisfy { statuses.contains($0.status) })
        #expect(ErrorCode.allCases.allSatisfy { $0.rawValue.contains("ERR_") })
    }
}
