import Meeting
import Testing

@Suite struct EventAlgebraTests {
    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func `each client's events applied to its snapshot give the server's state`(seed: UInt64) throws {
        var random = Seeded(state: seed)
        // A short log, so that some resume with events and some with a snapshot.
        var room = Room(limits: MeetingLimits(maxParticipants: 60, eventLogEntries: 120))
        var uids = 0
        try room.join("anchor")
        for _ in 0..<2_500 {
            step(&room, &random, &uids)
            if room.meeting.isOver { break }
        }
        let isOver = room.meeting.isOver
        try #require(!isOver)
        for id in Array(room.offline) { try room.resume(id) }
        room.pass(1_000)
        #expect(room.faults.isEmpty)
        #expect(room.clients.count > 5)
        for (id, model) in room.clients {
            let truth = try room.meeting.snapshot(for: id)
            #expect(model.faults.isEmpty)
            #expect(model.participants == truth.participants)
            #expect(model.hands == truth.hands)
            #expect(model.dominantSpeaker == truth.dominantSpeaker)
            #expect(model.seats == truth.seats)
            #expect(model.seq == truth.seq)
            #expect(model.present == Set(truth.participants.map(\.id)))
        }
    }

    private func step(_ room: inout Room, _ random: inout Seeded, _ uids: inout Int) {
        let now = room.now
        // The first one stays, so that the meeting does.
        let inside = room.clients.keys.filter { $0.rawValue != "p1" }.sorted { $0.rawValue < $1.rawValue }
        guard let id = inside.randomElement(using: &random),
            inside.count > 8 || Int.random(in: 0..<3, using: &random) == 0
        else {
            uids += 1
            let isHidden = Int.random(in: 0..<12, using: &random) == 0
            _ = try? room.join("u\(uids % 40)", device: "d", grants: Grants(hidden: isHidden))
            return
        }
        switch Int.random(in: 0..<15, using: &random) {
        case 0:
            uids += 1
            _ = try? room.join("u\(uids % 40)", device: "d")
        case 1 where Int.random(in: 0..<2, using: &random) == 0: room.meeting.leave(id, now: now)
        case 2: room.drop(id)
        case 3, 4: if room.offline.contains(id) { try? room.resume(id) }
        case 5: room.pass(Int64.random(in: 1...2_500, using: &random))
        case 6: room.pass(Int64.random(in: 1...200, using: &random))
        case 7: try? room.meeting.muteAudio(id, now: now)
        case 8: try? room.meeting.unmuteAudio(id, now: now)
        case 9: _ = try? room.meeting.raiseHand(id, now: now)
        case 10: _ = try? room.meeting.lowerHand(id, now: now)
        case 11: room.meeting.setDominantSpeaker(inside.randomElement(using: &random), now: now)
        case 12: try? room.meeting.setDisplayName(id, to: "n\(uids)", now: now)
        case 13: try? room.meeting.startScreenSharing(id, now: now)
        default:
            let seat = Seat(
                mid: "1", kind: .video, occupant: inside.randomElement(using: &random), source: .camera,
                muted: false)
            room.meeting.setSeats([seat], of: id, now: now)
        }
        room.deliver()
    }
}
