import Meeting
import Testing

@Suite struct IdleTests {
    private func room(idle: Int) -> Room {
        var settings = SessionSettings()
        settings.idleTimeoutSeconds = idle
        return Room(settings: settings)
    }

    @Test func `somebody alone is warned a minute before, then has to leave`() throws {
        var room = room(idle: 300)
        let a = try room.join("a")
        room.pass(1_000)
        _ = room.events(of: a)
        #expect(room.meeting.nextDeadline == room.now + 239_000)
        room.pass(238_999)
        #expect(room.events(of: a).isEmpty)
        room.pass(1)
        #expect(room.outputs.first?.event == .idleWarning(secondsLeft: 60))
        #expect(room.events(of: a) == ["idleWarning"])
        #expect(room.meeting.nextDeadline == room.now + 60_000)
        room.pass(59_999)
        #expect(room.events(of: a).isEmpty)
        room.pass(1)
        #expect(room.outputs.contains(.drop(a, .timeout)))
        #expect(room.outputs.last == .over)
        #expect(room.events(of: a) == ["sessionTimedOut", "sessionLeft"])
    }

    @Test func `company stops the clock, and being left alone starts it again`() throws {
        var room = room(idle: 100)
        let a = try room.join("a")
        room.pass(90_000)
        let b = try room.join("b")
        room.pass(1_000_000)
        #expect(room.meeting.roster.count == 2)
        room.meeting.leave(b, now: room.now)
        room.deliver()
        _ = room.events(of: a)
        room.pass(39_999)
        #expect(!room.events(of: a).contains("idleWarning"))
        room.pass(1)
        #expect(room.events(of: a) == ["idleWarning"])
    }

    @Test func `a lost one is company until it is given up, a hidden one never`() throws {
        var room = room(idle: 10)
        let a = try room.join("a")
        let b = try room.join("b")
        room.drop(b)
        room.pass(29_999)
        #expect(room.meeting.participant(a) != nil)
        room.pass(1)
        try room.join("ghost", grants: Grants(hidden: true))
        room.pass(10_000)
        let isOver = room.meeting.isOver
        #expect(isOver)
    }

    @Test func `a short timeout warns at once of what is left, none never ends`() throws {
        var short = room(idle: 20)
        let a = try short.join("a")
        short.pass(1_500)
        #expect(short.outputs.contains { $0.event == .idleWarning(secondsLeft: 19) })
        short.pass(18_500)
        #expect(short.meeting.participant(a) == nil)
        var endless = room(idle: 0)
        try endless.join("a")
        endless.pass(1_000)
        #expect(endless.meeting.nextDeadline == nil)
    }
}
