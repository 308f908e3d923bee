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

/// A list that has no pages.
struct DataObject<Element: Encodable>: Encodable {
    let data: [Element]
}
