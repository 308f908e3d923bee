import JSON
import Meeting

struct CallParams: Decodable, Sendable {
    let sessionId: String
    var status: String?
    /// Which of the user's devices asks.
    var deviceId: String?
}

struct ActiveCallParams: Decodable, Sendable {
    var guid: String?
}

/// Ringing.
extension Client {
    func initiateCall(_ params: CallBody, _ reply: Reply) async throws(APIError) {
        let user = try await user()
        try await core.calls.initiate(params, by: user, device: device(params.deviceId)) { record in
            reply.succeed(CallResult(call: CallObject(record)))
        }
    }

    func changeCall(_ verb: CallVerb, _ params: CallParams, _ reply: Reply) async throws(APIError) {
        _ = try await user()
        guard let uid = identity?.uid else { return }
        try await core.calls.apply(
            verb, status: params.status, to: params.sessionId, by: uid, device: device(params.deviceId)
        ) { record in
            reply.succeed(CallResult(call: CallObject(record)))
        }
    }

    func getActiveCall(_ params: ActiveCallParams, _ reply: Reply) async throws(APIError) {
        let user = try await user()
        if let guid = params.guid {
            try Route.check(guid, field: "guid")
            return reply.succeed(try await core.calls.active(in: guid, for: user))
        }
        reply.succeed(await core.calls.active(of: identity?.uid ?? ""))
    }

    /// The device that this socket stands for: the one that it names, now or before, or else itself.
    private func device(_ deviceID: String?) throws(APIError) -> String {
        if let deviceID {
            try Route.check(deviceID, field: "deviceId")
            core.presence.name(socket, device: deviceID)
        }
        return core.presence.device(of: socket)
    }
}
