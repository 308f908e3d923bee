import Meeting
import Testing

@Suite struct MessageTests {
    @Test func `who joins later sees nothing of what was said before`() throws {
        var room = Room()
        let a = try room.join("a")
        try room.meeting.sendMessage(
            Message.Draft(type: "chat", text: "early"), from: a, messageID: "1", now: room.now)
        room.deliver()
        let b = try room.join("b")
        #expect(!room.events(of: b).contains("message"))
        room.drop(b)
        try room.meeting.sendMessage(
            Message.Draft(type: "chat", text: "late"), from: a, messageID: "2", now: room.now)
        let seq = try #require(room.clients[b]?.seq)
        guard case .events(let missed) = try room.meeting.resume(b, lastSeq: seq, now: room.now) else {
            Issue.record("a snapshot")
            return
        }
        #expect(missed.map(\.event.name).filter { $0 == "message" }.count == 1)
    }

    @Test func `a message to be kept is kept before it is told, and isn't a private one`() throws {
        var room = Room()
        let a = try room.join("a")
        room.outputs = []
        let draft = Message.Draft(type: "chat", text: "hi", persist: true)
        let message = try room.meeting.sendMessage(draft, from: a, messageID: "1", now: room.now)
        room.deliver()
        #expect(room.outputs.first == .keep(message))
        #expect(room.outputs.last?.event == .message(message))
        let secret = Message.Draft(type: "chat", text: "hi", to: [a], persist: true)
        #expect(throws: MeetingError.self) {
            try room.meeting.sendMessage(secret, from: a, messageID: "2", now: room.now)
        }
        let passing = Message.Draft(type: "chat", text: "hi")
        try room.meeting.sendMessage(passing, from: a, messageID: "3", now: room.now)
        let kept = room.meeting.takeOutputs().contains { if case .keep = $0 { true } else { false } }
        #expect(!kept)
    }

    @Test func `somebody outside speaks to all or some, without being one of them`() throws {
        var room = Room()
        let a = try room.join("a")
        try room.join("b")
        room.outputs = []
        let message = try room.meeting.sendMessage(
            Message.Draft(type: "notice", text: "hi", to: [a]), fromOutside: "desk", name: "Desk",
            messageID: "1", now: room.now)
        room.deliver()
        #expect(message.sender == nil && message.senderUID == "desk")
        #expect(room.outputs.map(\.recipients) == [[a]])
    }
}
