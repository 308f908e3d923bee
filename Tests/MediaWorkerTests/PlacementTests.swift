import Testing

@testable import MediaWorker

struct PlacementTests {
    private func worker(
        above limit: Double, home: Int = 0, hosts: [Int]? = nil, _ loads: [Double], number: Int = 0
    ) -> Int {
        Placement(spreadAbove: limit).worker(
            home: home, hosts: hosts ?? [home], loads: loads, number: number)
    }

    @Test func `newcomers stay at home until that is busy`() {
        #expect(worker(above: 0.7, home: 1, [0, 0.7, 0]) == 1)
        #expect(worker(above: 0.7, home: 1, [0.3, 0.71, 0.1]) == 2)
    }

    @Test func `nobody goes where it is hardly better`() {
        #expect(worker(above: 0.7, [0.9, 0.75, 0.8]) == 0)
        #expect(worker(above: 0.7, [0.9, 0.65, 0.8]) == 1)
    }

    @Test func `a worker that hosts the session already comes first, while it has time`() {
        #expect(worker(above: 0.7, hosts: [0, 2], [0.95, 0.1, 0.6]) == 2)
        #expect(worker(above: 0.5, hosts: [0, 2], [0.95, 0.1, 0.6]) == 1)
    }

    @Test func `with 0 everybody takes turns, with 1 everybody stays at home`() {
        let turns = (0..<5).map { worker(above: 0, home: 1, [0, 1, 0], number: $0) }
        #expect(turns == [1, 2, 0, 1, 2])
        #expect(worker(above: 1, home: 1, [0, 1, 0], number: 3) == 1)
    }

    @Test func `a home that can't share keeps its sessions`() {
        #expect(worker(above: 0, home: 3, [0, 0, 0]) == 3)
        #expect(worker(above: 0, [1]) == 0)
    }
}
