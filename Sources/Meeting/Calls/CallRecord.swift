/// An entry of the call log: one call, or one meeting of a session.
///
/// Names are those of the moment; they stay when users and groups are renamed or deleted.
public struct CallRecord: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        case audio, video
    }

    public enum Mode: String, Sendable, CaseIterable {
        /// Somebody was rung.
        case call
        /// A group meeting.
        case meet
        /// A meeting with presenters and viewers.
        case presenter
    }

    public enum Status: String, Sendable, CaseIterable {
        case initiated, ongoing, busy, rejected, cancelled, unanswered, missed, ended
    }

    /// Unique among all calls; made up by the caller.
    public var id: String
    public var sessionID: String
    /// Nil until the call has become a meeting.
    public var meetingID: String?
    public var initiator: CallParty
    /// Nil: a meeting of a session that isn't a group, to which nobody was rung.
    public var receiver: CallReceiver?
    public var kind: Kind
    public var mode: Mode
    public var status: Status
    /// Milliseconds since 1970.
    public var initiatedAt: Int64
    /// When it was answered or the meeting began, milliseconds since 1970; nil if that never came.
    public var startedAt: Int64?
    /// Milliseconds since 1970; nil while it goes on.
    public var endedAt: Int64?
    /// Seconds of audio, all participants together.
    public var audioSeconds: Int
    /// Seconds of video, all participants together.
    public var videoSeconds: Int
    /// JSON text.
    public var metadata: String?
    /// In the order in which they were added.
    public var participants: [CallParticipant]
    /// In the order in which they were added.
    public var recordings: [CallRecording]

    public init(
        id: String, sessionID: String, meetingID: String? = nil, initiator: CallParty,
        receiver: CallReceiver? = nil, kind: Kind = .video, mode: Mode, status: Status = .initiated,
        initiatedAt: Int64, startedAt: Int64? = nil, endedAt: Int64? = nil, audioSeconds: Int = 0,
        videoSeconds: Int = 0, metadata: String? = nil, participants: [CallParticipant] = [],
        recordings: [CallRecording] = []
    ) {
        self.id = id
        self.sessionID = sessionID
        self.meetingID = meetingID
        self.initiator = initiator
        self.receiver = receiver
        self.kind = kind
        self.mode = mode
        self.status = status
        self.initiatedAt = initiatedAt
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.audioSeconds = audioSeconds
        self.videoSeconds = videoSeconds
        self.metadata = metadata
        self.participants = participants
        self.recordings = recordings
    }

    /// What the log shows to one user: a call that somebody else made and that wasn't answered was missed.
    public func status(seenBy uid: String) -> Status {
        status == .unanswered && initiator.uid != uid ? .missed : status
    }

    /// From start to end, whole seconds; nil while it goes on or if it never started.
    public var durationSeconds: Int? {
        guard let startedAt, let endedAt else { return nil }
        return Int(max(0, endedAt - startedAt) / 1_000)
    }
}
