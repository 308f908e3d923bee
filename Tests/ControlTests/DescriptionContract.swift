import JSON
import Meeting
import Synchronization
import Testing

@testable import Control

/// Holds everything that any test of this target is answered or told to what is described.
final class DescriptionContract: Sendable {
    static let shared = DescriptionContract()

    private let faults = Mutex<[String]>([])

    /// What was wrong since the last time that somebody asked.
    func takeFaults() -> [String] {
        faults.withLock { faults in
            defer { faults = [] }
            return faults
        }
    }

    /// An answer to a request by HTTP.
    func check(_ answer: TestServer.Answer, to method: String, _ path: String) {
        guard answer.status > 0, method != "HEAD", method != "OPTIONS" else { return }
        if let code = answer.code {
            Coverage.shared.note(.errorCode, code)
            let specified = ErrorTable.specified.statuses[code]
            if answer.status != specified { note(["\(code) belongs to another status"], "\(method) \(path)") }
        }
        note(faults(in: answer, to: method, path), "\(method) \(path), \(answer.status)")
    }

    /// An answer to a request on a socket.
    func check(answer: JSONValue, to method: String) {
        if answer["result"] != nil { Coverage.shared.note(.method, method) }
        if let code = answer["error"]?["code"]?.stringValue { Coverage.shared.note(.errorCode, code) }
        note(faults(in: answer, to: method), "the answer to \(method)")
        for event in answer["result"]?["events"]?.arrayValue ?? [] { check(event: event) }
    }

    /// An answer to what was no request that could be told from others.
    func check(stray: JSONValue) {
        if let code = stray["error"]?["code"]?.stringValue { Coverage.shared.note(.errorCode, code) }
        note(Self.faults(inError: stray, among: ErrorCode.allCases), "an answer to no request")
    }

    func check(event: JSONValue) {
        let name = event["event"]?.stringValue ?? ""
        guard let described = SocketEvent.named(name) else {
            return note(["isn't described"], "event \(name)")
        }
        Coverage.shared.note(.event, name)
        note(described.frame.faults(in: event), "event \(name)")
    }

    // MARK: - Parts

    private func note(_ found: [String], _ what: String) {
        guard !found.isEmpty else { return }
        faults.withLock { $0 += found.map { "\(what): \($0)" } }
    }

    private func faults(in answer: TestServer.Answer, to method: String, _ path: String) -> [String] {
        let plain = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)[0]
        // libwebsockets takes two slashes for one.
        let parts = plain.replacing("//", with: "/").split(separator: "/", omittingEmptySubsequences: false)
        let code = answer.code.flatMap(ErrorCode.init(rawValue:))
        let routes = Route.all.filter { $0.parameters(of: parts) != nil }
        guard let route = routes.first(where: { $0.method.rawValue == method }) else {
            return code == nil ? [] : Self.faults(inError: answer.json, among: ErrorCode.allCases)
        }
        guard let operation = Operation.of(route.method, route.path) else { return ["isn't described"] }
        if code != nil { return Self.faults(inError: answer.json, among: operation.refusals) }
        guard let described = operation.answers.first(where: { $0.status == answer.status }) else {
            return ["the status isn't described"]
        }
        if answer.status < 400 { Coverage.shared.note(.route, operation.id) }
        guard let schema = described.schema else {
            return described.contentType == nil && !answer.body.isEmpty ? ["it has a body"] : []
        }
        return schema.faults(in: answer.json)
    }

    private func faults(in answer: JSONValue, to name: String) -> [String] {
        guard let method = SocketMethod.named(name) else {
            return answer["error"]?["code"]?.stringValue == ErrorCode.badRequest.rawValue
                ? [] : ["is unknown"]
        }
        guard answer["error"] == nil else {
            return Self.faults(inError: answer, among: method.refusals)
        }
        return Schema.object([Field("id", .anything), Field("result", method.resultSchema)])
            .faults(in: answer)
    }

    private static func faults(inError answer: JSONValue, among codes: [ErrorCode]) -> [String] {
        var object = answer.objectValue ?? [:]
        object["id"] = nil
        let faults = Schema.named("Error").faults(in: .object(object))
        guard faults.isEmpty, let code = answer["error"]?["code"]?.stringValue else { return faults }
        return codes.map(\.rawValue).contains(code) ? [] : ["\(code) isn't described"]
    }
}
