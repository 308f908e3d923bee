import HTML
import Meeting

/// The page at `/docs`: everything that is described, for people. It needs nothing but itself.
enum DocumentPage {
    static let text = "<!doctype html>\n" + whole.source

    private static let whole: HTML = """
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Rostrum: the control API</title>
        <link rel="icon" href="/page/icon.svg" type="image/svg+xml">
        <style>\(style)</style>
        </head>
        <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header class="bar" id="top">
        <a class="brand" href="/">\(mark)Rostrum</a>
        <span class="version">API 1</span>
        <a class="menu" href="#contents">Contents</a>
        </header>
        <nav id="contents" aria-label="Contents">
        <a class="close" href="#content">Close</a>
        \(contents)
        </nav>
        <main id="content" tabindex="-1">
        \(introduction)
        \(sections.map(html))
        </main>
        </body>
        </html>

        """

    private static let style = HTML(stringLiteral: DocumentStyle.text)

    private static let mark: HTML = """
        <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><rect width="32" height="32" rx="9" \
        fill="#3157d5"/><path d="M8 22h16M11 22v-4.5a5 5 0 0 1 10 0V22" fill="none" stroke="#fff" \
        stroke-width="2.6" stroke-linecap="round"/><circle cx="16" cy="8.8" r="2.8" fill="#fff"/></svg>
        """

    // MARK: - Sections

    /// A part of the page with a heading, and links to what is in it.
    private struct Section {
        let id: String
        let title: String
        var lead: HTML = ""
        let groups: [Group]

        struct Group {
            /// Nil: the section has no groups.
            var title: String?
            let entries: [Entry]
        }

        var body: HTML {
            HTML(
                groups.map { group -> HTML in
                    let title: HTML = group.title.map { "<h3>\($0)</h3>\n" } ?? ""
                    return "\(title)\(group.entries.map(\.html))"
                })
        }
    }

    private static var sections: [Section] {
        [
            Section(
                id: "http", title: "HTTP requests",
                groups: Operation.Topic.allCases.map { topic in
                    .init(
                        title: topic.rawValue,
                        entries: Operation.all.filter { $0.topic == topic }.map(Entry.init))
                }),
            Section(
                id: "methods", title: "Methods of the socket", lead: socketLead,
                groups: SocketMethod.Topic.allCases.map { topic in
                    .init(
                        title: topic.rawValue,
                        entries: SocketMethod.all.filter { $0.topic == topic }.map(Entry.init))
                }),
            Section(
                id: "events", title: "Events",
                groups: [
                    .init(
                        title: "In a session",
                        entries: SocketEvent.all.filter { $0.reach == .session }.map(Entry.init)),
                    .init(
                        title: "App-wide",
                        entries: SocketEvent.all.filter { $0.reach != .session }.map(Entry.init)),
                ]),
            Section(
                id: "objects", title: "Objects", groups: [.init(entries: Schema.objects.map(Entry.init))]),
            Section(
                id: "errors", title: "Error codes", lead: errorLead,
                groups: [.init(entries: ErrorCode.allCases.map(Entry.init))]),
            Section(
                id: "closing", title: "Close codes",
                groups: [.init(entries: CloseCode.allCases.map(Entry.init))]),
        ].map { section in
            Section(
                id: section.id, title: section.title, lead: section.lead,
                groups: section.groups.filter { !$0.entries.isEmpty })
        }
    }

    private static func html(_ section: Section) -> HTML {
        """
        <section aria-labelledby="\(section.id)">
        <h2 id="\(section.id)">\(section.title)</h2>
        \(section.lead)\(section.body)</section>

        """
    }

    private static var contents: HTML {
        let links = sections.map { section -> HTML in
            let groups = section.groups.map { group -> HTML in
                let items = group.entries.map { "<li><a href=\"#\($0.id)\">\($0.link)</a></li>\n" as HTML }
                guard let title = group.title else { return "<ul>\(items)</ul>\n" }
                return "<details><summary>\(title)</summary>\n<ul>\(items)</ul></details>\n"
            }
            guard section.groups.count == 1, section.groups[0].title == nil else {
                return "<h2><a href=\"#\(section.id)\">\(section.title)</a></h2>\n\(groups)"
            }
            return """
                <h2><a href=\"#\(section.id)\">\(section.title)</a></h2>
                <details><summary>All \(section.groups[0].entries.count)</summary>
                \(groups)</details>

                """
        }
        return "<h2><a href=\"#content\">How it works</a></h2>\n\(links)"
    }
}
