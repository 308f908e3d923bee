/// Things by time, those of one time in the order in which they came.
struct TimedQueue<Element> {
    private struct Entry {
        var at: Int64
        var order: Int
        var element: Element

        func comes(before other: Entry) -> Bool { at != other.at ? at < other.at : order < other.order }
    }

    private var heap: [Entry] = []
    private var order = 0

    mutating func append(_ element: Element, at time: Int64) {
        order += 1
        heap.append(Entry(at: time, order: order, element: element))
        var index = heap.count - 1
        while index > 0, heap[index].comes(before: heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func popFirst(by time: Int64) -> (element: Element, at: Int64)? {
        guard let first = heap.first, first.at <= time else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var index = 0
        while true {
            var smallest = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                if heap[child].comes(before: heap[smallest]) { smallest = child }
            }
            if smallest == index { return (first.element, first.at) }
            heap.swapAt(index, smallest)
            index = smallest
        }
    }
}
