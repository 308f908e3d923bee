import JSON

/// `rostrum group …`: groups and who is in them.
enum GroupCommand {
    static func run(_ arguments: [String]) throws(CommandError) {
        let command = try RemoteCommand(
            "group", arguments,
            verbs: [
                "list": 0...0, "show": 1...1, "create": 1...1, "delete": 1...1, "members": 1...1,
                "add": 2...26,
                "remove": 2...2, "ban": 2...2, "unban": 2...2, "scope": 3...3,
            ],
            flags: ["create": ["--name", "--type", "--owner", "--max"], "add": ["--scope"]])
        switch command.verb {
        case "list": try list(command)
        case "show": try show(command)
        case "create": try create(command)
        case "members": try members(command)
        case "add": try add(command)
        case "delete":
            command.done(try command.server.ask("DELETE", path(command)), "deleted")
        case "remove":
            command.done(try command.server.ask("DELETE", path(command, "members", uid(command))), "removed")
        case "ban":
            let body: JSONValue = ["uid": .string(uid(command))]
            command.done(try command.server.ask("POST", path(command, "bans"), body), "banned")
        case "unban":
            command.done(try command.server.ask("DELETE", path(command, "bans", uid(command))), "unbanned")
        default:
            let body: JSONValue = ["scope": .string(command.arguments[2])]
            let answer = try command.server.ask("PUT", path(command, "members", uid(command)), body)
            command.done(answer, "\(uid(command)) is \(command.arguments[2])")
        }
    }

    private static func path(_ command: RemoteCommand, _ more: String...) -> [String] {
        ["groups", command.arguments.first ?? ""] + more
    }

    private static func uid(_ command: RemoteCommand) -> String { command.arguments[1] }

    private static func list(_ command: RemoteCommand) throws(CommandError) {
        let groups = try command.server.list(["groups"])
        command.show(groups, ["GROUP", "NAME", "TYPE", "OWNER", "MAX"]) { group in
            ["guid", "name", "type", "owner", "maxParticipants"].map(group.shown)
        }
    }

    private static func show(_ command: RemoteCommand) throws(CommandError) {
        let group = try command.server.ask("GET", path(command))
        if command.wantsJSON { return Terminal.json(group) }
        Terminal.facts([
            ("group", group.shown("guid")), ("name", group.shown("name")), ("type", group.shown("type")),
            ("owner", group["owner"]?.stringValue),
            ("places", group["maxParticipants"].map { _ in group.shown("maxParticipants") }),
        ])
    }

    private static func create(_ command: RemoteCommand) throws(CommandError) {
        var body = JSONObject([("name", .string(try command.options.required("--name")))])
        if let type = command.options["--type"] { body["type"] = .string(type) }
        if let owner = command.options["--owner"] { body["owner"] = .string(owner) }
        if let places = try command.options.integer("--max", in: 1...100_000) {
            body["maxParticipants"] = .integer(places)
        }
        let answer = try command.server.ask("PUT", path(command), .object(body))
        command.done(answer, "group \(answer.shown("guid"))")
    }

    private static func members(_ command: RemoteCommand) throws(CommandError) {
        let members = try command.server.list(path(command, "members"))
        command.show(members, ["UID", "SCOPE", "JOINED"]) { member in
            [member.shown("uid"), member.shown("scope"), member.time("joinedAt")]
        }
    }

    private static func add(_ command: RemoteCommand) throws(CommandError) {
        let scope = command.options["--scope"]
        let members = command.arguments.dropFirst().map { uid -> JSONValue in
            var member = JSONObject([("uid", .string(uid))])
            if let scope { member["scope"] = .string(scope) }
            return .object(member)
        }
        let answer = try command.server.ask("POST", path(command, "members"), .array(members))
        command.done(answer, "added \(members.count)")
    }
}
