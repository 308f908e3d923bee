import Meeting

/// What a viewer is sent, and why not more.
extension Schema {
    static let statisticsFields = [
        Field("link", .named("LinkStatistics")),
        Field("seats", .list(of: .named("SeatStatistics")), "audio first, in their order"),
    ]

    static let statistics: [NamedObject] = [
        NamedObject("ViewerStatistics", "What a viewer is sent, and why not more.", statisticsFields),
        NamedObject("LinkStatistics", "What a viewer’s link carries.", link),
        NamedObject(
            "SeatStatistics", "What is sent to one of a viewer’s seats, and why not more.", seatStats),
    ]

    private static let link = [
        Field(
            "basis", .words("unheard", "transportCC", "receiver", "unknown"),
            "what the estimate is made of; unknown: the client doesn’t say what it receives"),
        Field("estimateBps?", .count, "what the link carries; absent: not known"),
        Field("budgetBps?", .count, "what limits leave of it"),
        Field("audioBps", .count, "what voices have of it, first of all"),
        Field("videoBps", .count, "what videos are allowed"),
        Field("demandBps", .count, "what would be sent if bitrate were no matter"),
        Field("roundTripMs", .number),
        Field("queueingMs?", .number, "how long packets wait on the way"),
        Field("loss?", .number(0...1), "share of packets lost lately"),
    ]

    private static let seatStats = [
        Field("mid", .text(1...16)),
        Field("kind", .words("audio", "video")),
        Field("participantId?", .id, "absent: nobody sits there"),
        Field("source?", .source),
        Field("muted", .flag),
        Field(
            "layer?",
            .object([
                Field("rid?", .text(1...16), "absent: there is only one encoding"),
                Field("spatial", .count, "counts from 0 over all encodings, the smallest first"),
                Field("temporal", .count, "counts from 0"),
                Field("height?", .count, "lines of the picture; absent: the stream doesn’t say"),
            ]),
            "what is sent; absent: nothing is"),
        Field("bitrateBps", .count, "of payload, over the last second"),
        Field("loss", .number(0...1), "as the viewer reported last"),
        Field(
            "reason?", .words("bandwidth", "viewport", "lastN", "paused", "sourceOff", "serverLimit"),
            "why it isn’t the best layer; absent: it is"),
        Field("neededBps?", .count, "what the next better layer would take, if bitrate is what is missing"),
    ]
}
