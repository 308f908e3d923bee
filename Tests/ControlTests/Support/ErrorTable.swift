import JSON
import Testing

/// The API's error codes with their HTTP statuses, and its close codes, as its specification has them: written down
/// apart from the product's own tables, and shared with the end-to-end tests.
struct ErrorTable: Sendable {
    /// By code.
    let statuses: [String: Int]
    /// The product's names, by number.
    let closeCodes: [Int: String]
    /// Codes of what the server can't do yet.
    let notYet: Set<String>

    /// Empty if the file can't be read, which a test minds.
    static let specified: ErrorTable = {
        let text = try? DescriptionSources.text(of: "Tests/Support/errors.json")
        return ErrorTable(text.flatMap { try? JSON.parse($0) } ?? .null)
    }()

    private init(_ file: JSONValue) {
        var statuses: [String: Int] = [:]
        for (status, codes) in file["statuses"]?.objectValue?.members ?? [] {
            for code in codes.arrayValue ?? [] { statuses[code.stringValue ?? ""] = Int(status) }
        }
        self.statuses = statuses
        let closeCodes = file["closeCodes"]?.objectValue?.members ?? []
        self.closeCodes = Dictionary(
            uniqueKeysWithValues: closeCodes.map { (Int($0.key) ?? 0, $0.value.stringValue ?? "") })
        notYet = Set((file["notYet"]?.arrayValue ?? []).compactMap(\.stringValue))
    }
}
