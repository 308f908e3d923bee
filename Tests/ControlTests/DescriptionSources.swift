import Foundation
import Testing

/// The project's own sources, for tests that compare them with what is described.
enum DescriptionSources {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func text(of path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// All Swift files below a folder as one text, but for those of one of its folders.
    static func allText(below folder: String, except: String) throws -> String {
        let files = try #require(FileManager.default.subpaths(atPath: root.appending(path: folder).path))
        let wanted = files.filter { $0.hasSuffix(".swift") && !$0.hasPrefix(except + "/") }
        return try wanted.map { try text(of: "\(folder)/\($0)") }.joined(separator: "\n")
    }
}
