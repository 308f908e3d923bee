import JSON

/// `rostrum session …`: who meets, and a moderator's word from a shell.
enum SessionCommand {
    static func run(_ arguments: [String]) throws(CommandError) {
        let command = try RemoteCommand(
            "session", arguments,
            verbs: [
                "list": 0...0, "show": 1...1, "mute": 2...2, "mute-all": 1...1, "remove": 2...2,
                "scope": 3...3, "lower-hand": 2...2, "admit": 1...2, "deny": 1...2, "lock": 1...1,
                "unlock": 1...2, "end": 1...1,
            ],
            flags: ["remove": ["--reason", "--ban"]],
            switches: [
                "mute": ["--lock"], "mute-all": ["--lock", "--on-entry"], "admit": ["--all"],
                "deny": ["--all"],
            ])
        switch command.verb {
        case "list": try list(command)
        case "show": try show(command)
        case "mute": try mute(command)
        case "remove": try remove(command)
        case "end":
            let answer = try command.server.ask("DELETE", path(command))
            command.done(answer, "ended")
        case "mute-all": try muteAll(command)
        case "scope":
            let scope = command.arguments[2]
            try each(command, "scope", ["scope": .string(scope)]) { "\($0) is \(scope)" }
        case "lower-hand": try each(command, "lower-hand", [:]) { "lowered the hand of \($0)" }
        case "unlock" where command.arguments.count == 2:
            try each(command, "unlock", [:]) { "\($0) may unmute" }
        case "admit": try decide(command, "admitted")
        case "deny": try decide(command, "denied")
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
        let waiting = try waiting(command)
        if command.wantsJSON {
            return Terminal.json(
                ["session": session, "participants": .array(participants), "waiting": .array(waiting)])
        }
        let settings = session["settings"] ?? .null
        Terminal.facts([
            ("session", session.shown("sessionId")), ("meeting", session.shown("meetingId")),
            ("title", session["title"]?.stringValue), ("type", session.shown("type")),
            ("started", session.time("startedAt")),
            ("participants", "\(session.shown("participantCount")) of \(settings.shown("maxParticipants"))"),
            ("locked", settings["locked"].map { _ in settings.shown("locked") }),
        ])
        let all = participants + waiting
        guard !all.isEmpty else { return }
        Output.line("")
        let head = ["PARTICIPANT", "UID", "NAME", "SCOPE", "STATE", "AUDIO", "VIDEO", "HAND", "JOINED"]
        Terminal.table(head, all.map(row))
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
        try each(command, "mute", body) { "muted \($0)" }
    }

    private static func remove(_ command: RemoteCommand) throws(CommandError) {
        var body = JSONObject()
        if let reason = command.options["--reason"] { body["reason"] = .string(reason) }
        if let seconds = try command.options.integer("--ban", in: -1...31_536_000) {
            body["banSeconds"] = .integer(seconds)
        }
        try each(command, "remove", body) { "removed \($0)" }
    }

    private static func muteAll(_ command: RemoteCommand) throws(CommandError) {
        var body = JSONObject()
        if command.options.has("--lock") { body["lock"] = true }
        if command.options.has("--on-entry") { body["onEntry"] = true }
        let answer = try command.server.ask("POST", path(command, "mute-all"), .object(body))
        command.done(answer, "muted \(answer.shown("affected"))")
    }

    /// Lets in, or sends away, somebody who waits, or all.
    private static func decide(_ command: RemoteCommand, _ done: String) throws(CommandError) {
        let isAll = command.options.has("--all")
        guard isAll != (command.arguments.count == 2) else {
            throw CommandError(
                "session \(command.verb) takes a session and WHO, or --all; see rostrum session --help")
        }
        guard isAll else {
            return try each(command, command.verb, [:], waiting: true) { "\(done) \($0)" }
        }
        let answer = try command.server.ask("POST", path(command, "participants", "all", command.verb), [:])
        command.done(answer, "\(done) \(answer.shown("affected"))")
    }

    /// Does something to the participant who is named, or to each of the user's.
    ///
    /// - Parameters:
    ///   - waiting: whether those are meant who wait to be admitted.
    ///   - sentence: what was done, for people.
    private static func each(
        _ command: RemoteCommand, _ verb: String, _ body: JSONObject, waiting: Bool = false,
        _ sentence: (String) -> String
    ) throws(CommandError) {
        for id in try participants(command, waiting: waiting) {
            let answer = try command.server.ask(
                "POST", path(command, "participants", id, verb), .object(body))
            command.done(answer, sentence(id))
        }
    }

    /// The participant of this id, or all of the user of this uid.
    private static func participants(
        _ command: RemoteCommand, waiting: Bool
    ) throws(CommandError) -> [String] {
        let who = command.arguments[1]
        let all = waiting ? try Self.waiting(command) : try command.server.list(path(command, "participants"))
        let ids = all.filter { $0.shown("uid") == who }.map { $0.shown("participantId") }
        if all.contains(where: { $0.shown("participantId") == who }) { return [who] }
        guard !ids.isEmpty else {
            let place = waiting ? "who waits for" : "in"
            throw CommandError("nobody \(place) this session has the participantId or uid \(who)", code: 1)
        }
        return ids
    }

    /// Those who wait to be admitted, in the order in which they came.
    private static func waiting(_ command: RemoteCommand) throws(CommandError) -> [JSONValue] {
        try command.server.list(path(command, "participants"), "&state=waiting")
    }
}
