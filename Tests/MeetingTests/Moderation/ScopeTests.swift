import Meeting
import Testing

@Suite struct ScopeTests {
    @Test func `a demoted participant is switched off before it loses the right`() throws {
        var room = Room()
        let owner = try room.join("o", scope: .owner)
        let a = try room.join("a")
        try room.meeting.startScreenSharing(a, now: room.now)
        room.deliver()
        room.outputs = []
        try room.meeting.setParticipantScope(
            .participant(a), to: .viewer, by: .participant(owner), now: room.now)
        room.deliver()
        let effects = room.outputs.filter { if case .event = $0 { false } else { true } }
        #expect(
            effects == [
                .setSource(.microphone, of: a, live: false), .setSource(.camera, of: a, live: false),
                .setSource(.screen, of: a, live: false), .setSource(.screenAudio, of: a, live: false),
                .setPermissions(a, publish: []),
            ])
        #expect(
            room.events(of: owner) == [
                "participantAudioMuted", "participantVideoPaused", "participantStoppedScreenShare",
                "participantUpdated",
            ])
        #expect(throws: MeetingError.publishNotAllowed(.microphone)) {
            try room.meeting.unmuteAudio(a, now: room.now)
        }
    }

    @Test func `a promoted viewer may publish what its token grants, and starts muted`() throws {
        var room = Room()
        let moderator = try room.join("m", scope: .moderator)
        let viewer = try room.join("v", scope: .viewer, grants: Grants(publish: [.microphone]))
        room.outputs = []
        try room.meeting.setParticipantScope(
            .participant(viewer), to: .participant, by: .participant(moderator), now: room.now)
        room.deliver()
        #expect(room.outputs.first == .setPermissions(viewer, publish: [.microphone]))
        #expect(room.events(of: moderator) == ["participantUpdated"])
        #expect(room.meeting.participant(viewer)?.audioMuted == true)
        #expect(throws: Never.self) { try room.meeting.unmuteAudio(viewer, now: room.now) }
        #expect(throws: MeetingError.publishNotAllowed(.camera)) {
            try room.meeting.resumeVideo(viewer, now: room.now)
        }
    }

    @Test func `nobody gives a scope of its own height, nor ownership`() throws {
        var room = Room()
        let owner = try room.join("o", scope: .owner)
        let admin = try room.join("a", scope: .admin)
        try room.join("p")
        let target = Target.user("p")
        func refuse(_ scope: Scope, _ principal: Principal, _ error: MeetingError) {
            #expect(throws: error) {
                try room.meeting.setParticipantScope(target, to: scope, by: principal, now: room.now)
            }
        }
        refuse(.admin, .participant(admin), .noClearance)
        refuse(.owner, .participant(owner), .invalidScope)
        refuse(.owner, .backEnd, .invalidScope)
        refuse(.participant, .participant(admin), .sameScope)
        let uid = try room.meeting.checkParticipantScope(.moderator, of: target, by: .participant(admin))
        #expect(uid == "p")
        #expect(room.meeting.takeOutputs().isEmpty)
        try room.meeting.setParticipantScope(target, to: .admin, by: .participant(owner), now: room.now)
        #expect(room.meeting.roster.last?.scope == .admin)
    }

    @Test func `the scope of the moment decides, not the one somebody joined with`() throws {
        var room = Room(guid: "room")
        let m = try room.join("m", scope: .moderator)
        try room.join("p")
        try room.meeting.muteParticipant(.user("p"), by: .participant(m, scope: .moderator), now: room.now)
        #expect(throws: MeetingError.noModeratorScope) {
            try room.meeting.removeParticipant(
                .user("p"), by: .participant(m, scope: .participant), now: room.now)
        }
        room.meeting.memberScopeChanged("m", to: .participant, by: .backEnd, now: room.now)
        #expect(throws: MeetingError.noModeratorScope) {
            try room.meeting.removeParticipant(.user("p"), by: .participant(m), now: room.now)
        }
        #expect(room.meeting.participant(m)?.scope == .participant)
    }

    @Test func `in presenter mode few publish and all may watch`() throws {
        var settings = SessionSettings(maxParticipants: 10)
        settings.mode = .presenter
        settings.maxPresenters = 2
        var room = Room(settings: settings)
        let host = try room.join("host", device: "d", scope: .moderator)
        let second = try room.join("second")
        #expect(throws: MeetingError.presenterLimit(maxPresenters: 2)) { try room.join("third") }
        #expect(throws: Never.self) { try room.join("receiver", grants: Grants(publish: [])) }
        let viewer = try room.join("viewer", scope: .viewer)
        #expect(throws: MeetingError.presenterLimit(maxPresenters: 2)) {
            try room.meeting.setParticipantScope(
                .participant(viewer), to: .participant, by: .participant(host), now: room.now)
        }
        // The host's own device comes back into its place: it is one presenter before, during and after.
        room.meeting.leave(second, now: room.now)
        let takeover = room.request(uid: "host", device: "d", scope: .moderator)
        _ = try room.meeting.beginJoin(takeover, now: room.now)
        let third = try room.join("third")
        room.meeting.cancelJoin(takeover.id, now: room.now)
        let again = try room.join("host", device: "d", scope: .moderator)
        #expect(throws: MeetingError.presenterLimit(maxPresenters: 2)) { try room.join("fourth") }
        room.meeting.leave(third, now: room.now)
        try room.meeting.setParticipantScope(
            .participant(viewer), to: .participant, by: .participant(again), now: room.now)
        #expect(throws: MeetingError.presenterLimit(maxPresenters: 2)) { try room.join("third") }
    }

    @Test func `a scope that the group gives takes a presenter's place when one is free and it is used`()
        throws
    {
        var settings = SessionSettings(maxParticipants: 10)
        settings.mode = .presenter
        settings.maxPresenters = 2
        var room = Room(settings: settings, guid: "room")
        let host = try room.join("host", scope: .owner)
        let first = try room.join("first")
        let late = try room.join("late", scope: .viewer)
        room.meeting.memberScopeChanged("late", to: .participant, by: .backEnd, now: room.now)
        #expect(room.meeting.participant(late)?.scope == .participant)
        let full = MeetingError.presenterLimit(maxPresenters: 2)
        #expect(room.meeting.publishable(by: late) == [])
        #expect(throws: full) { try room.meeting.unmuteAudio(late, now: room.now) }
        #expect(throws: full) { try room.meeting.resumeVideo(late, now: room.now) }
        #expect(throws: full) { try room.meeting.startScreenSharing(late, now: room.now) }
        room.meeting.memberScopeChanged("first", to: .viewer, by: .backEnd, now: room.now)
        room.deliver()
        room.outputs = []
        try room.meeting.resumeVideo(late, now: room.now)
        room.deliver()
        #expect(
            room.outputs.prefix(2) == [
                .setPermissions(late, publish: Set(Source.allCases)),
                .setSource(.camera, of: late, live: true),
            ])
        // It has the place now: whoever had it is to wait in turn.
        room.meeting.memberScopeChanged("first", to: .participant, by: .backEnd, now: room.now)
        #expect(throws: full) { try room.meeting.unmuteAudio(first, now: room.now) }
        room.meeting.leave(host, now: room.now)
        #expect(throws: Never.self) { try room.meeting.unmuteAudio(first, now: room.now) }
    }
}
