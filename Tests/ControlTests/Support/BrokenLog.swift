@testable import Storage

extension TestServer {
    /// Takes the table of the call log away, or brings it back.
    func breakLog(_ isBroken: Bool) async throws {
        _ = try await store.write { (database) throws(StoreError) in
            try database.run(
                isBroken ? "ALTER TABLE calls RENAME TO gone" : "ALTER TABLE gone RENAME TO calls")
        }
    }
}
