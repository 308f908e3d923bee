import Configuration
import Foundation
import Testing
@Test func `write table`() throws {
    try Data(Configuration.documentationTable.joined(separator: "\n").utf8).write(
        to: URL(fileURLWithPath: "/tmp/table.md"));
    try Data(Configuration.help.utf8).write(to: URL(fileURLWithPath: "/tmp/help.txt"))
}
