/// A chat or app message within a session.
public struct Message: Sendable, Equatable {
    /// What it carries, and whom it is for.
    public struct Draft: Sendable {
        /// A word of the sender's choice: `chat`, `reaction`, …
        public var type: String
        public var text: String?
        /// JSON text.
        public var data: String?
        /// Everyone, if nil.
        public var to: [ParticipantID]?
        /// Whether it is kept in the session's history; one that isn't for everyone can't be.
        public var persist: Bool

        public init(
            type: String, text: String? = nil, data: String? = nil, to: [ParticipantID]? = nil,
            persist: Bool = false
        ) {
            self.type = type
            self.text = text
            self.data = data
            self.to = to
            self.persist = persist
        }
    }

    public let id: String
    /// Nil: somebody who isn't in the meeting.
    public let sender: ParticipantID?
    public let senderUID: String
    public let senderName: String
    public let type: String
    public let text: String?
    /// JSON text.
    public let data: String?
    /// Milliseconds since 1970.
    public let sentAt: Int64
}
