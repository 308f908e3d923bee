/// What operators see.
extension Schema {
    static let operations: [NamedObject] = [
        NamedObject(
            "Server", "The server as its operators see it.",
            [
                Field("name", .text),
                Field("version", .text),
                Field(
                    "phase", .words("starting", "ready", "draining", "full", "storage"), "as `/readyz` says"),
                Field("startedAt", .time),
                Field("uptimeSeconds", .count),
                Field("deadlineAt?", .time, "when it stops at the latest, if it drains"),
                Field("load", .object(load)),
                Field("capacity", .object(capacity)),
                Field("limits", .object(limits)),
            ])
    ]

    private static let load = [
        Field("sessions", .count),
        Field("participants", .count, "those who are joining included"),
        Field("sockets", .count),
        Field(
            "workers",
            .list(
                of: .object([
                    Field("load", .number, "the share of its time that it was busy"),
                    Field("receiveDelayMs", .number, "the longest that datagrams have lately waited for it"),
                    Field("participants", .count),
                    Field("packetsPerSecond", .number),
                ])), "media threads"),
    ]

    private static let capacity = [
        Field("maxSessions", .count),
        Field("maxParticipants", .count),
        Field("maxTransports", .count, "of all media threads together"),
        Field("maxOpenFiles", .count),
    ]

    private static let limits = [
        Field("sessionMaxParticipants", .count),
        Field("maxVideoSeats", .count),
        Field("messageBytes", .count),
        Field("socketRequestsPerSecond", .count),
        Field("socketRequestBurst", .count),
        Field("socketQueueMessages", .count),
        Field("socketQueueBytes", .count),
        Field("authTokenSeconds", .count),
        Field("callTokenSeconds", .count),
    ]
}
