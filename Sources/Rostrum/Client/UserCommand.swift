import JSON

/// `rostrum user …`: who can be in groups.
enum UserCommand {
    static func run(_ arguments: [String]) throws(CommandError) {
        let command = try RemoteCommand(
            "user", arguments,
            verbs: ["list": 0...0, "show": 1...1, "create": 1...100, "delete": 1...1],
            flags: ["create": ["--name", "--avatar"]])
        switch command.verb {
        case "list": try list(command)
        case "show": try show(command)
        case "create": try create(command)
        default: command.done(try command.server.ask("DELETE", path(command.arguments[0])), "deleted")
        }
    }

    private static func path(_ uid: String) -> [String] { ["users", uid] }

    private static func list(_ command: RemoteCommand) throws(CommandError) {
        let users = try command.server.list(["users"])
        command.show(users, ["UID", "NAME", "AVATAR"]) { user in ["uid", "name", "avatar"].map(user.shown) }
    }

    private static func show(_ command: RemoteCommand) throws(CommandError) {
        let user = try command.server.ask("GET", path(command.arguments[0]))
        if command.wantsJSON { return Terminal.json(user) }
        Terminal.facts([
            ("user", user.shown("uid")), ("name", user.shown("name")),
            ("avatar", user["avatar"]?.stringValue),
        ])
    }

    /// Each is called as its uid unless a name is said, which only one can have. Of a user who is known already,
    /// only what is said changes.
    private static func create(_ command: RemoteCommand) throws(CommandError) {
        let uids = command.arguments
        for flag in ["--name", "--avatar"] where uids.count > 1 && command.options[flag] != nil {
            throw CommandError("user create with \(flag) takes 1 argument, not \(uids.count)")
        }
        for uid in uids {
            let known = try command.server.find(path(uid)) ?? .null
            var body = JSONObject([("name", .string(uid))])
            for field in ["name", "avatar", "metadata"] {
                if let value = known[field] { body[field] = value }
            }
            if let name = command.options["--name"] { body["name"] = .string(name) }
            if let avatar = command.options["--avatar"] { body["avatar"] = .string(avatar) }
            let answer = try command.server.ask("PUT", path(uid), .object(body))
            command.done(answer, "user \(answer.shown("uid"))")
        }
    }
}
