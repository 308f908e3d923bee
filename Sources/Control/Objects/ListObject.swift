import Storage

/// A page of a list as the API shows it.
struct ListObject<Element: Encodable>: Encodable {
    struct Meta: Encodable {
        let pagination: Pagination
    }

    struct Pagination: Encodable {
        let total: Int
        let count: Int
        let perPage: Int
        let currentPage: Int
        let totalPages: Int
    }

    let data: [Element]
    let meta: Meta

    init<Stored>(_ page: Page<Stored>, _ make: (Stored) -> Element) {
        data = page.elements.map(make)
        meta = Meta(
            pagination: Pagination(
                total: page.total, count: page.elements.count, perPage: page.request.size,
                currentPage: page.request.number, totalPages: page.totalPages))
    }
}

extension Page {
    /// A page of what is all there. Errors: no such page can be asked for.
    init(of all: [Element], _ request: PageRequest) throws(APIError) {
        guard (1...PageRequest.lastNumber).contains(request.number) else {
            throw Query.refusal(of: "page", "must be 1 to \(PageRequest.lastNumber)")
        }
        guard (1...PageRequest.mostElements).contains(request.size) else {
            throw Query.refusal(of: "perPage", "must be 1 to \(PageRequest.mostElements)")
        }
        let rest = all.dropFirst((request.number - 1) * request.size)
        self.init(elements: Array(rest.prefix(request.size)), total: all.count, request: request)
    }
}

/// A list that has no pages.
struct DataObject<Element: Encodable>: Encodable {
    let data: [Element]
}
