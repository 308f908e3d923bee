import Web

/// The pages: those in the binary, or a folder on disk while somebody works on them.
struct StaticFiles: Sendable {
    private let folder: Folder?
    private let embedded: [String: HTTPResponse]

    init(directory: String?) {
        folder = directory.map(Folder.init)
        var files: [String: HTTPResponse] = [:]
        for index in 0..<web_file_count() {
            guard let file = unsafe web_file_at(index)?.pointee else { continue }
            let path = unsafe String(cString: file.path)
            let bytes = unsafe Array(UnsafeBufferPointer(start: file.bytes, count: Int(file.size)))
            let contentType = unsafe String(cString: file.content_type)
            files[path] = Self.page(at: path, contentType: contentType, body: bytes)
        }
        embedded = files
    }

    /// The file at a path of a URL, decoded, or the page of the folder there; nil if there is none.
    func file(at path: String) async -> HTTPResponse? {
        let index = path + (path.hasSuffix("/") ? "index.html" : "/index.html")
        guard let folder else { return embedded[path] ?? embedded[index] }
        for path in [path, index] {
            guard let name = Self.safeName(path), let bytes = await folder.contents(of: name) else {
                continue
            }
            return Self.page(at: "/" + name, contentType: Self.contentType(of: name), body: bytes)
        }
        return nil
    }

    private static func page(at path: String, contentType: String, body: [UInt8]) -> HTTPResponse {
        var response = HTTPResponse(contentType: contentType, body: body)
        response.headers = [(name: "cache-control:", value: "no-cache")]
        if let policy = policies[path] {
            response.headers.append((name: "content-security-policy:", value: policy))
        }
        return response
    }

    /// What pages may load and do, by their paths: run their own files, and talk to this server, over its socket too.
    /// An API key is typed into the console, which stands in no frame; the meeting in none of other sites.
    private static let policies = [
        "/": ownFiles + "; frame-ancestors 'self'", "/index.html": ownFiles + "; frame-ancestors 'self'",
        "/console/index.html": ownFiles + "; frame-ancestors 'none'",
    ]

    private static let ownFiles = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self' blob:; \
        connect-src 'self'; base-uri 'none'; form-action 'none'
        """

    /// The path below the folder, or nil if any part of it could lead out, or is hidden.
    static func safeName(_ path: String) -> String? {
        guard path.hasPrefix("/"), !path.utf8.contains(0), !path.utf8.contains(UInt8(ascii: "\\")) else {
            return nil
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard parts.allSatisfy({ !$0.hasPrefix(".") }) else { return nil }
        let name = parts.joined(separator: "/")
        return name.isEmpty || path.hasSuffix("/") ? (name.isEmpty ? "" : name + "/") + "index.html" : name
    }

    static func contentType(of name: String) -> String {
        let ending = name.split(separator: ".").last ?? ""
        return switch ending {
        case "html": "text/html; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "json", "map": "application/json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "ico": "image/x-icon"
        case "txt", "md": "text/plain; charset=utf-8"
        default: "application/octet-stream"
        }
    }
}
