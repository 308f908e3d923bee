/// Chat and app messages. They aren't part of a snapshot: whoever joins reads those that were kept in the history.
extension MeetingSession {
    /// Sends to everyone or to those listed; the sender gets it too, so that all see one order.
    ///
    /// - Parameter messageID: made up by the caller.
    @discardableResult
    public mutating func sendMessage(
        _ draft: Message.Draft, from id: ParticipantID, messageID: String, now time: Int64
    ) throws(MeetingError) -> Message {
        let sender = try joined(id).participant
        try check(draft)
        clock(time)
        let message = Message(
            id: messageID, sender: id, senderUID: sender.uid, senderName: sender.name, type: draft.type,
            text: draft.text, data: draft.data, sentAt: now)
        deliver(message, draft)
        return message
    }

    /// Sends for somebody who isn't in the meeting: a back end, or a member of the group.
    @discardableResult
    public mutating func sendMessage(
        _ draft: Message.Draft, fromOutside uid: String, name: String, messageID: String, now time: Int64
    ) throws(MeetingError) -> Message {
        if isOver { throw .over }
        try check(draft)
        clock(time)
        let message = Message(
            id: messageID, sender: nil, senderUID: uid, senderName: name, type: draft.type, text: draft.text,
            data: draft.data, sentAt: now)
        deliver(message, draft)
        return message
    }

    // MARK: - Parts

    private mutating func deliver(_ message: Message, _ draft: Message.Draft) {
        if draft.persist { put(.keep(message)) }
        guard let listed = draft.to else { return tellAll(.message(message)) }
        var wanted = Set(listed)
        if let sender = message.sender { wanted.insert(sender) }
        tell(.message(message), to: order.filter(wanted.contains))
    }

    private func check(_ draft: Message.Draft) throws(MeetingError) {
        guard !draft.type.isEmpty else { throw .invalid(field: "type", reason: "must not be empty") }
        try Limit.checkLength(draft.type, field: "type", limit: Limit.id)
        if let text = draft.text { try Limit.checkLength(text, field: "text", limit: Limit.text) }
        if let data = draft.data, data.utf8.count > Limit.data {
            throw .invalid(field: "data", reason: "must be at most \(Limit.data) bytes")
        }
        guard let to = draft.to else { return }
        guard !to.isEmpty else { throw .invalid(field: "to", reason: "must not be empty") }
        guard !draft.persist else {
            throw .invalid(
                field: "persist", reason: "is for messages to everyone: the history has no private ones")
        }
        for id in to where members[id]?.hasJoined != true { throw .participantNotFound }
    }
}
