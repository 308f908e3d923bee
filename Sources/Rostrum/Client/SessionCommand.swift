import JSON

/// `rostrum session …`: who meets, and a moderator's word from a shell.
enum SessionCommand {
    static func run(_ arguments: [String]) throws(CommandError) {
        let command = try RemoteCommand(
            "session", arguments,
            verbs: [
                "list": 0...0, "show": 1...1, "mute": 2...2, "mute-all": 1...1, "remove": 2...2,
                "lock": 1...1,
                "unlock": 1...1, "end": 1...1,
            ],
            flags: ["remove": ["--reason", "--ban"]],
            switches: ["mute": ["--lock"], "mute-all": ["--lock", "--on-entry"]])
        switch command.verb {
        case "list": try list(command)
        case "show": try show(command)
        case "mute": try mute(command)
        case "remove": try remove(command)
        case "end":
            let answer = try command.server.ask("DELETE", path(command))
            command.done(answer, "ended")
        case "mute-all": try muteAll(command)
        default:
            let answer = try command.server.ask("POST", path(command, command.verb), [:])
            command.done(answer, command.verb == "lock" ? "locked" : "unlocked")
        }
    }

    private static func path(_ command: RemoteCommand, _ more: String...) -> [String] {
        ["sessions", command.arguments.first ?? ""] + more
    }

    private static func list(_ command: RemoteCommand) throws(CommandError) {
        let sessions = try command.server.list(["sessions"])
        command.show(sessions, ["SESSION", "TYPE", "PARTICIPANTS", "STARTED", "TITLE"]) { session in
            [
                session.shown("sessionId"), session.shown("type"), session.shown("participantCount"),
                session.time("startedAt"), session.shown("title"),
            ]
        }
    }

    private static func show(_ command: RemoteCommand) throws(CommandError) {
        let session = try command.server.ask("GET", path(command))
        let participants = try command.server.list(path(command, "participants"))
        if command.wantsJSON {
            return Terminal.json(["session": session, "participants": .array(participants)])
        }
        let settings = session["settings"] ?? .null
        Terminal.facts([
            ("session", session.shown("sessionId")), ("meeting", session.shown("meetingId")),
            ("title", session["title"]?.stringValue), ("type", session.shown("type")),
            ("started", session.time("startedAt")),
            ("participants", "\(session.shown("participantCount")) of \(settings.shown("maxParticipants"))"),
            ("locked", settings["locked"].map { _ in settings.shown("locked") }),
        ])
        guard !participants.isEmpty else { return }
        Output.line("")
        let head = ["PARTICIPANT", "UID", "NAME", "SCOPE", "STATE", "AUDIO", "VIDEO", "HAND", "JOINED"]
        Terminal.table(head, participants.map(row))
    }

    private static func row(_ participant: JSONValue) -> [String] {
        let isMuted = participant["audioMuted"]?.boolValue == true
        let isLocked = participant["audioLocked"]?.boolValue == true
        let isPaused = participant["videoPaused"]?.boolValue == true
        return [
            participant.shown("participantId"), participant.shown("uid"), participant.shown("name"),
            participant.shown("scope"), participant.shown("state"),
            isMuted ? (isLocked ? "locked" : "muted") : "on", isPaused ? "paused" : "on",
            participant["raisedHandAt"]?.integerValue ?? 0 > 0 ? "raised" : "", participant.time("joinedAt"),
        ]
    }

    // MARK: - Moderation

    private static func mute(_ command: RemoteCommand) throws(CommandError) {
        var body = JSONObject()
        if command.options.has("--lock") { body["lock"] = true }
        let who = try participants(command)
        for id in who {
            let answer = try command.server.ask(
                "POST", path(command, "participants", id, "mute"), .object(body))
            command.done(answer, "muted \(id)")
        }
    }

    private static func remove(_ command: RemoteCommand) throws(CommandError) {
        var body = JSONObject()
        if let reason = command.options["--reason"] { body["reason"] = .string(reason) }
        if let seconds = try command.options.integer("--ban", in: -1...31_536_000) {
            body["banSeconds"] = .integer(seconds)
        }
        let who = try participants(command)
        for id in who {
            let answer = try command.server.ask(
                "POST", path(command, "participants", id, "remove"), .object(body))
            command.done(answer, "removed \(id)")
        }
    }

    private static func muteAll(_ command: RemoteCommand) throws(CommandError) {
        var body = JSONObject()
        if command.options.has("--lock") { body["lock"] = true }
        if command.options.has("--on-entry") { body["onEntry"] = true }
        let answer = try command.server.ask("POST", path(command, "mute-all"), .object(body))
        command.done(answer, "muted \(answer.shown("affected"))")
    }

    /// The participant of this id, or all of the user of this uid.
    private static func participants(_ command: RemoteCommand) throws(CommandError) -> [String] {
        let who = command.arguments[1]
        let roster = try command.server.list(path(command, "participants"))
        let ids = roster.filter { $0.shown("uid") == who }.map { $0.shown("participantId") }
        if roster.contains(where: { $0.shown("participantId") == who }) { return [who] }
        guard !ids.isEmpty else {
            throw CommandError("nobody in this session has the participantId or uid \(who)", code: 1)
        }
        return ids
    }
}
