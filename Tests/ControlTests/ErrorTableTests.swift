import Meeting
import Testing

@testable import Control

extension ControlTests {
    /// The product's codes are those of the specification, and no others.
    @Suite struct ErrorTableTests {
        @Test func `the product has each error code that is specified, with its status, and no other`() {
            let specified = ErrorTable.specified.statuses
            #expect(specified.count == 56)
            let own = ErrorCode.allCases.map { ($0.rawValue, $0.status) }
            #expect(Dictionary(own) { first, _ in first } == specified)
            #expect(own.count == specified.count)
        }

        @Test func `the product has each close code that is specified, and no other`() {
            let specified = ErrorTable.specified.closeCodes
            #expect(specified.count == 7)
            let own = CloseCode.allCases.map { (Int($0.rawValue), "\($0)") }
            #expect(Dictionary(own) { first, _ in first } == specified)
            #expect(own.count == specified.count)
        }

        @Test func `what is said not to be there yet is specified`() {
            #expect(ErrorTable.specified.notYet.isSubset(of: ErrorTable.specified.statuses.keys))
        }
    }
}
