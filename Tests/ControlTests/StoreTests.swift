import Control
import Foundation
import JSON
import Meeting
import Storage
import Testing

extension ControlTests {
    /// The store's life beside the server's.
    @Suite struct StoreTests {
        @Test func `a server whose store is gone is alive, but not ready`() async throws {
            try await TestServer.with { server in
                #expect(try await server.http("GET", "/readyz").status == 200)
                await server.store.close()
                let answer = try await server.http("GET", "/readyz")
                #expect(answer.status == 503)
                #expect(answer.json["status"]?.stringValue == "storage")
                #expect(try await server.http("GET", "/healthz").status == 200)
            }
        }

        @Test func `the store's work shows in the metrics`() async throws {
            let folder = try Folder()
            let server = try await TestServer(path: folder.file("rostrum.db"))
            // The server itself closes what another one left open.
            try await eventually("the start") {
                await server.metric("rostrum_store_writes_total") == 1 ? true : nil
            }
            try await server.store.putUser(User(uid: "u", name: "U"))
            _ = try await server.store.user("u")
            for (name, value) in [
                ("commits_total", 2.0), ("writes_total", 2), ("reads_total", 1), ("refused_total", 0),
                ("waiting", 0),
            ] {
                #expect(await server.metric("rostrum_store_" + name) == value, "\(name)")
            }
            await server.server.stop()
        }

        @Test func `stopping closes the store, and what it kept is there for the next server`() async throws {
            let folder = try Folder()
            let path = folder.file("rostrum.db")
            let first = try await TestServer(path: path)
            try await first.store.putUser(User(uid: "u", name: "U"))
            await first.server.stop()
            await #expect(throws: StoreError.closed) { try await first.store.user("u") }
            // The last connection to a file takes the log beside it away.
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["rostrum.db"])
            let second = try await TestServer(path: path)
            #expect(try await second.store.user("u")?.name == "U")
            await second.server.stop()
        }
    }
}

/// A folder for one test, gone with it.
private final class Folder {
    let url = FileManager.default.temporaryDirectory.appending(path: "rostrum-\(UUID())")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func file(_ name: String) -> String { url.appending(path: name).path }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}
