import Meeting
import Testing

@Suite struct EventAlgebraTests {
    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func `each client's events applied to its snapshot give the server's state`(seed: UInt64) throws {
        var random = Seeded(state: seed)
        // A short log, so that some resume with events and some with a snapshot.
        var walk = Walk(
            room: Room(limits: MeetingLimits(maxParticipants: 60, maxWaiting: 6, eventLogEntries: 30)))
        try walk.room.join("anchor", scope: .owner)
        for step in 1...2_500 {
            walk.step(&random)
            if step % 100 == 0 { try walk.compare() }
        }
        try walk.finish()
        #expect(walk.room.clients.count > 5)
        try walk.compare()
        // The walk went everywhere.
        #expect(walk.snapshots > 0 && walk.replays > 0, "\(walk.snapshots) \(walk.replays)")
        #expect(walk.seen.count == 26, "\(walk.seen.sorted())")
    }

    @Test func `a thousand participants who come, go, drop and return all know the same`() throws {
        var random = Seeded(state: 77)
        var walk = Walk(
            room: Room(limits: MeetingLimits(maxParticipants: 1_000, eventLogEntries: 60)), users: 4_000)
        try walk.room.join("anchor", scope: .owner)
        for index in 1..<1_000 {
            try walk.join("first-\(index)")
            if index % 25 == 0 { walk.room.pass(250) }
        }
        #expect(throws: MeetingError.full(maxParticipants: 1_000)) { try walk.room.join("late") }
        for step in 1...3_000 {
            walk.comeOrGo(&random)
            // Each time a tenth of them, for there are many.
            if step % 1_000 == 0 { try walk.compare(endingIn: "\(step / 1_000 - 1)") }
        }
        try walk.finish()
        #expect(walk.room.clients.count > 500)
        try walk.compare()
        #expect(walk.snapshots > 5 && walk.replays > 5, "\(walk.snapshots) \(walk.replays)")
    }
}

/// A meeting in which everybody does something at random; the first one, its owner, stays.
private struct Walk {
    var room: Room
    var users = 60
    var replays = 0
    var snapshots = 0
    /// Names of events that anybody was told.
    var seen: Set<String> = []
    private var uids = 0
    /// Those who came in; some have gone.
    private var known: [ParticipantID] = []

    init(room: Room, users: Int = 60) {
        self.room = room
        self.users = users
        self.room.keepsOutputs = false
        self.room.entersAdmitted = true
    }

    private static let anchor = ParticipantID(rawValue: "p1")

    /// Somebody who is in, apart from the first.
    private mutating func somebody(_ random: inout Seeded) -> ParticipantID? {
        while let index = known.indices.randomElement(using: &random) {
            if room.clients[known[index]] != nil { return known[index] }
            known.swapAt(index, known.count - 1)
            known.removeLast()
        }
        return nil
    }

    /// Somebody who lost its socket, if there is one among a few.
    private mutating func somebodyLost(_ random: inout Seeded) -> ParticipantID? {
        for _ in 0..<20 {
            if let id = somebody(&random), room.offline.contains(id) { return id }
        }
        return nil
    }

    mutating func join(_ uid: String) throws(MeetingError) {
        known.append(try room.join(uid, device: "d"))
    }

    /// All are back and know everything.
    mutating func finish() throws {
        for id in Array(room.offline) { try resume(id) }
        room.pass(1_000)
    }

    /// Holds what everybody knows who has its socket against the server's state.
    ///
    /// - Parameter digit: of those alone whose id ends so.
    func compare(endingIn digit: String = "") throws {
        #expect(room.faults.isEmpty)
        for (id, model) in room.clients where !room.offline.contains(id) && id.rawValue.hasSuffix(digit) {
            let truth = try room.meeting.snapshot(for: id)
            #expect(model.differences(from: truth) == [])
        }
    }

    mutating func comeOrGo(_ random: inout Seeded) {
        let id = somebody(&random) ?? Self.anchor
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1, 2, 3: join(&random)
        case 4: room.meeting.leave(id, now: room.now)
        case 5, 6: room.drop(id)
        case 7, 8: if let lost = somebodyLost(&random) { try? resume(lost) }
        case 9: room.pass(Int64.random(in: 1...2_000, using: &random))
        case 10:
            _ = try? room.meeting.muteParticipant(
                .participant(id), by: .participant(Self.anchor), now: room.now)
        default: _ = try? room.meeting.raiseHand(id, now: room.now)
        }
        room.deliver()
    }

    mutating func step(_ random: inout Seeded) {
        room.keepsOutputs = true
        defer {
            seen.formUnion(room.outputs.compactMap { $0.event?.name })
            room.outputs = []
        }
        guard let id = somebody(&random), room.clients.count > 9 || Int.random(in: 0..<3, using: &random) == 0
        else { return join(&random) }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: comeOrGo(&random)
        case 1: own(id, &random)
        default: moderate(id, &random)
        }
        room.deliver()
    }

    // MARK: - Parts

    private mutating func join(_ random: inout Seeded) {
        uids += 1
        let scope = Int.random(in: 0..<6, using: &random) == 0 ? Scope.moderator : .participant
        let isHidden = Int.random(in: 0..<12, using: &random) == 0
        let request = room.request(
            uid: "u\(uids % users)", device: "d", scope: scope, grants: Grants(hidden: isHidden))
        guard let participant = try? room.meeting.beginJoin(request, now: room.now) else { return }
        if participant.state != .waiting { try? room.enter(request.id) }
        known.append(request.id)
        room.deliver()
    }

    private mutating func resume(_ id: ParticipantID) throws(MeetingError) {
        let before = room.clients[id]?.seq ?? 0
        let isReplay = try room.resume(id)
        if isReplay { replays += 1 } else { snapshots += 1 }
        precondition((room.clients[id]?.seq ?? 0) >= before)
    }

    private mutating func own(_ id: ParticipantID, _ random: inout Seeded) {
        let now = room.now
        switch Int.random(in: 0..<11, using: &random) {
        case 0: try? room.meeting.muteAudio(id, now: now)
        case 1: try? room.meeting.unmuteAudio(id, now: now)
        case 2: try? room.meeting.pauseVideo(id, now: now)
        case 3: try? room.meeting.resumeVideo(id, now: now)
        case 4: _ = try? room.meeting.raiseHand(id, now: now)
        case 5: _ = try? room.meeting.lowerHand(id, now: now)
        case 6: room.meeting.setDominantSpeaker(somebody(&random), now: now)
        case 7: try? room.meeting.setDisplayName(id, to: "n\(uids)", now: now)
        case 8: try? room.meeting.startScreenSharing(id, now: now)
        case 9: room.meeting.setConnectionQuality(Int.random(in: 0...5, using: &random), of: id, now: now)
        default:
            let seat = Seat(
                mid: "1", kind: .video, occupant: somebody(&random), source: .camera,
                muted: false)
            room.meeting.setSeats([seat], of: id, now: now)
            _ = try? room.meeting.sendMessage(
                Message.Draft(type: "chat", text: "hi"), from: id, messageID: "m", now: now)
        }
    }

    private mutating func moderate(_ id: ParticipantID, _ random: inout Seeded) {
        let now = room.now
        let by = Principal.participant(Self.anchor)
        let target = Target.participant(id)
        switch Int.random(in: 0..<14, using: &random) {
        case 0: _ = try? room.meeting.muteParticipant(target, lock: uids % 2 == 0, by: by, now: now)
        case 1: try? room.meeting.unlockParticipant(target, by: by, now: now)
        case 2: _ = try? room.meeting.pauseParticipantVideo(target, by: by, now: now)
        case 3: _ = try? room.meeting.stopParticipantScreenShare(target, by: by, now: now)
        case 4: try? room.meeting.askToUnmute(target, by: by, now: now)
        case 5: try? room.meeting.removeParticipant(target, banSeconds: 5, by: by, now: now)
        case 6: _ = try? room.meeting.lowerAllHands(by: by, now: now)
        case 7, 8:
            let scope = Scope.allCases.randomElement(using: &random) ?? .viewer
            try? room.meeting.setParticipantScope(target, to: scope, by: by, now: now)
        case 9: changeSettings(&random)
        case 10: _ = try? room.meeting.admit(.all, by: by, now: now)
        case 11:
            if let first = room.meeting.waiting.first {
                _ = try? room.meeting.deny(.one(first.id), by: by, now: now)
            }
        case 12: room.meeting.memberScopeChanged("u\(uids % users)", to: .viewer, by: .backEnd, now: now)
        default: _ = try? room.meeting.muteAll(kinds: [.audio, .video], by: by, now: now)
        }
    }

    private mutating func changeSettings(_ random: inout Seeded) {
        var settings = room.meeting.session.settings
        settings.waitingRoom = Bool.random(using: &random)
        settings.muteOnEntry = Bool.random(using: &random)
        settings.duplicateUser = Bool.random(using: &random) ? .allow : .replace
        settings.maxParticipants = Int.random(in: 20...60, using: &random)
        try? room.meeting.setSettings(settings, by: .backEnd, now: room.now)
        try? room.meeting.setTitle("t\(uids)", by: .backEnd, now: room.now)
    }
}
