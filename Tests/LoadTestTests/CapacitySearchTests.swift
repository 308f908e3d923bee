import Testing

@testable import LoadTest

struct CapacitySearchTests {
    /// What a search finds when so many hold.
    private func search(first: Int, capacity: Int) -> (found: Int, steps: Int) {
        var search = CapacitySearch(first: first)
        var (found, steps) = (0, 0)
        while let count = search.next {
            steps += 1
            if count <= capacity { found = count }
            search.note(holds: count <= capacity)
        }
        return (found, steps)
    }

    @Test(arguments: [(50, 730), (50, 51), (10, 9), (100, 1_000)])
    func `the most that holds is found to within a tenth, in few steps`(first: Int, capacity: Int) {
        let (found, steps) = search(first: first, capacity: capacity)
        #expect(found <= capacity)
        #expect(capacity - found <= max(capacity / 5, first / 8))
        #expect(steps <= 12)
    }

    @Test func `nothing that holds ends the search`() {
        let (found, steps) = search(first: 50, capacity: 0)
        #expect(found == 0)
        #expect(steps < 8)
    }
}
