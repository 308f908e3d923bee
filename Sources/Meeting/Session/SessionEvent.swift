/// Why somebody is no longer in a meeting.
public enum LeaveReason: String, Sendable {
    case left, removed, timeout, replaced, ended
}

/// What participants are told. Indirect, so that the logs of all participants share one copy of an event.
public indirect enum SessionEvent: Sendable, Equatable {
    case sessionJoined(Session, Participant)
    case sessionLeft(LeaveReason)
    case sessionUpdated(Session)
    case participantJoined(Participant)
    case participantLeft(Participant, LeaveReason)
    /// Everybody in the roster, in join order.
    case participantListChanged([Participant])
    /// `changed` names the fields that differ from before.
    case participantUpdated(Participant, changed: [String])
    case participantConnectionLost(Participant)
    case participantConnectionRestored(Participant)
    case participantAudioMuted(Participant)
    case participantAudioUnmuted(Participant)
    case participantVideoPaused(Participant)
    case participantVideoResumed(Participant)
    case participantStartedScreenShare(Participant)
    case participantStoppedScreenShare(Participant)
    case participantHandRaised(Participant, [Hand])
    case participantHandLowered(Participant, [Hand])
    case dominantSpeakerChanged(Participant?)
    case seatsChanged([Seat])
    case message(Message)

    /// Its name in the API.
    public var name: String {
        switch self {
        case .sessionJoined: "sessionJoined"
        case .sessionLeft: "sessionLeft"
        case .sessionUpdated: "sessionUpdated"
        case .participantJoined: "participantJoined"
        case .participantLeft: "participantLeft"
        case .participantListChanged: "participantListChanged"
        case .participantUpdated: "participantUpdated"
        case .participantConnectionLost: "participantConnectionLost"
        case .participantConnectionRestored: "participantConnectionRestored"
        case .participantAudioMuted: "participantAudioMuted"
        case .participantAudioUnmuted: "participantAudioUnmuted"
        case .participantVideoPaused: "participantVideoPaused"
        case .participantVideoResumed: "participantVideoResumed"
        case .participantStartedScreenShare: "participantStartedScreenShare"
        case .participantStoppedScreenShare: "participantStoppedScreenShare"
        case .participantHandRaised: "participantHandRaised"
        case .participantHandLowered: "participantHandLowered"
        case .dominantSpeakerChanged: "dominantSpeakerChanged"
        case .seatsChanged: "seatsChanged"
        case .message: "message"
        }
    }

    /// Roughly what keeping it costs, in bytes.
    var weight: Int {
        guard case .message(let message) = self else { return 256 }
        return 256 + (message.text?.utf8.count ?? 0) + (message.data?.utf8.count ?? 0)
    }
}

/// An event as one participant gets it.
public struct NumberedEvent: Sendable, Equatable {
    /// Counts up by one in each participant's stream, from 1.
    public var seq: Int
    /// Milliseconds since 1970.
    public var at: Int64
    public var event: SessionEvent
}

/// What a command brings about, in the order in which it has to happen.
public enum Output: Sendable, Equatable {
    public struct Recipient: Sendable, Equatable {
        public var participant: ParticipantID
        public var seq: Int
    }

    /// Tell these; `at` is in milliseconds since 1970.
    case event(SessionEvent, at: Int64, to: [Recipient])
    /// Forward, or stop to forward, what a participant sends from a source.
    case setSource(Source, of: ParticipantID, live: Bool)
    /// Drop its media; its socket has nothing more to do with the meeting.
    case drop(ParticipantID, LeaveReason)
    /// The last one left.
    case over
}
