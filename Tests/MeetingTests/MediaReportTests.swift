import Testing

@testable import Meeting

/// What the media workers report, and who is told of it.
@Suite struct MediaReportTests {
    private func events(_ room: inout Room, of id: ParticipantID) -> [SessionEvent] {
        defer { room.outputs = [] }
        return room.outputs.filter { $0.recipients.contains(id) }.compactMap(\.event)
    }

    private func wanting(_ room: inout Room, _ uid: String) throws(MeetingError) -> ParticipantID {
        var request = room.request(uid: uid)
        request.wantsActiveSpeakers = true
        _ = try room.meeting.beginJoin(request, now: room.now)
        room.clients[request.id] = ClientModel(
            try room.meeting.completeJoin(request.id, seats: [], now: room.now))
        room.deliver()
        return request.id
    }

    @Test func `who speaks is told to those who want to know, without those whom nobody hears`() throws {
        var room = Room()
        let (a, b) = (try room.join("a"), try room.join("b"))
        let hidden = try room.join("h", grants: Grants(hidden: true))
        let curious = try wanting(&room, "c")
        room.outputs = []
        let all = [a, b, hidden, ParticipantID(rawValue: "nobody")].map {
            ActiveSpeaker(participant: $0, level: 90)
        }
        room.meeting.setActiveSpeakers(all, now: room.now)
        room.meeting.setActiveSpeakers(all, now: room.now)
        room.deliver()
        #expect(room.outputs.count == 1)
        #expect(room.outputs.first?.recipients == [curious])
        #expect(events(&room, of: curious) == [.activeSpeakersChanged(Array(all[..<2]))])
        try room.meeting.muteAudio(a, now: room.now)
        room.deliver()
        #expect(events(&room, of: curious).first == .activeSpeakersChanged([all[1]]))
        // A report that was on its way doesn't bring it back.
        room.meeting.setActiveSpeakers(all, now: room.now)
        room.meeting.leave(b, now: room.now)
        room.deliver()
        #expect(events(&room, of: curious).first == .activeSpeakersChanged([]))
        #expect(room.faults.isEmpty)
    }

    @Test func `whoever comes while somebody speaks is told, and after a snapshot in any case`() throws {
        var room = Room(limits: MeetingLimits(eventLogEntries: 4))
        let a = try room.join("a")
        let speaking = [ActiveSpeaker(participant: a, level: 80)]
        room.meeting.setActiveSpeakers(speaking, now: room.now)
        room.outputs = []
        let curious = try wanting(&room, "c")
        #expect(events(&room, of: curious).last == .activeSpeakersChanged(speaking))
        room.drop(curious)
        room.meeting.setActiveSpeakers([], now: room.now)
        for number in 0..<10 { try room.meeting.setDisplayName(a, to: "a\(number)", now: room.now) }
        room.deliver()
        room.outputs = []
        #expect(try room.resume(curious) == false)
        #expect(events(&room, of: curious).contains(.activeSpeakersChanged([])))
    }

    @Test func `a hint goes to the publisher alone, also if it came before its join or was lost`() throws {
        var room = Room(limits: MeetingLimits(eventLogEntries: 4))
        let other = try room.join("o")
        let request = room.request(uid: "p")
        _ = try room.meeting.beginJoin(request, now: room.now)
        let hints = [EncodingHint(mid: "1", rid: "f", active: false, maxBitrateBps: nil)]
        room.meeting.setPublishHints(hints, of: request.id, now: room.now)
        room.deliver()
        room.outputs = []
        try room.enter(request.id)
        #expect(room.outputs.filter { $0.event == .publishHint(hints) }.map(\.recipients) == [[request.id]])
        room.outputs = []
        room.meeting.setPublishHints(hints, of: request.id, now: room.now)
        room.deliver()
        #expect(room.outputs.isEmpty, "it is known")
        room.drop(request.id)
        for number in 0..<10 { try room.meeting.setDisplayName(other, to: "o\(number)", now: room.now) }
        room.deliver()
        room.outputs = []
        #expect(try room.resume(request.id) == false)
        #expect(events(&room, of: request.id).contains(.publishHint(hints)))
    }

    @Test func `in a large meeting scores are told one after the other, the latest of each`() throws {
        var room = Room(limits: MeetingLimits(maxParticipants: 400))
        let ids = try (0..<200).map { index throws(MeetingError) in try room.join("u\(index)") }
        room.outputs = []
        for id in ids { room.meeting.setConnectionQuality(2, of: id, now: room.now) }
        for id in ids { room.meeting.setConnectionQuality(4, of: id, now: room.now) }
        func told() -> Int { room.outputs.count { $0.event?.name == "connectionQuality" } }
        room.deliver()
        #expect(told() == 1)
        room.outputs = []
        for _ in 0..<100 { room.pass(100) }
        #expect(told() == 100)
        for _ in 0..<200 { room.pass(100) }
        #expect(ids.allSatisfy { room.meeting.participant($0)?.connectionQuality == 4 })
        // The first one had been told of 2.
        #expect(told() == 200)
        #expect(room.meeting.nextDeadline == nil)
        #expect(room.clients.values.allSatisfy { $0.faults.isEmpty })
    }

    @Test func `a change of what media obey is put out before it is told, and nothing else is`() throws {
        var room = Room()
        let a = try room.join("a")
        room.outputs = []
        var settings = room.meeting.session.settings
        settings.maxAudible = 2
        try room.meeting.setSettings(settings, by: .backEnd, now: room.now)
        room.deliver()
        #expect(room.outputs.first == .setLimits(settings))
        #expect(room.outputs.last?.recipients == [a])
        room.outputs = []
        settings.locked = true
        try room.meeting.setSettings(settings, by: .backEnd, now: room.now)
        room.deliver()
        #expect(room.outputs.count == 1)
    }
}
