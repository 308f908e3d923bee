import Meeting

/// What a viewer says about what it shows and wants.
extension Method {
    static let viewing: [Method] = [
        method("setLayout", LayoutParams.self) { client, params, reply throws(APIError) in
            let member = try await client.member()
            try await member.session.setViewing(of: member.participant, try params.change())
            reply.succeed(NoResult())
        },
        method("pinParticipant", PinParams.self) { client, params, reply throws(APIError) in
            let member = try await client.member()
            try await member.session.pin(params.target, params.mediaSource, for: member.participant)
            reply.succeed(NoResult())
        },
        method("unpinParticipant", PinParams.self) { client, params, reply throws(APIError) in
            let member = try await client.member()
            try await member.session.unpin(params.target, params.mediaSource, for: member.participant)
            reply.succeed(NoResult())
        },
        method("setReceiveLimits", ReceiveLimitParams.self) { client, params, reply throws(APIError) in
            let member = try await client.member()
            try await member.session.setViewing(of: member.participant, try params.change())
            reply.succeed(NoResult())
        },
    ]
}
