import HTML
import JSON
import Meeting
import Testing

@testable import Control

extension ControlTests {
    /// What the server says about itself.
    @Suite struct DescriptionDocumentTests {
        private static let paths = ["/openapi.json", "/asyncapi.json", "/docs", "/docs/"]

        @Test(arguments: paths)
        func `a document is the same each time, and not sent again to those who have it`(
            path: String
        ) async throws {
            try await TestServer.with { server in
                let answer = try await server.http("GET", path)
                #expect(answer.status == 200 && !answer.body.isEmpty)
                #expect(answer.head.lowercased().contains("cache-control: no-cache"))
                let tag = try #require(answer.head.firstMatch(of: /(?i:etag): ("[\w-]+")/)?.output.1)
                for tags in [String(tag), "W/\(tag)", "\"other\", \(tag)", "*"] {
                    let again = try await server.http("GET", path, headers: ["If-None-Match: \(tags)"])
                    #expect(again.status == 304 && again.body.isEmpty, "\(tags)")
                    #expect(again.head.contains(tag))
                }
                let other = try await server.http("GET", path, headers: ["If-None-Match: \"other\""])
                #expect(other.body == answer.body)
                let head = try await server.http("HEAD", path)
                #expect(head.status == 200 && head.body.isEmpty)
            }
        }

        @Test(arguments: [OpenAPI.document, AsyncAPI.document])
        func `whatever a document refers to is in it`(document: JSONValue) throws {
            var references: [String] = []
            collect(document, &references)
            #expect(references.count > 100)
            for reference in Set(references) {
                var value: JSONValue? = document
                for part in reference.split(separator: "/").dropFirst() {
                    let key = part.replacing("~1", with: "/").replacing("~0", with: "~")
                    value = value?[String(key)]
                }
                #expect(reference.hasPrefix("#/") && value != nil, "\(reference)")
            }
        }

        @Test func `objects of a document stand in the order of their names`() async throws {
            try await TestServer.with { server in
                for path in Self.paths.prefix(2) {
                    let limits = JSON.Limits(bytes: 8 << 20, depth: 64)
                    let value = try JSON.parse(try await server.http("GET", path).body, limits: limits)
                    #expect(isSorted(value))
                }
            }
        }

        @Test func `each route, method and event is in its document`() {
            for operation in Operation.all {
                let method = operation.method.rawValue.lowercased()
                let value = OpenAPI.document["paths"]?[operation.path]?[method]
                #expect(value?["operationId"]?.stringValue == operation.name)
            }
            let operations = AsyncAPI.document["operations"]?.objectValue?.keys ?? []
            #expect(
                operations.sorted() == (SocketMethod.all.map(\.name) + SocketEvent.all.map(\.name)).sorted())
            let messages = AsyncAPI.document["channels"]?["socket"]?["messages"]?.objectValue?.count
            #expect(messages == SocketMethod.all.count * 3 + SocketEvent.all.count)
        }

        @Test func `each link of the page leads to an anchor of it or to the server`() {
            let page = DocumentPage.text
            let anchors = page.matches(of: /\sid="([^"]*)"/).map { String($0.output.1) }
            #expect(Set(anchors).count == anchors.count)
            let links = page.matches(of: /\shref="([^"]*)"/).map { String($0.output.1) }
            #expect(links.count > 200)
            for link in Set(links) where link.hasPrefix("#") {
                #expect(anchors.contains(String(link.dropFirst())), "\(link)")
            }
            let outside = Set(links.filter { !$0.hasPrefix("#") })
            #expect(outside == ["/", "/page/icon.svg", "/openapi.json", "/asyncapi.json"])
            #expect(!page.contains(" src=") && !page.contains("url("))
        }

        @Test func `each operation, method, event, object and code has an anchor on the page`() {
            let anchors = Set(DocumentPage.text.matches(of: /\sid="([^"]*)"/).map { String($0.output.1) })
            var wanted = Operation.all.map { "operation-" + $0.name }
            wanted += SocketMethod.all.map { "method-" + $0.name }
            wanted += SocketEvent.all.map { "event-" + $0.name }
            wanted += Schema.objects.map { "object-" + $0.name }
            wanted += ErrorCode.allCases.map(\.rawValue) + CloseCode.allCases.map { "close-\($0.rawValue)" }
            for anchor in wanted { #expect(anchors.contains(anchor), "\(anchor)") }
        }

        @Test func `text on the page can't become markup`() {
            let text = "<script>\"&'</script>"
            let html: HTML = "<p title=\"\(text)\">\(text)</p>"
            let escaped = "&lt;script&gt;&quot;&amp;'&lt;/script&gt;"
            #expect(html.source == "<p title=\"\(escaped)\">\(escaped)</p>")
            #expect(HTML.prose("a `b<c` d").source == "a <code>b&lt;c</code> d")
        }

        @Test func `every tag of the page is closed, in order`() {
            var open: [Substring] = []
            for match in DocumentPage.text.matches(of: /<(\/?)([a-z][a-z0-9]*)[^>]*?(\/?)>/) {
                let (_, closes, name, isEmpty) = match.output
                if ["meta", "link", "wbr"].contains(name) || !isEmpty.isEmpty { continue }
                if closes.isEmpty { open.append(name) } else { #expect(open.popLast() == name) }
            }
            #expect(open.isEmpty)
        }

        // MARK: - Parts

        private func collect(_ value: JSONValue, _ references: inout [String]) {
            if let reference = value["$ref"]?.stringValue { references.append(reference) }
            for member in value.objectValue?.members ?? [] { collect(member.value, &references) }
            for element in value.arrayValue ?? [] { collect(element, &references) }
        }

        private func isSorted(_ value: JSONValue) -> Bool {
            if let object = value.objectValue {
                return object.keys == object.keys.sorted() && object.members.allSatisfy { isSorted($0.value) }
            }
            return (value.arrayValue ?? []).allSatisfy(isSorted)
        }
    }
}
