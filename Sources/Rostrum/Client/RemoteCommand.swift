import JSON

/// A command that asks a server: its name and arguments, and how it answers.
struct RemoteCommand {
    let verb: String
    let options: Options
    let server: RemoteServer
    let arguments: [String]
    var wantsJSON: Bool { options.has("--json") }

    /// - Parameter verbs: which there are, each with how many arguments it takes.
    init(
        _ name: String, _ arguments: [String], verbs: KeyValuePairs<String, ClosedRange<Int>>,
        flags: [String: Set<String>], switches: [String: Set<String>] = [:]
    ) throws(CommandError) {
        let help = "see rostrum \(name) --help"
        guard let verb = arguments.first, let count = verbs.first(where: { $0.key == verb })?.value else {
            let known = verbs.map(\.key).joined(separator: ", ")
            let given = arguments.first.map { "no \(name) \($0)" } ?? "\(name) what?"
            throw CommandError("\(given): there are \(known); \(help)")
        }
        options = try Options(
            Array(arguments.dropFirst()), valued: RemoteServer.flags.union(flags[verb] ?? []),
            switches: RemoteServer.switches.union(switches[verb] ?? []))
        if let unknown = options.rest.first(where: { $0.hasPrefix("--") }) {
            throw CommandError("\(name) \(verb) has no \(unknown), \(help)")
        }
        guard count.contains(options.rest.count) else {
            let wanted = count.count == 1 ? "\(count.lowerBound)" : "at least \(count.lowerBound)"
            let noun = count.lowerBound == 1 ? "argument" : "arguments"
            let given = "not \(options.rest.count)"
            throw CommandError("\(name) \(verb) takes \(wanted) \(noun), \(given); \(help)")
        }
        self.verb = verb
        self.arguments = options.rest
        server = try RemoteServer(options)
    }

    /// Prints what was done: for people a sentence, else the server's answer if it has one.
    func done(_ answer: JSONValue, _ sentence: String) {
        if !wantsJSON { return Output.line(Terminal.safe(sentence)) }
        if answer != .null { Terminal.json(answer) }
    }

    /// Prints a list.
    func show(_ elements: [JSONValue], _ head: [String], _ row: (JSONValue) -> [String]) {
        if wantsJSON { return Terminal.json(["data": .array(elements)]) }
        Terminal.table(head, elements.map(row))
    }
}
