import FixedCollections
import Testing
import TransportTestSupport
import Wire

@testable import Transport

/// A lite agent that knows its peer's credentials, with the peer's answers made by hand.
private final class ProbingAgent {
    static let remote = RemoteICECredentials(ufrag: "peer", password: "the peer's own password!")
    let local: ICECredentials
    private var agent: ICEAgent
    private var output = OutputDatagrams()

    init() throws {
        local = try .random()
        agent = try ICEAgent(credentials: local, remote: Self.remote, now: .at(0))
        _ = receive(try TestCheck(credentials: local).bytes(), from: udpPath(1), at: .at(0))
    }

    var selectedPath: TransportPath? { agent.selectedPath }
    var consentDeadline: Instant { agent.consentDeadline }

    func isValidated(_ path: TransportPath) -> Bool { agent.isValidated(path) }

    func receive(_ bytes: [UInt8], from path: TransportPath, at now: Instant) -> STUNOutcome {
        output.removeAll()
        return agent.receive(bytes.span, from: path, now: now, into: &output)
    }

    /// The check that goes out, if one does.
    func probe(_ path: TransportPath, longest: Int = 200, at now: Instant) -> [UInt8]? {
        output.removeAll()
        agent.probe(path, label: 0x0001_0203, longest: longest, now: now, into: &output)
        guard output.count == 1 else { return nil }
        let bytes = output.bytes(at: 0)
        return bytes.indices.map { bytes[$0] }
    }

    /// The answer to a check, under a password.
    func answer(
        _ check: [UInt8], password: String = remote.password, error: Int? = nil
    ) throws -> [UInt8] {
        let request = try STUNBindingRequest(check.span)
        var bytes = [UInt8](repeating: 0, count: 200)
        var span = bytes.mutableSpan
        var writer = STUNWriter(
            error == nil ? .bindingSuccess : .bindingError, request.transactionID, into: &span)
        if let error { writer.appendErrorCode(error, into: &span) }
        let key = try ICEKey(ICECredentials(ufrag: local.ufrag, password: password))
        if let integrity = writer.appendIntegrity(into: &span) { _ = key.sign(&span, integrity) }
        writer.appendFingerprint(into: &span)
        return Array(bytes[..<writer.count])
    }
}

struct PathProberTests {
    @Test func `a check names both sides, is signed with the peer's password and carries the label`() throws {
        let agent = try ProbingAgent()
        let check = try #require(agent.probe(udpPath(2), at: .at(1)))
        let request = try STUNBindingRequest(check.span)
        let username = String(decoding: check[request.username], as: UTF8.self)
        #expect(username == "peer:\(agent.local.ufrag.text)")
        #expect(request.role == .controlled)
        #expect(!request.nominates)
        #expect(request.transactionID.high == 0x0001_0203)
        let key = try ICEKey(
            ICECredentials(ufrag: agent.local.ufrag, password: ProbingAgent.remote.password))
        #expect(key.verifies(check.span, request.integrity))
    }

    @Test func `the peer's answer validates the path, selects it and renews consent`() throws {
        let agent = try ProbingAgent()
        let check = try #require(agent.probe(udpPath(2), at: .at(10)))
        #expect(!agent.isValidated(udpPath(2)))
        let outcome = agent.receive(try agent.answer(check), from: udpPath(2), at: .at(10.1))
        #expect(outcome.rejection == nil)
        #expect(outcome.isNewPath && outcome.selectedPathChanged)
        #expect(agent.selectedPath == udpPath(2))
        #expect(agent.consentDeadline == .at(40.1))
    }

    @Test func `an answer that is forged, late, from elsewhere, an error or repeated counts for nothing`() throws {
        let agent = try ProbingAgent()
        let check = try #require(agent.probe(udpPath(2), at: .at(1)))
        let good = try agent.answer(check)
        let refused = [
            agent.receive(try agent.answer(check, password: "guessed"), from: udpPath(2), at: .at(1)),
            agent.receive(good, from: udpPath(3), at: .at(1)),
            agent.receive(try agent.answer(check, error: 487), from: udpPath(2), at: .at(1)),
            agent.receive(good, from: udpPath(2), at: .at(3)),
        ]
        #expect(refused.allSatisfy { $0.rejection == .unexpectedType })
        #expect(agent.selectedPath == udpPath(1))
        #expect(agent.receive(good, from: udpPath(2), at: .at(2)).rejection == nil)
        #expect(agent.receive(good, from: udpPath(2), at: .at(2)).rejection == .unexpectedType)
    }

    @Test func `no check is longer than what caused it`() throws {
        let agent = try ProbingAgent()
        let check = try #require(agent.probe(udpPath(2), at: .at(1)))
        #expect(agent.probe(udpPath(3), longest: check.count - 1, at: .at(2)) == nil)
        #expect(agent.probe(udpPath(3), longest: check.count, at: .at(3))?.count == check.count)
    }

    @Test func `checks are spaced out`() throws {
        let agent = try ProbingAgent()
        #expect(agent.probe(udpPath(2), at: .at(1)) != nil)
        #expect(agent.probe(udpPath(3), at: .at(1.049)) == nil)
        #expect(agent.probe(udpPath(3), at: .at(1.05)) != nil)
    }

    @Test func `a peer whose credentials aren't known is never asked`() throws {
        var agent = try ICEAgent(credentials: .random(), now: .at(0))
        var output = OutputDatagrams()
        agent.probe(udpPath(), label: 0, longest: 1_500, now: .at(0), into: &output)
        let count = output.count
        #expect(count == 0)
    }
}
