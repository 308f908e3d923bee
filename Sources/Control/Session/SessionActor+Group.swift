import Meeting
import Observability
import Storage

/// What comes to a session from its group, and goes there.
extension SessionActor {
    /// A user is no longer in the group. From when this returns it is neither seen nor heard.
    func memberRemoved(_ uid: String, by author: Author) async {
        guard guid != nil else { return }
        meeting.memberRemoved(uid, by: author, now: clock.now())
        await settle()
    }

    /// A user has another scope in the group.
    func memberScopeChanged(_ uid: String, to scope: Scope, by author: Author) async {
        guard guid != nil else { return }
        meeting.memberScopeChanged(uid, to: scope, by: author, now: clock.now())
        await settle()
    }

    /// Ends the meeting for all.
    func end() async {
        // A back end may, and there is nothing else that it could be refused for.
        try? meeting.endSession(by: .backEnd, now: clock.now())
        await settle()
    }

    /// Ends the meeting if nobody is in, on its way in or waiting; says whether it did.
    func endIfUnused() async -> Bool {
        guard places.isEmpty else { return false }
        await end()
        return true
    }

    /// Changes how many may be in.
    func setPlaces(_ places: Int) async {
        guard places != meeting.session.maxParticipants else { return }
        try? meeting.setCapacity(places, by: .backEnd, now: clock.now())
        await settle()
    }

    /// The history that the session's messages belong to.
    var conversation: Conversation {
        guid.map(Conversation.group) ?? .session(id)
    }

    /// Whether a user is in.
    func isIn(_ uid: String) -> Bool {
        places.values.contains { $0.uid == uid && $0.joinedAt != nil }
    }

    /// A user's participant; of several devices the one that may do most.
    func participant(of uid: String) -> ParticipantID? {
        let own = meeting.roster.filter { $0.uid == uid }
        return own.max { $0.scope < $1.scope }?.id
    }

    /// Sends a message for somebody who is in. It is told, and kept if it should be, when this returns.
    func send(_ draft: Message.Draft, from participant: ParticipantID) async throws(APIError) -> Message {
        try await send { (meeting: inout MeetingSession) throws(MeetingError) in
            try meeting.sendMessage(draft, from: participant, messageID: RandomID.make(), now: clock.now())
        }
    }

    /// As above, for a user: for one who is in as such, for anybody else from outside.
    func send(_ draft: Message.Draft, from user: StoredMessage.Sender) async throws(APIError) -> Message {
        if let inside = places.first(where: { $0.value.uid == user.uid && $0.value.joinedAt != nil })?.key {
            return try await send(draft, from: inside)
        }
        return try await send { (meeting: inout MeetingSession) throws(MeetingError) in
            try meeting.sendMessage(
                draft, fromOutside: user.uid, name: user.name, messageID: RandomID.make(), now: clock.now())
        }
    }

    private func send(
        _ command: (inout MeetingSession) throws(MeetingError) -> Message
    ) async throws(APIError) -> Message {
        let message: Message
        do throws(MeetingError) {
            message = try command(&meeting)
        } catch {
            throw APIError(error)
        }
        await settle()
        guard unkept.remove(message.id) == nil else {
            throw APIError(.exception, "the message was told and couldn't be kept")
        }
        return message
    }

    // MARK: - In the queue

    func keep(_ message: Message) async {
        do throws(StoreError) {
            try await store.addMessage(StoredMessage(message, in: conversation))
        } catch {
            unkept.insert(message.id)
            log.error("\(error)", key: "store")
        }
    }

    /// Tells the members of the group, wherever they are.
    func tellGroup(_ output: Output) async {
        guard let guid, let event = GroupEvent(output), let text = AppEvent.text(event) else { return }
        do throws(StoreError) {
            presence.tell(try await store.memberUIDs(of: guid), text)
        } catch {
            log.warning("\(error)", key: "store")
        }
    }
}

extension StoredMessage {
    init(_ message: Message, in conversation: Conversation) {
        self.init(
            id: message.id, conversation: conversation,
            sender: Sender(uid: message.senderUID, name: message.senderName),
            category: message.text == nil ? .custom : .text, type: message.type, text: message.text,
            data: message.data, sentAt: message.sentAt)
    }
}
