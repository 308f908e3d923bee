/// What the server says about itself.
extension Route {
    static let documents: [Route] = [
        Route(.get, "/openapi.json", .none) { _, request, _ throws(APIError) in
            Documents.openAPI.unless(matching: request.ifNoneMatch)
        },
        Route(.get, "/asyncapi.json", .none) { _, request, _ throws(APIError) in
            Documents.asyncAPI.unless(matching: request.ifNoneMatch)
        },
        Route(.get, "/docs", .none) { _, request, _ throws(APIError) in
            Documents.page.unless(matching: request.ifNoneMatch)
        },
    ]
}
