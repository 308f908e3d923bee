import Foundation
import Meeting
import Synchronization
import Testing

@testable import Control

/// What of the API the tests of this target have seen over real connections.
final class Coverage: Sendable {
    enum Kind: String, Hashable {
        /// That something was refused with.
        case errorCode = "error code"
        case closeCode = "close code"
        /// That somebody was told.
        case event
        /// Of the socket, by each of its names, which was answered with a result.
        case method
        /// Which was answered with what was asked for.
        case route
    }

    static let shared = Coverage()

    private let seen = Mutex<[Kind: Set<String>]>([:])

    func note(_ kind: Kind, _ name: String) {
        seen.withLock { _ = $0[kind, default: []].insert(name) }
    }

    /// What there is and no test has seen.
    var missing: [String] {
        let table = ErrorTable.specified
        let all: [(Kind, Set<String>)] = [
            // Codecs are refused by real media only, in the end-to-end tests.
            (
                .errorCode,
                Set(table.statuses.keys).subtracting(table.notYet).subtracting(["ERR_CODEC_UNSUPPORTED"])
            ),
            (.closeCode, Set(table.closeCodes.keys.map(String.init))),
            (.event, Set(SocketEvent.all.map(\.name))),
            (.method, Set(Method.table.keys)),
            (.route, Set(Operation.all.map(\.id))),
        ]
        let seen = seen.withLock { $0 }
        return all.flatMap { kind, names in
            names.subtracting(seen[kind] ?? []).sorted().map { "\(kind.rawValue) \($0)" }
        }
    }
}

/// After all tests of the target: fails for what none of them has seen, so that nothing of the API goes untested.
///
/// Says nothing if only some of the tests were asked for.
struct WholeAPIIsSeen: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await function()
        guard Self.areAllAskedFor else { return }
        for one in Coverage.shared.missing { Issue.record("no test has seen \(one)") }
    }

    /// `swift test` without arguments, or with a filter that names the target.
    private static var areAllAskedFor: Bool {
        let arguments = ProcessInfo.processInfo.arguments
        let filters = zip(arguments, arguments.dropFirst()).filter { $0.0 == "--filter" }.map(\.1)
        let names = filters.flatMap { $0.split(separator: "|") }
        return !arguments.contains("--skip") && (filters.isEmpty || names.contains("ControlTests"))
    }
}

extension Trait where Self == WholeAPIIsSeen {
    static var seesTheWholeAPI: Self { Self() }
}
