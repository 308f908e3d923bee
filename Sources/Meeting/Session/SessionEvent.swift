/// Why somebody is no longer in a meeting.
public enum LeaveReason: String, Sendable {
    case left, removed, timeout, replaced, ended
}

/// What participants are told. Indirect, so that the logs of all participants share one copy of an event.
public indirect enum SessionEvent: Sendable, Equatable {
    case sessionJoined(Session, Participant)
    case sessionLeft(LeaveReason)
    case sessionUpdated(Session)
    /// It was alone for too long.
    case sessionTimedOut
    case sessionEnded(reason: String)
    case participantJoined(Participant)
    case participantLeft(Participant, LeaveReason)
    /// Everybody in the roster, in join order.
    case participantListChanged([Participant])
    /// `changed` names the fields that differ from before.
    case participantUpdated(Participant, changed: [String])
    case participantConnectionLost(Participant)
    case participantConnectionRestored(Participant)
    /// `by` in this and others: who did it, if it wasn't the participant.
    case participantAudioMuted(Participant, by: Author?)
    case participantAudioUnmuted(Participant)
    case participantVideoPaused(Participant, by: Author?)
    case participantVideoResumed(Participant)
    case participantStartedScreenShare(Participant)
    case participantStoppedScreenShare(Participant, by: Author?)
    case participantHandRaised(Participant, [Hand])
    case participantHandLowered(Participant, [Hand], by: Author?)
    case dominantSpeakerChanged(Participant?)
    /// The loudest first; for those who want to be told.
    case activeSpeakersChanged([ActiveSpeaker])
    case seatsChanged([Seat])
    /// What one is asked to send.
    case publishHint([EncodingHint])
    case message(Message)
    case unmuteRequested(by: Author)
    case removed(by: Author, reason: String?)
    /// Somebody waits to be admitted. For moderators.
    case waitingParticipant(Participant)
    /// Comes in. For moderators and the one who waited.
    case admitted(Participant, by: Author)
    /// Waits no longer: sent away by somebody, or gone by itself. For moderators and the one who waited.
    case denied(Participant, by: Author?)
    case idleWarning(secondsLeft: Int)
    /// How well it is connected has changed.
    case connectionQuality(Participant)
    /// `deadlineAt`: milliseconds since 1970.
    case serverDraining(deadlineAt: Int64)

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
        case .activeSpeakersChanged: "activeSpeakersChanged"
        case .seatsChanged: "seatsChanged"
        case .publishHint: "publishHint"
        case .message: "message"
        case .sessionTimedOut: "sessionTimedOut"
        case .sessionEnded: "sessionEnded"
        case .unmuteRequested: "unmuteRequested"
        case .removed: "removed"
        case .waitingParticipant: "waitingParticipant"
        case .admitted: "admitted"
        case .denied: "denied"
        case .idleWarning: "idleWarning"
        case .connectionQuality: "connectionQuality"
        case .serverDraining: "serverDraining"
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
