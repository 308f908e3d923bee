import Meeting
import Testing

@Suite struct MeetingCardTests {
    private func card(
        to receiver: String = "team", _ receiverType: String = "group", type: String = "meeting",
        callType: String? = nil, sessionID: String? = nil
    ) throws(MeetingError) -> MeetingCard {
        try MeetingCard(
            receiverID: receiver, receiverType: receiverType, type: type, callType: callType,
            sessionID: sessionID)
    }

    @Test func `what a card leaves out is the group's session and video`() throws {
        let card = try card()
        #expect(card.guid == "team" && card.sessionID == "team" && card.kind == .video)
    }

    @Test func `a card names its session and kind`() throws {
        let card = try card(callType: "audio", sessionID: "room:1")
        #expect(card.sessionID == "room:1" && card.kind == .audio)
    }

    @Test func `other kinds, receivers, types and ids are refused`() {
        for kind in ["", "Audio", "screen", "audio "] {
            let reason = "must be audio or video"
            #expect(throws: MeetingError.invalid(field: "customData.callType", reason: reason)) {
                try card(callType: kind)
            }
        }
        #expect(throws: MeetingError.invalidReceiverType) { try card("user") }
        #expect(throws: MeetingError.invalidMessageType) { try card(type: "meetings") }
        #expect(throws: MeetingError.emptySessionID) { try card(sessionID: "") }
        for id in ["a b", "ü", String(repeating: "x", count: 101)] {
            #expect(throws: MeetingError.self) { try card(sessionID: id) }
            #expect(throws: MeetingError.self) { try card(to: id) }
        }
    }
}
