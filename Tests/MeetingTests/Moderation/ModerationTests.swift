import Meeting
import Testing

@Suite struct ModerationTests {
    /// A meeting of a moderator and two others.
    private struct Three {
        var room = Room()
        let moderator: ParticipantID
        let a: ParticipantID
        let b: ParticipantID
        var m: Principal { .participant(moderator) }
        var author: Author { .participant(moderator, uid: "m") }

        init() throws {
            moderator = try room.join("m", scope: .moderator)
            a = try room.join("a")
            b = try room.join("b")
            room.pass(1_000)
            room.outputs = []
        }

        /// Performs something, and returns the events that somebody gets.
        mutating func events(
            of id: ParticipantID, _ body: (inout MeetingSession, Int64) throws(MeetingError) -> Void
        ) throws -> [SessionEvent] {
            room.outputs = []
            try body(&room.meeting, room.now)
            room.deliver()
            return room.outputs.compactMap { output in
                guard case .event(let event, _, let to) = output else { return nil }
                return to.contains { $0.participant == id } ? event : nil
            }
        }
    }

    @Test func `a muted participant is silent before anybody knows, and may unmute itself`() throws {
        var three = try Three()
        let (m, a) = (three.m, three.a)
        let events = try three.events(of: three.b) { meeting, now throws(MeetingError) in
            try meeting.muteParticipant(.participant(a), by: m, now: now)
        }
        #expect(three.room.outputs.first == .setSource(.microphone, of: a, live: false))
        let muted = try #require(three.room.meeting.participant(a))
        #expect(events == [.participantAudioMuted(muted, by: three.author)])
        #expect(muted.audioMuted && !muted.audioLocked)
        try three.room.meeting.unmuteAudio(a, now: three.room.now)
        #expect(three.room.meeting.participant(a)?.audioMuted == false)
    }

    @Test func `a locked microphone stays off until it is unlocked`() throws {
        var three = try Three()
        let (m, a) = (three.m, three.a)
        try three.room.meeting.muteAudio(a, now: three.room.now)
        let locking = try three.events(of: a) { meeting, now throws(MeetingError) in
            try meeting.muteParticipant(.participant(a), lock: true, by: m, now: now)
        }
        #expect(locking.map(\.name) == ["participantAudioMuted", "participantUpdated"])
        #expect(throws: MeetingError.audioLocked) {
            try three.room.meeting.unmuteAudio(a, now: three.room.now)
        }
        // Muting it again without lock opens nothing.
        let count = try three.room.meeting.muteParticipant(.participant(a), by: m, now: three.room.now)
        #expect(count == 0 && three.room.meeting.participant(a)?.audioLocked == true)
        let unlocking = try three.events(of: a) { meeting, now throws(MeetingError) in
            try meeting.unlockParticipant(.participant(a), by: m, now: now)
        }
        let unlocked = try #require(three.room.meeting.participant(a))
        #expect(unlocking == [.participantUpdated(unlocked, changed: ["audioLocked"])])
        #expect(unlocked.audioMuted)
        #expect(throws: Never.self) { try three.room.meeting.unmuteAudio(a, now: three.room.now) }
    }

    @Test func `video is paused and a share stopped, its sound too`() throws {
        var three = try Three()
        let (m, a) = (three.m, three.a)
        try three.room.meeting.startScreenSharing(a, now: three.room.now)
        three.room.deliver()
        three.room.outputs = []
        try three.room.meeting.pauseParticipantVideo(.user("a"), by: m, now: three.room.now)
        try three.room.meeting.stopParticipantScreenShare(.user("a"), by: m, now: three.room.now)
        three.room.deliver()
        let off = three.room.outputs.filter { if case .setSource = $0 { true } else { false } }
        #expect(
            off == [
                .setSource(.camera, of: a, live: false), .setSource(.screen, of: a, live: false),
                .setSource(.screenAudio, of: a, live: false),
            ])
        #expect(throws: Never.self) { try three.room.meeting.resumeVideo(a, now: three.room.now) }
    }

    @Test func `there is no remote unmute, only a question`() throws {
        var three = try Three()
        let (m, a) = (three.m, three.a)
        try three.room.meeting.muteAudio(a, now: three.room.now)
        three.room.deliver()
        let events = try three.events(of: a) { meeting, now throws(MeetingError) in
            try meeting.askToUnmute(.participant(a), by: m, now: now)
        }
        #expect(events == [.unmuteRequested(by: three.author)])
        #expect(three.room.events(of: three.b).isEmpty)
        #expect(three.room.meeting.participant(a)?.audioMuted == true)
    }

    @Test func `muting all silences everybody below before the first is told`() throws {
        var three = try Three()
        let admin = try three.room.join("admin", scope: .admin)
        let (m, a, b) = (three.m, three.a, three.b)
        three.room.outputs = []
        let affected = try three.room.meeting.muteAll(by: m, now: three.room.now)
        three.room.deliver()
        #expect(affected == 2)
        #expect(
            three.room.outputs.prefix(2) == [
                .setSource(.microphone, of: a, live: false), .setSource(.microphone, of: b, live: false),
            ])
        for id in [three.moderator, admin] {
            #expect(three.room.meeting.participant(id)?.audioMuted == false)
        }
        let again = try three.room.meeting.muteAll(by: m, now: three.room.now)
        #expect(again == 0)
        let later = try three.room.join("later")
        #expect(three.room.meeting.participant(later)?.audioMuted == false)
    }

    @Test func `muting all spares some, takes video, locks, and holds for those who join later`() throws {
        var three = try Three()
        let gone = ParticipantID(rawValue: "gone")
        let affected = try three.room.meeting.muteAll(
            kinds: [.audio, .video], except: [three.b, gone], lock: true, onEntry: true, by: three.m,
            now: three.room.now)
        #expect(affected == 1)
        let a = try #require(three.room.meeting.participant(three.a))
        #expect(a.audioMuted && a.audioLocked && a.videoPaused)
        #expect(three.room.meeting.participant(three.b)?.audioMuted == false)
        let later = try three.room.join("later")
        #expect(three.room.meeting.session.settings.muteOnEntry)
        #expect(throws: MeetingError.audioLocked) {
            try three.room.meeting.unmuteAudio(later, now: three.room.now)
        }
        let second = try three.room.join("second", scope: .moderator)
        #expect(three.room.meeting.participant(second)?.audioMuted == false)
        try three.room.meeting.muteAll(onEntry: false, by: three.m, now: three.room.now)
        let last = try three.room.join("last")
        #expect(three.room.meeting.participant(last)?.audioMuted == false)
    }

    @Test func `kinds are named, and a lock is for microphones`() throws {
        var three = try Three()
        #expect(throws: MeetingError.invalid(field: "kinds", reason: "must not be empty")) {
            try three.room.meeting.muteAll(kinds: [], by: three.m, now: three.room.now)
        }
        #expect(throws: MeetingError.self) {
            try three.room.meeting.muteParticipant(
                .user("a"), kinds: [.video], lock: true, by: three.m, now: three.room.now)
        }
        #expect(three.room.meeting.takeOutputs().isEmpty)
    }

    @Test func `a user is meant on all devices`() throws {
        var three = try Three()
        let desk = try three.room.join("a", device: "desk")
        let count = try three.room.meeting.muteParticipant(.user("a"), by: three.m, now: three.room.now)
        #expect(count == 2)
        #expect(three.room.meeting.participant(desk)?.audioMuted == true)
        #expect(three.room.meeting.participant(three.a)?.audioMuted == true)
    }

    @Test func `moderators lower hands, one or all below them and their own`() throws {
        var three = try Three()
        let admin = try three.room.join("admin", scope: .admin)
        for id in [three.b, admin, three.a, three.moderator] {
            _ = try three.room.meeting.raiseHand(id, now: three.room.now)
        }
        three.room.deliver()
        let (m, a) = (three.m, three.a)
        let events = try three.events(of: three.b) { meeting, now throws(MeetingError) in
            _ = try meeting.lowerParticipantHand(.participant(a), by: m, now: now)
        }
        let lowered = try #require(three.room.meeting.participant(a))
        #expect(
            events == [.participantHandLowered(lowered, three.room.meeting.hands, by: three.author)])
        #expect(lowered.raisedHandAt == 0)
        let affected = try three.room.meeting.lowerAllHands(by: m, now: three.room.now)
        #expect(affected == 2)
        #expect(three.room.meeting.hands.map(\.participant) == [admin])
        let rest = try three.room.meeting.lowerAllHands(by: .backEnd, now: three.room.now)
        #expect(rest == 1 && three.room.meeting.hands.isEmpty)
    }

    @Test func `a removed participant hears why, leaves, and stays out for a minute`() throws {
        var three = try Three()
        let (m, a) = (three.m, three.a)
        let events = try three.events(of: a) { meeting, now throws(MeetingError) in
            try meeting.removeParticipant(.participant(a), reason: "noise", by: m, now: now)
        }
        #expect(events == [.removed(by: three.author, reason: "noise"), .sessionLeft(.removed)])
        #expect(three.room.outputs.contains(.drop(a, .removed)))
        #expect(three.room.events(of: three.b).contains("participantLeft"))
        three.room.pass(59_999)
        #expect(throws: MeetingError.removed) { try three.room.join("a", device: "other") }
        #expect(throws: Never.self) { try three.room.join("c") }
        three.room.pass(1)
        #expect(throws: Never.self) { try three.room.join("a") }
    }

    @Test func `a ban lasts as long as it is told to, and into the next meeting`() throws {
        var three = try Three()
        try three.room.meeting.removeParticipant(
            .user("a"), banSeconds: 0, by: three.m, now: three.room.now)
        let again = try three.room.join("a")
        try three.room.meeting.removeParticipant(
            .participant(again), banSeconds: -1, by: three.m, now: three.room.now)
        try three.room.meeting.removeParticipant(
            .user("b"), banSeconds: 10, by: three.m, now: three.room.now)
        three.room.pass(100_000_000)
        let isOver = three.room.meeting.isOver
        #expect(isOver)
        let bans = three.room.meeting.bans
        let end = try #require(bans["b"])
        #expect(bans["a"] == .max && three.room.meeting.bansRunningOn(at: end - 1) == ["b": end])
        #expect(three.room.meeting.bansRunningOn(at: end).isEmpty)
        var next = MeetingSession(
            sessionID: "room", meetingID: "next", bans: ["b": three.room.now + 5], now: three.room.now)
        let request = three.room.request(uid: "b")
        #expect(throws: MeetingError.removed) { try next.beginJoin(request, now: three.room.now + 4) }
        #expect(throws: Never.self) { try next.beginJoin(request, now: three.room.now + 5) }
        for seconds in [-2, 31_536_001, Int.min, Int.max] {
            var three = try Three()
            #expect(throws: MeetingError.self) {
                try three.room.meeting.removeParticipant(
                    .user("a"), banSeconds: seconds, by: three.m, now: three.room.now)
            }
        }
    }

    @Test func `a ban for the meeting's life doesn't end before it`() throws {
        var three = try Three()
        try three.room.meeting.removeParticipant(
            .user("a"), banSeconds: -1, by: three.m, now: three.room.now)
        three.room.pass(3_000_000_000)
        #expect(throws: MeetingError.removed) { try three.room.join("a") }
        #expect(throws: Never.self) { try three.room.join("c") }
    }

    @Test func `somebody who is just joining is removed with the rest of the user`() throws {
        var three = try Three()
        let request = three.room.request(uid: "a", device: "desk")
        _ = try three.room.meeting.beginJoin(request, now: three.room.now)
        try three.room.meeting.removeParticipant(.user("a"), by: three.m, now: three.room.now)
        three.room.deliver()
        #expect(three.room.outputs.contains(.drop(request.id, .removed)))
        #expect(throws: MeetingError.notInSession) {
            try three.room.meeting.completeJoin(request.id, seats: [], now: three.room.now)
        }
    }
}
