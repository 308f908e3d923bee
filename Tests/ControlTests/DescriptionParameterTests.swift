import Configuration
import JSON
import Meeting
import Storage
import Synchronization
import Testing

@testable import Control

/// A request that can't be decoded, and what must be said about it. It never takes effect.
private struct Probe {
    let value: JSONValue
    let field: String
    /// The fields that there are, if one that isn't is what's wrong.
    var known: [String]?

    /// What shows that a value's fields are those that are described: each that is needed, left out; each with a wrong
    /// type; one too many, which is answered with all that are known.
    static func all(_ schema: Schema, at place: String = "") -> [Probe] {
        switch schema.kind {
        case .list(let element, _, _):
            return all(element, at: place + "[0]").map {
                Probe(value: .array([$0.value]), field: $0.field, known: $0.known)
            }
        case .object(let fields): return all(fields, schema.sample.objectValue ?? [:], at: place)
        default: return []
        }
    }

    private static func all(_ fields: [Field], _ sample: JSONObject, at place: String) -> [Probe] {
        func inner(_ name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }
        func changed(_ name: String, _ value: JSONValue?) -> JSONValue {
            var object = sample
            object[name] = value
            return .object(object)
        }
        var needed = JSONObject()
        for field in fields where field.isNeeded { needed[field.name] = sample[field.name] }
        needed["zzz"] = 1
        let known = fields.map(\.name).sorted()
        var probes = [
            Probe(value: changed("zzz", 1), field: inner("zzz"), known: known),
            Probe(value: .object(needed), field: inner("zzz"), known: known),
        ]
        for field in fields {
            if field.isNeeded {
                probes.append(Probe(value: changed(field.name, nil), field: inner(field.name)))
            }
            if let wrong = field.schema.ofWrongType {
                probes.append(Probe(value: changed(field.name, wrong), field: inner(field.name)))
            }
            probes += all(field.schema, at: inner(field.name)).map {
                Probe(value: changed(field.name, $0.value), field: $0.field, known: $0.known)
            }
        }
        return probes
    }
}

extension Schema {
    /// A value of a type that it doesn't take; nil if it takes all.
    fileprivate var ofWrongType: JSONValue? {
        switch kind {
        case .anything: nil
        case .text, .id, .words: 7
        default: "x"
        }
    }
}

extension ControlTests {
    /// What requests take is what is described: not more, not less.
    @Suite struct DescriptionParameterTests {
        @Test func `each body of a request has the fields that are described`() async throws {
            try await withSession { server, inside in
                let key = TestServer.key.secret
                for operation in Operation.all {
                    guard let body = operation.body else { continue }
                    let credential = operation.credential == .authToken ? TestServer.authToken("owner") : key
                    for probe in Probe.all(body) {
                        let answer = try await server.http(
                            operation.method.rawValue, path(operation, inside), authorization: credential,
                            body: String(decoding: probe.value.text(), as: UTF8.self))
                        check(answer.json, probe, operation.id)
                    }
                }
            }
        }

        @Test func `a body that is needed must be there`() async throws {
            try await withSession { server, inside in
                for operation in Operation.all where operation.body != nil && !operation.mayLackBody {
                    let credential =
                        operation.credential == .authToken
                        ? TestServer.authToken("owner") : TestServer.key.secret
                    let answer = try await server.http(
                        operation.method.rawValue, path(operation, inside), authorization: credential,
                        body: "")
                    #expect(answer.code == "ERR_BAD_REQUEST", "\(operation.id)")
                }
            }
        }

        @Test func `each query has the arguments that are described`() async throws {
            try await withSession { server, inside in
                for operation in Operation.all {
                    guard operation.path != Route.socketPath else { continue }
                    let known = operation.query.map(\.name).sorted()
                    let probe = Probe(value: [:], field: "zzz", known: known)
                    let credential =
                        operation.credential == .authToken
                        ? TestServer.authToken("owner") : TestServer.key.secret
                    let answer = try await server.http(
                        operation.method.rawValue, path(operation, inside) + "?zzz=1",
                        authorization: credential)
                    #expect(answer.status == 400, "\(operation.id)")
                    check(answer.json, probe, operation.id)
                }
            }
        }

        @Test func `each method of the socket has the parameters that are described`() async throws {
            try await withSession { server, _ in
                let client = try await server.client(authorization: "Bearer " + TestServer.authToken("owner"))
                try await client.request("joinSession", ["sessionId": "team"])
                for method in SocketMethod.all {
                    for probe in Probe.all(.object(method.parameters)) {
                        for name in [method.name] + method.aliases {
                            let id = try client.post(name, probe.value)
                            let answer = try await eventually("answer to \(name)") {
                                client.state.withLock { $0.answers.removeValue(forKey: id) }
                            }
                            check(answer, probe, name)
                        }
                    }
                }
            }
        }

        // MARK: - Parts

        private func check(_ answer: JSONValue, _ probe: Probe, _ what: String) {
            let error = answer["error"]
            let comment: Comment = "\(what): \(probe.value), \(answer)"
            #expect(error?["code"]?.stringValue == "ERR_BAD_REQUEST", comment)
            #expect(error?["details"]?["field"]?.stringValue == probe.field, comment)
            let known = error?["details"]?["known"]?.arrayValue?.compactMap(\.stringValue)
            #expect(known == probe.known, comment)
        }

        /// With a group whose session goes on, a call, and somebody in it.
        private func withSession(_ body: (TestServer, String) async throws -> Void) async throws {
            try await TestServer.with({
                $0.guestKeyID = TestServer.key.id
                $0.socket.requestsPerSecond = 10_000
                $0.socket.requestBurst = 10_000
            }) { server in
                try await server.group(["tom": .participant])
                let call = CallRecord(
                    id: "1", sessionID: "team", initiator: CallParty(uid: "owner", name: "O"), mode: .meet,
                    initiatedAt: 1)
                try await server.store.addCall(call)
                let (tom, joined) = try await server.joined("tom", session: "team")
                let id = try #require(joined["participant"]?["participantId"]?.stringValue)
                try await body(server, id)
                _ = tom
            }
        }

        private func path(_ operation: Operation, _ participant: String) -> String {
            operation.path.replacing("{guid}", with: "team").replacing("{sessionId}", with: "team")
                .replacing("{pid}", with: participant).replacing("{uid}", with: "tom")
        }
    }
}
