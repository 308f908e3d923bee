import Meeting
import Testing

@Suite struct SettingsTests {
    @Test func `a locked session takes moderators and those who are in, and nobody else`() throws {
        var room = Room()
        let host = try room.join("host", device: "d", scope: .moderator)
        let a = try room.join("a", device: "d")
        try room.meeting.lockSession(by: .participant(host), now: room.now)
        room.deliver()
        #expect(room.clients[a]?.session.settings.locked == true)
        #expect(throws: MeetingError.locked) { try room.join("b") }
        #expect(throws: MeetingError.locked) { try room.join("a", device: "other") }
        #expect(throws: Never.self) { try room.join("second", scope: .moderator) }
        #expect(throws: Never.self) { try room.join("a", device: "d") }
        room.drop(host)
        room.pass(5_000)
        #expect(throws: Never.self) { try room.resume(host) }
        try room.meeting.unlockSession(by: .participant(host), now: room.now)
        #expect(throws: Never.self) { try room.join("b") }
        room.deliver()
        room.outputs = []
        try room.meeting.unlockSession(by: .participant(host), now: room.now)
        room.deliver()
        #expect(room.outputs.isEmpty)
    }

    @Test func `fewer places remove nobody, and let nobody in until enough have left`() throws {
        var room = Room(limits: MeetingLimits(maxParticipants: 4))
        let ids = try ["a", "b", "c", "d"].map { uid throws(MeetingError) in try room.join(uid) }
        try room.meeting.setCapacity(2, by: .backEnd, now: room.now)
        room.deliver()
        #expect(room.meeting.roster.count == 4)
        #expect(room.clients[ids[0]]?.session.maxParticipants == 2)
        room.meeting.leave(ids[1], now: room.now)
        room.meeting.leave(ids[2], now: room.now)
        #expect(throws: MeetingError.full(maxParticipants: 2)) { try room.join("e") }
        room.meeting.leave(ids[3], now: room.now)
        #expect(throws: Never.self) { try room.join("e") }
        try room.meeting.setCapacity(3, by: .backEnd, now: room.now)
        #expect(throws: Never.self) { try room.join("f") }
    }

    @Test(arguments: [0, -1, Int.min, SessionSettings.mostParticipants + 1, Int.max])
    func `a session has at least one place, and not without end`(places: Int) {
        var room = Room()
        #expect(throws: MeetingError.self) {
            try room.meeting.setCapacity(places, by: .backEnd, now: room.now)
        }
        #expect(room.meeting.session.maxParticipants == 100)
    }

    @Test func `settings that no session can have are refused by their names`() {
        let wrong: [(String, (inout SessionSettings) -> Void)] = [
            ("maxPresenters", { $0.maxPresenters = -1 }),
            ("idleTimeoutSeconds", { $0.idleTimeoutSeconds = -1 }),
            ("maxVideoSeats", { $0.maxVideoSeats = -1 }), ("maxAudible", { $0.maxAudible = -1 }),
            ("maxBitrateUpBps", { $0.maxBitrateUpBps = 0 }),
            ("maxBitrateDownBps", { $0.maxBitrateDownBps = 0 }),
            ("maxParticipants", { $0.maxParticipants = 0 }),
        ]
        for (name, edit) in wrong {
            var settings = SessionSettings()
            edit(&settings)
            do throws(MeetingError) {
                try settings.check()
                Issue.record("\(name) was taken")
            } catch {
                var refused: String?
                if case .invalid(let field, _) = error { refused = field }
                #expect(refused == name)
            }
        }
        #expect(throws: Never.self) { try SessionSettings().check() }
    }

    @Test func `a user on a second device is let in, replaced or refused`() throws {
        var settings = SessionSettings(maxParticipants: 2)
        settings.duplicateUser = .replace
        var room = Room(settings: settings)
        let phone = try room.join("a", device: "phone")
        try room.join("b")
        let desk = try room.join("a", device: "desk")
        #expect(room.outputs.contains(.drop(phone, .replaced)))
        let nameless = try room.join("a")
        #expect(room.outputs.contains(.drop(desk, .replaced)))
        #expect(room.meeting.roster.map(\.uid) == ["b", "a"])

        settings.duplicateUser = .refuse
        try room.meeting.setSettings(settings, by: .backEnd, now: room.now)
        #expect(throws: MeetingError.alreadyInSession) { try room.join("a", device: "phone") }
        #expect(throws: MeetingError.alreadyInSession) { try room.join("a") }
        room.meeting.leave(nameless, now: room.now)
        let back = try room.join("a", device: "phone")
        #expect(throws: Never.self) { try room.join("a", device: "phone") }
        #expect(room.meeting.participant(back) == nil)
    }

    @Test func `of racing joins of one user that may be in once, one is left`() throws {
        var settings = SessionSettings()
        settings.duplicateUser = .replace
        var room = Room(settings: settings)
        let requests = ["phone", "desk"].map { room.request(uid: "a", device: $0) }
        for request in requests { _ = try room.meeting.beginJoin(request, now: room.now) }
        for request in requests { _ = try room.meeting.completeJoin(request.id, seats: [], now: room.now) }
        #expect(room.meeting.roster.map(\.id) == [requests[1].id])

        settings.duplicateUser = .refuse
        var other = Room(settings: settings)
        _ = try other.meeting.beginJoin(requests[0], now: other.now)
        #expect(throws: MeetingError.alreadyInSession) {
            try other.meeting.beginJoin(requests[1], now: other.now)
        }
    }

    @Test func `whoever ends the session ends it for all`() throws {
        var room = Room()
        let host = try room.join("host", scope: .moderator)
        let a = try room.join("a")
        let joining = room.request(uid: "b")
        _ = try room.meeting.beginJoin(joining, now: room.now)
        room.outputs = []
        try room.meeting.endSession(reason: "time is up", by: .participant(host), now: room.now)
        room.deliver()
        for id in [host, a, joining.id] { #expect(room.outputs.contains(.drop(id, .ended))) }
        #expect(room.outputs.first?.event == .sessionEnded(reason: "time is up"))
        #expect(room.outputs.last == .over)
        #expect(room.events(of: a) == ["sessionEnded", "sessionLeft"])
        #expect(throws: MeetingError.over) {
            try room.meeting.endSession(by: .participant(host), now: room.now)
        }
    }

    @Test func `all are told that the server stops, those who wait too`() throws {
        var settings = SessionSettings()
        settings.waitingRoom = true
        var room = Room(settings: settings)
        let host = try room.join("host", scope: .moderator)
        let waiting = try room.wait("a")
        room.outputs = []
        room.meeting.announceDraining(deadlineAt: 5, now: room.now)
        room.deliver()
        #expect(room.outputs.first?.event == .serverDraining(deadlineAt: 5))
        #expect(room.outputs.first?.recipients == [host, waiting])
        // Of several deadlines the earliest counts, and is told once.
        room.outputs = []
        for deadlineAt in [5, 6] as [Int64] {
            room.meeting.announceDraining(deadlineAt: deadlineAt, now: room.now)
        }
        room.deliver()
        #expect(room.outputs.isEmpty)
        room.meeting.announceDraining(deadlineAt: 4, now: room.now)
        room.meeting.remindOfDraining(waiting, now: room.now)
        room.deliver()
        #expect(
            room.outputs.map(\.event) == [.serverDraining(deadlineAt: 4), .serverDraining(deadlineAt: 4)])
        #expect(room.outputs.last?.recipients == [waiting])
    }
}
