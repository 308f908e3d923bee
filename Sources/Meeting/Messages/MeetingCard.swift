/// What a `meeting` message invites a group to. It is stored with the defaults filled in.
public struct MeetingCard: Sendable, Equatable {
    /// The type of the messages that carry one.
    public static let type = "meeting"

    public let guid: String
    /// The session to join: the group's own, unless the card names another one.
    public let sessionID: String
    public let kind: CallRecord.Kind

    /// Checks what a client sent, and fills in what it left out: the group's session, and video.
    ///
    /// - Parameters:
    ///   - callType: `customData.callType`.
    ///   - sessionID: `customData.sessionId`.
    public init(
        receiverID: String, receiverType: String, type: String, callType: String?, sessionID: String?
    ) throws(MeetingError) {
        guard receiverType == CallReceiver.Kind.group.rawValue else { throw .invalidReceiverType }
        guard type == Self.type else { throw .invalidMessageType }
        try Limit.checkID(receiverID, field: "receiverId")
        if sessionID?.isEmpty == true { throw .emptySessionID }
        if let sessionID { try Limit.checkID(sessionID, field: "customData.sessionId") }
        guard let kind = CallRecord.Kind(rawValue: callType ?? CallRecord.Kind.video.rawValue) else {
            throw .invalid(field: "customData.callType", reason: "must be audio or video")
        }
        guid = receiverID
        self.sessionID = sessionID ?? receiverID
        self.kind = kind
    }
}
