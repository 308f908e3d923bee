import HTML
import Meeting

/// One thing that is described on the page, under an anchor of its own.
struct Entry {
    let id: String
    /// Its name in the table of contents.
    let link: HTML
    let html: HTML

    private init(id: String, link: HTML, title: HTML, badges: [HTML] = [], _ parts: [HTML]) {
        self.id = id
        self.link = link
        html = """
            <article aria-labelledby="\(id)">
            <h4 id="\(id)">\(title)\(badges)<a class="anchor" href="#\(id)" aria-label="Link to this">#</a></h4>
            \(parts)</article>

            """
    }

    init(_ operation: Operation) {
        let verb = operation.method.rawValue
        let badge: HTML = "<span class=\"verb\" data-verb=\"\(verb)\">\(verb)</span>"
        self.init(
            id: "operation-" + operation.name,
            link: "\(badge) <span>\(Self.breakable(operation.path))</span>",
            title: "\(badge) <code>\(Self.breakable(operation.path))</code>",
            [
                Self.paragraph(operation.summary), Self.paragraph(operation.notes),
                "<p class=\"who\">\(Self.who(operation))</p>\n",
                Self.fields("In the path", operation.parameters),
                Self.fields("In the query", operation.query),
                Self.body(operation.body), HTML(operation.answers.map(Self.answer)),
                Self.codes(operation.refusals),
            ])
    }

    init(_ method: SocketMethod) {
        var badges: [HTML] = []
        if let scope = method.scope { badges.append("<span class=\"badge\">\(scope.rawValue)</span>") }
        let aliases = method.aliases.map { "`\($0)`" }.joined(separator: ", ")
        self.init(
            id: "method-" + method.name, link: "\(method.name)", title: "<code>\(method.name)</code>",
            badges: badges,
            [
                Self.paragraph(method.summary), Self.paragraph(method.notes),
                Self.paragraph(aliases.isEmpty ? "" : "Older name: \(aliases)."),
                Self.fields("Parameters", method.parameters), Self.fields("Result", method.result),
                Self.fields("Or", method.otherResult),
                Self.codes(method.refusals),
            ])
    }

    init(_ event: SocketEvent) {
        self.init(
            id: "event-" + event.name, link: "\(event.name)", title: "<code>\(event.name)</code>",
            [Self.paragraph(event.summary), Self.fields("Data", event.data)])
    }

    init(_ object: NamedObject) {
        self.init(
            id: "object-" + object.name, link: "\(object.name)", title: "<code>\(object.name)</code>",
            [Self.paragraph(object.summary), Self.fields("Fields", object.schema.fields)])
    }

    init(_ code: ErrorCode) {
        self.init(
            id: code.rawValue, link: "\(code.rawValue)",
            title: "<code>\(Self.breakable(code.rawValue))</code>",
            badges: ["<span class=\"badge\">\(code.status)</span>"], [Self.paragraph(code.meaning)])
    }

    init(_ code: CloseCode) {
        let number = Int(code.rawValue)
        self.init(
            id: "close-\(number)", link: "\(number)", title: "<code>\(number)</code>",
            [Self.paragraph(code.meaning)])
    }

    // MARK: - Parts

    private static func paragraph(_ text: String) -> HTML {
        text.isEmpty ? "" : "<p>\(HTML.prose(text))</p>\n"
    }

    /// With places where a long line may end.
    private static func breakable(_ text: String) -> HTML {
        HTML(
            text.split(separator: "/", omittingEmptySubsequences: false).enumerated().map {
                index, part -> HTML in
                let words = part.split(separator: "_", omittingEmptySubsequences: false).map(String.init)
                let broken = HTML(words.enumerated().map { $0 == 0 ? "\($1)" as HTML : "_<wbr>\($1)" })
                return index == 0 ? broken : "<wbr>/\(broken)"
            })
    }

    private static func who(_ operation: Operation) -> HTML {
        if !operation.who.isEmpty { return "\(operation.who)" }
        return switch operation.credential {
        case .none: "No credential"
        case .apiKey: "API key"
        case .authToken: "auth token"
        case .apiKeyOrAuthToken: "API key, or auth token"
        }
    }

    private static func body(_ schema: Schema?) -> HTML {
        guard let schema else { return "" }
        guard case .list(let element, let least, let most) = schema.kind else {
            return fields("Body", schema.fields)
        }
        let bounds = most.map { "\(least) to \($0)" } ?? "any number"
        return fields("Body: a list of \(bounds) of these", element.fields)
    }

    private static func answer(_ answer: Operation.Answer) -> HTML {
        let title: HTML = "Answer <span class=\"badge\">\(answer.status)</span>"
        let note: HTML = answer.note.isEmpty ? "" : " <span class=\"note\">\(HTML.prose(answer.note))</span>"
        var content: HTML = answer.contentType.map { "<code>\($0)</code>" } ?? ""
        var inner: HTML = ""
        if let schema = answer.schema {
            if case .object(let fields) = schema.kind { inner = list(fields) } else { content = schema.html }
        }
        return "<p class=\"part\"><b>\(title)</b> \(content)\(note)</p>\n\(inner)"
    }

    private static func codes(_ codes: [ErrorCode]) -> HTML {
        let items = codes.map { code -> HTML in
            "<li><a href=\"#\(code.rawValue)\">\(code.rawValue)</a></li>\n"
        }
        return """
            <details class="codes"><summary>\(codes.count) possible errors</summary>
            <ul>
            \(items)</ul></details>

            """
    }

    private static func fields(_ title: String, _ fields: [Field]) -> HTML {
        guard !fields.isEmpty else { return "" }
        return "<p class=\"part\"><b>\(title)</b></p>\n\(list(fields))"
    }

    private static func list(_ fields: [Field]) -> HTML {
        let items = fields.map { field -> HTML in
            let option: HTML = field.isNeeded ? "" : " <span class=\"option\">optional</span>"
            let note: HTML =
                field.note.isEmpty ? "" : " <span class=\"note\">\(HTML.prose(field.note))</span>"
            return """
                <dt><code>\(field.name)</code>\(option)</dt>
                <dd><span class="type">\(field.schema.html)</span>\(note)\(inner(field.schema))</dd>

                """
        }
        return "<dl>\n\(items)</dl>\n"
    }

    /// The fields of an object that has no name of its own.
    private static func inner(_ schema: Schema) -> HTML {
        switch schema.kind {
        case .object(let fields) where !fields.isEmpty: list(fields)
        case .list(let element, _, _): inner(element)
        default: ""
        }
    }
}

extension Schema {
    /// What it is in a few words.
    fileprivate var html: HTML {
        switch kind {
        case .text(let least, let most):
            guard let most else { return "text" }
            return least == most ? "text of \(least)" : "text, \(least) to \(most) characters"
        case .id: return "id"
        case .words(let words):
            guard words.count < 10 else { return "<a href=\"#errors\">error code</a>" }
            return HTML(
                words.enumerated().map { $0 == 0 ? "<code>\($1)</code>" as HTML : " · <code>\($1)</code>" })
        case .integer(let range):
            switch (range.lowerBound, range.upperBound) {
            case (.min, .max): return "integer"
            case (let least, .max): return "integer from \(String(least))"
            case (let least, let most): return "integer, \(String(least)) to \(String(most))"
            }
        case .time: return "time"
        case .number: return "number"
        case .flag: return "true or false"
        case .anything: return "any JSON"
        case .null: return "null"
        case .list(let element, _, _): return "list of \(element.html)"
        case .object: return "object"
        case .map(let value):
            if case .anything = value.kind { return "object" }
            return "object of names to \(value.html)"
        case .named(let name): return "<a href=\"#object-\(name)\">\(name)</a>"
        case .either(let schemas):
            return HTML(schemas.enumerated().map { $0 == 0 ? $1.html : " or \($1.html)" })
        }
    }
}
