/// Which part of a list is wanted.
public struct PageRequest: Sendable, Equatable {
    /// The most elements on a page.
    public static let mostElements = 100
    /// The last page that can be asked for.
    public static let lastNumber = 1_000_000

    /// From 1 to `lastNumber`.
    public var number: Int
    /// Elements on a page, 1 to `mostElements`.
    public var size: Int

    public init(number: Int = 1, size: Int = 30) {
        self.number = number
        self.size = size
    }

    func check() throws(StoreError) {
        guard (1...Self.lastNumber).contains(number) else {
            throw .invalid(parameter: "page", reason: "must be 1 to \(Self.lastNumber)")
        }
        guard (1...Self.mostElements).contains(size) else {
            throw .invalid(parameter: "perPage", reason: "must be 1 to \(Self.mostElements)")
        }
    }

    /// Elements on the pages before; only after `check`.
    var offset: Int { (number - 1) * size }
}

/// A part of a list, and how long the list was at the same moment.
public struct Page<Element: Sendable>: Sendable {
    public var elements: [Element]
    /// Elements on all pages.
    public var total: Int
    public var request: PageRequest

    public init(elements: [Element], total: Int, request: PageRequest) {
        self.elements = elements
        self.total = total
        self.request = request
    }

    /// 0 if the list is empty.
    public var totalPages: Int {
        (total + request.size - 1) / request.size
    }
}

extension Page: Equatable where Element: Equatable {}
