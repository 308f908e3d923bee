import MediaWorker
import Meeting

/// What viewers say about what they show and want.
extension SocketMethod {
    private static let layouts = Schema.words(ViewingLayout.self)
    private static let wish = Schema.object([
        Field("mid", .text(1...16), "of a video seat"),
        Field(
            "maxHeight?", .integer(range(LayoutParams.heights)), "in pixels, as it is shown; any, if absent"),
        Field("paused?", .flag, "it isn’t shown: nothing is sent to it"),
    ])
    private static let pinned = [
        Field("participantId", .id), Field("source", .words(PinParams.Picture.self)),
    ]

    static let viewing: [SocketMethod] = [
        SocketMethod(
            name: "setLayout", topic: .viewing, summary: "Says how one shows what one gets.",
            notes: """
                Seats that aren’t named are shown at any size; without `seats` all are shown as before. In \
                `spotlight`, seats that are paused stay empty, so that who speaks sits in one that is shown.
                """,
            parameters: [
                Field("layout", layouts),
                Field("seats?", .list(of: wish, 0...LayoutParams.mostSeats), "each mid once"),
            ], codes: [.noAccess]),
        SocketMethod(
            name: "pinParticipant", topic: .viewing,
            summary: "Wants to see somebody’s camera or screen, whoever speaks.",
            notes: "At most 16 are pinned. Who leaves is pinned no longer.", parameters: pinned,
            codes: [.noAccess, .participantNotFound]),
        SocketMethod(
            name: "unpinParticipant", topic: .viewing,
            summary: "Takes that back; of nobody who is pinned, too.",
            parameters: pinned, codes: [.noAccess]),
        SocketMethod(
            name: "setReceiveLimits", topic: .viewing, summary: "Says how much one wants to receive.",
            notes: "In place of what one said before: what is absent isn’t limited any more.",
            parameters: [
                Field("maxBitrateBps?", .integer(range(ReceiveLimitParams.bitrates)), "of all together"),
                Field(
                    "lastN?", .integer(range(ReceiveLimitParams.counts)),
                    "video seats that are filled at the most"),
                Field("videoPaused?", .flag, "nothing but audio: for saving power"),
            ], codes: [.noAccess]),
    ]

    private static func range(_ range: ClosedRange<Int>) -> ClosedRange<Int64> {
        Int64(range.lowerBound)...Int64(range.upperBound)
    }
}
