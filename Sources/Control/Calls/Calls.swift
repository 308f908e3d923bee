import JSON
import Meeting
import Storage

/// What `initiateCall` and `POST /v1/calls` take.
struct CallBody: Decodable, Sendable {
    let receiverId: String
    let receiverType: String
    var type: String?
    var timeoutSeconds: Double?
    var metadata: JSONValue?
    var deviceId: String?
}

/// Ringing, as it is asked for: who is meant, and whether there is such a user or group.
struct Calls: Sendable {
    let core: ControlCore

    /// Rings a user who is known, or a group that the caller is a member of.
    @discardableResult
    func initiate(
        _ body: CallBody, by caller: Route.Caller, device: String?, _ answer: CallExchange.Answer? = nil
    ) async throws(APIError) -> CallRecord {
        guard core.phase == .ready else { throw .draining }
        let kind = try kind(body.type)
        let metadata = try StoredJSON.text(body.metadata, field: "metadata")
        let sender = try await core.conversations.sender(caller, uid: nil)
        let (receiver, members) = try await receiver(body, sender.uid, caller)
        let request = CallRequest(
            sessionID: CallID.make(), recordID: RandomID.make(),
            caller: CallParty(uid: sender.uid, name: sender.name), device: device, receiver: receiver,
            members: members, kind: kind, timeoutSeconds: body.timeoutSeconds, metadata: metadata)
        return try await core.exchange.initiate(request, answer)
    }

    /// Does something to a call that was made.
    @discardableResult
    func apply(
        _ verb: CallVerb, status: String? = nil, to sessionID: String, by uid: String, device: String?,
        _ answer: CallExchange.Answer? = nil
    ) async throws(APIError) -> CallRecord {
        try check(sessionID)
        guard let command = try verb.command(status) else {
            throw await core.exchange.refuseToInitiate(sessionID, by: uid)
        }
        return try await core.exchange.apply(command, to: sessionID, by: uid, device: device, answer)
    }

    /// What goes on in a group: its meeting, and its call.
    func active(in guid: String, for caller: Route.Caller) async throws(APIError) -> ActiveCallResult {
        _ = try await core.groups.principal(caller, in: guid)
        let meeting = await core.registry.running(guid)?.activeMeeting()
        let call = await core.exchange.activeCall(ofGroup: guid)
        return ActiveCallResult(
            session: meeting.map { SessionObject($0.session) }, isLocked: meeting?.isLocked,
            isFull: meeting?.isFull, call: call.map { CallObject($0) })
    }

    /// The user's own call.
    func active(of uid: String) async -> ActiveCallResult {
        let call = await core.exchange.activeCall(of: uid)
        return ActiveCallResult(session: nil, isLocked: nil, isFull: nil, call: call.map { CallObject($0) })
    }

    /// Refuses what is no call's id.
    private func check(_ sessionID: String) throws(APIError) {
        guard !sessionID.isEmpty else {
            throw APIError(.emptySessionID, "which call?", details: [("field", "sessionId")])
        }
        try Route.check(sessionID, field: "sessionId")
    }

    private func kind(_ type: String?) throws(APIError) -> CallRecord.Kind {
        guard let kind = CallRecord.Kind(rawValue: type ?? CallRecord.Kind.video.rawValue) else {
            throw Query.refusal(of: "type", "must be audio or video")
        }
        return kind
    }

    private func receiver(
        _ body: CallBody, _ uid: String, _ caller: Route.Caller
    ) async throws(APIError) -> (CallReceiver, members: [CallParty]) {
        let id = body.receiverId
        switch try Client.receiver(body.receiverType, id) {
        case .user:
            if id == uid { throw APIError(MeetingError.callingSelf) }
            let user = try await core.stored { store throws(StoreError) in try await store.user(id) }
            guard let user else { throw APIError(StoreError.notFound(.user(id))) }
            return (CallReceiver(kind: .user, id: id, name: user.name), [])
        case .group:
            _ = try await core.groups.principal(caller, in: id)
            let group = try await core.groups.group(id)
            let count = try await core.stored { store throws(StoreError) in
                try await store.members(of: id, PageRequest(size: 1)).total
            }
            guard count <= CallRequest.mostCalled + 1 else { throw APIError(CallRequest.tooManyCalled) }
            let members = try await core.stored { store throws(StoreError) in
                try await store.memberParties(of: id)
            }
            return (CallReceiver(kind: .group, id: id, name: group.name), members)
        }
    }
}

/// The ends of the requests that change a call.
enum CallVerb: String, Sendable {
    case accept, reject, cancel, end

    /// What is asked for; nil: to make the call anew, which nobody can.
    func command(_ status: String?) throws(APIError) -> CallCommand? {
        switch (self, status) {
        case (.accept, nil): .accept
        case (.end, nil): .end
        case (.reject, nil), (.reject, "rejected"): .reject
        case (.reject, "busy"): .busy
        case (.cancel, nil), (.cancel, "cancelled"), (.cancel, "canceled"): .cancel
        case (.cancel, "unanswered"): .unanswered
        case (.reject, "initiated"), (.cancel, "initiated"): nil
        case (.reject, _): throw Query.refusal(of: "status", "must be rejected or busy")
        case (.cancel, _): throw Query.refusal(of: "status", "must be cancelled or unanswered")
        case (.accept, _), (.end, _): throw Query.refusal(of: "status", "isn't for this")
        }
    }
}

/// A call, as it is answered to who asked for something.
struct CallResult: Encodable, Sendable {
    let call: CallObject
}

/// The answer to `getActiveCall`.
struct ActiveCallResult: Encodable, Sendable {
    let session: SessionObject?
    let isLocked: Bool?
    let isFull: Bool?
    let call: CallObject?
}

extension ControlCore {
    var calls: Calls { Calls(core: self) }

    /// A socket gets what its user is told from now on: calls that ring already, too.
    func greet(_ socket: Socket, as uid: String) {
        Task { await exchange.greet(socket, as: uid) }
    }

    /// Hands on what sessions tell, until the feed ends.
    func followMeetings() async {
        await feed.read { news in
            if CallID.isOne(news.sessionID) { await exchange.take(news) } else { await meetings.take(news) }
        }
    }
}
