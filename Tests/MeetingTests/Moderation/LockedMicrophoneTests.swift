import Meeting
import Testing

struct LockedMicrophoneTests {
    private func locked() throws -> (room: Room, moderator: Principal, user: ParticipantID) {
        var room = Room()
        let m = try room.join("m", scope: .moderator)
        let user = try room.join("a", device: "phone")
        try room.meeting.muteParticipant(.participant(user), lock: true, by: .participant(m), now: room.now)
        return (room, .participant(m), user)
    }

    @Test func `a locked microphone stays locked when its user comes in again`() throws {
        var (room, moderator, user) = try locked()
        room.meeting.leave(user, now: room.now)
        room.deliver()
        let again = try room.join("a", device: "phone")
        #expect(room.meeting.participant(again)?.audioMuted == true)
        #expect(throws: MeetingError.audioLocked) { try room.meeting.unmuteAudio(again, now: room.now) }
        try room.meeting.unlockParticipant(.user("a"), by: moderator, now: room.now)
        #expect(throws: Never.self) { try room.meeting.unmuteAudio(again, now: room.now) }
        // Nothing of the lock is left then.
        room.meeting.leave(again, now: room.now)
        let third = try room.join("a", device: "phone")
        #expect(room.meeting.participant(third)?.audioLocked == false)
    }

    @Test func `another device of the user is locked too`() throws {
        var (room, _, _) = try locked()
        let laptop = try room.join("a", device: "laptop")
        #expect(room.meeting.participant(laptop)?.audioLocked == true)
        let other = try room.join("b")
        #expect(room.meeting.participant(other)?.audioLocked == false)
    }

    @Test func `whoever is on its way in is muted by what is said meanwhile`() throws {
        var room = Room()
        let m = Principal.participant(try room.join("m", scope: .moderator))
        _ = try room.join("a", device: "phone")
        func isStricter(_ id: ParticipantID) -> Bool { room.meeting.recheckEntry(id, now: room.now) }
        let laptop = room.request(uid: "a", device: "laptop")
        let other = room.request(uid: "b")
        for request in [laptop, other] { _ = try room.meeting.beginJoin(request, now: room.now) }
        #expect(!isStricter(laptop.id))
        room.deliver()
        room.outputs = []
        try room.meeting.muteParticipant(.user("a"), lock: true, by: m, now: room.now)
        #expect(isStricter(laptop.id))
        #expect(!isStricter(laptop.id))
        #expect(room.meeting.participant(laptop.id)?.audioLocked == true)
        #expect(!isStricter(other.id))
        try room.meeting.muteAll(onEntry: true, by: m, now: room.now)
        #expect(isStricter(other.id))
        #expect(room.meeting.participant(other.id)?.audioMuted == true)
        #expect(room.meeting.participant(other.id)?.audioLocked == false)
        room.deliver()
        let off = [laptop, other].map { Output.setSource(.microphone, of: $0.id, live: false) }
        #expect(off.allSatisfy(room.outputs.contains))
    }

    @Test func `whoever comes back as a moderator isn't locked`() throws {
        var (room, _, user) = try locked()
        room.meeting.leave(user, now: room.now)
        let again = try room.join("a", scope: .moderator)
        #expect(room.meeting.participant(again)?.audioLocked == false)
    }

    /// The sources of somebody that are switched on and off, in order.
    private func switches(_ room: inout Room, of id: ParticipantID, _ source: Source) -> [Bool] {
        room.deliver()
        defer { room.outputs = [] }
        return room.outputs.compactMap { output in
            guard case .setSource(source, of: id, let live) = output else { return nil }
            return live
        }
    }

    @Test func `whoever is locked is heard from no source, whatever it calls its microphone`() throws {
        var (room, moderator, a) = try locked()
        let b = try room.join("b")
        try room.meeting.startScreenSharing(a, now: room.now)
        #expect(room.meeting.participant(a)?.isPresenting == true)
        #expect(switches(&room, of: a, .screenAudio) == [false], "by the lock")
        try room.meeting.startScreenSharing(b, now: room.now)
        #expect(switches(&room, of: b, .screenAudio) == [true])
        try room.meeting.muteParticipant(.participant(b), lock: true, by: moderator, now: room.now)
        #expect(switches(&room, of: b, .screenAudio) == [false])
        // Nobody is unmuted by somebody else: the sound comes back when its participant says so.
        try room.meeting.unlockParticipant(.participant(b), by: moderator, now: room.now)
        #expect(switches(&room, of: b, .screenAudio) == [])
        try room.meeting.unmuteAudio(b, now: room.now)
        #expect(switches(&room, of: b, .screenAudio) == [true])
    }

    @Test func `who was muted already is silenced by the lock, and all are at once`() throws {
        var room = Room()
        let m = Principal.participant(try room.join("m", scope: .moderator))
        let (a, b) = (try room.join("a"), try room.join("b"))
        for id in [a, b] {
            try room.meeting.startScreenSharing(id, now: room.now)
            try room.meeting.muteAudio(id, now: room.now)
        }
        room.deliver()
        room.outputs = []
        try room.meeting.muteAll(lock: true, by: m, now: room.now)
        room.deliver()
        #expect(
            room.outputs.prefix(2) == [
                .setSource(.screenAudio, of: a, live: false), .setSource(.screenAudio, of: b, live: false),
            ])
        // A mute without lock takes the microphone alone: it may be unmuted anyway.
        let c = try room.join("c")
        try room.meeting.startScreenSharing(c, now: room.now)
        #expect(switches(&room, of: c, .screenAudio) == [true])
        try room.meeting.muteParticipant(.participant(c), by: m, now: room.now)
        #expect(switches(&room, of: c, .screenAudio) == [])
    }

    @Test func `so many who left are remembered, and no more`() throws {
        var limits = MeetingLimits(maxParticipants: 100)
        limits.maxLockedOutside = 3
        var room = Room(limits: limits)
        let m = Principal.participant(try room.join("m", scope: .moderator))
        for number in 0..<5 {
            let user = try room.join("u\(number)")
            try room.meeting.muteParticipant(.participant(user), lock: true, by: m, now: room.now)
            room.meeting.leave(user, now: room.now)
        }
        var locked = 0
        for number in 0..<5 {
            let user = try room.join("u\(number)")
            if room.meeting.participant(user)?.audioLocked == true { locked += 1 }
        }
        #expect(locked == 3)
    }
}
