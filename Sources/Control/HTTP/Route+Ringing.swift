import JSON
import Meeting

private struct CallChange: Decodable {
    var status: String?
    var deviceId: String?
}

/// Calls that ring and go on.
extension Route {
    static let ringing: [Route] = [
        Route(.post, "/v1/calls", .authToken) { core, request, caller throws(APIError) in
            let body = try request.decode(CallBody.self)
            if let deviceID = body.deviceId { try check(deviceID, field: "deviceId") }
            let call = try await core.calls.initiate(body, by: caller, device: body.deviceId)
            return try .json(CallObject(call), status: 201)
        },
        Route(.post, "/v1/calls/{sessionId}/accept", .authToken) { core, request, caller throws(APIError) in
            try await change(.accept, core, request, caller)
        },
        Route(.post, "/v1/calls/{sessionId}/reject", .authToken) { core, request, caller throws(APIError) in
            try await change(.reject, core, request, caller)
        },
        Route(.post, "/v1/calls/{sessionId}/cancel", .authToken) { core, request, caller throws(APIError) in
            try await change(.cancel, core, request, caller)
        },
        Route(.post, "/v1/calls/{sessionId}/end", .authToken) { core, request, caller throws(APIError) in
            try await change(.end, core, request, caller)
        },
    ]

    private static func change(
        _ verb: CallVerb, _ core: ControlCore, _ request: HTTPRequest, _ caller: Caller
    ) async throws(APIError) -> HTTPResponse {
        guard case .user(let token) = caller else { throw APIError(.noAccess, "calls are between users") }
        // There is nothing that has to be said.
        let body = request.body.isEmpty ? CallChange() : try request.decode(CallChange.self)
        if let deviceID = body.deviceId { try check(deviceID, field: "deviceId") }
        let call = try await core.calls.apply(
            verb, status: body.status, to: request.parameters["sessionId"] ?? "", by: token.uid,
            device: body.deviceId)
        return try .json(CallObject(call))
    }
}
