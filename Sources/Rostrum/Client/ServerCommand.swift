import JSON

/// `rostrum server …`: what operators ask of a server that runs.
enum ServerCommand {
    static func run(_ arguments: [String]) throws(CommandError) {
        let command = try RemoteCommand(
            "server", arguments, verbs: ["show": 0...0, "drain": 0...0], flags: ["drain": ["--deadline"]])
        if command.verb == "show" { try show(command) } else { try drain(command) }
    }

    private static func show(_ command: RemoteCommand) throws(CommandError) {
        let server = try command.server.ask("GET", ["server"])
        if command.wantsJSON { return Terminal.json(server) }
        let load = server["load"] ?? .null
        let capacity = server["capacity"] ?? .null
        Terminal.facts([
            ("server", "\(server.shown("name")), version \(server.shown("version"))"),
            ("phase", server.shown("phase")),
            ("stops", server["deadlineAt"].map { _ in "at \(server.time("deadlineAt")) at the latest" }),
            ("started", "\(server.time("startedAt")), \(server.shown("uptimeSeconds")) s ago"),
            ("sessions", "\(load.shown("sessions")) of \(capacity.shown("maxSessions"))"),
            ("participants", "\(load.shown("participants")) of \(capacity.shown("maxParticipants"))"),
            ("sockets", "\(load.shown("sockets")); \(capacity.shown("maxOpenFiles")) files may be open"),
        ])
        guard let workers = load["workers"]?.arrayValue, !workers.isEmpty else { return }
        Output.line("")
        Terminal.table(
            ["WORKER", "BUSY", "DELAY", "PARTICIPANTS", "PACKETS/S"],
            workers.enumerated().map { number, worker in
                [
                    "\(number)", "\(Int((worker["load"]?.numberValue ?? 0) * 100)) %",
                    "\(Int(worker["receiveDelayMs"]?.numberValue ?? 0)) ms",
                    worker.shown("participants"), "\(Int(worker["packetsPerSecond"]?.numberValue ?? 0))",
                ]
            })
    }

    private static func drain(_ command: RemoteCommand) throws(CommandError) {
        var body = JSONObject()
        if let seconds = try command.options.integer("--deadline", in: 0...86_400) {
            body["deadlineSeconds"] = .integer(seconds)
        }
        let answer = try command.server.ask("POST", ["server", "drain"], .object(body))
        let time = answer.time("deadlineAt")
        let count = answer.shown("participants")
        let who = count == "0" ? "nobody is" : count == "1" ? "1 participant is" : "\(count) participants are"
        command.done(answer, "drains: \(who) in, it stops at \(time) at the latest")
    }
}
