import JSON

@testable import Control
@testable import Storage

/// Arguments behind a path, cut at `&` and `=`: refused with a sentence that can be written, or each says what it said.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    var request = HTTPRequest(method: .get, path: "/v1/users", body: [])
    // A target with %00 never gets here, and no JSON text has a NUL.
    request.query = text.filter { $0 != "\0" }.split(separator: "&").map { argument in
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (name: String(parts.first ?? ""), value: parts.count > 1 ? String(parts[1]) : "")
    }
    do throws(APIError) {
        let query = try Query(request, Query.page.union(["since", "active", "method", "q"]))
        for (name, value) in request.query { precondition(query[name] == value, "changed") }
        if let flag = try query.flag("active") { precondition(query["active"] == String(flag)) }
        if let word = try query.word("method", HTTPRequest.Method.self) {
            precondition(query["method"] == word.rawValue)
        }
        if let number = try query.integer("since") { precondition(Int64(query["since"] ?? "") == number) }
        check(try query.page())
    } catch {
        // What stood there is repeated to its sender.
        precondition(HTTPResponse(error).status == 400 && (try? JSON.parse(HTTPResponse(error).body)) != nil)
        precondition(error.message.utf8.count < 4_096, "the answer grows with what was sent")
    }
    return 0
}

private func check(_ page: PageRequest) {
    guard (try? page.check()) != nil else { return }
    precondition(page.offset >= 0)
}
