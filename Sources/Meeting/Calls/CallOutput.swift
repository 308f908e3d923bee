/// What somebody in a call asks for.
public enum CallCommand: Sendable, Equatable, CaseIterable {
    /// Takes the call. In a group call: joins it, for the first time or again.
    case accept
    case reject
    /// Turns it down, being in another call.
    case busy
    /// The caller gives up before anybody answered.
    case cancel
    /// The caller's own clock ran out.
    case unanswered
    /// Hangs up. In a group call: leaves it; it ends when the last one has left.
    case end
}

/// Some or all of a user's devices.
///
/// Devices are told apart by whatever text the caller of this API gives them: it has to outlive a socket.
public struct CallAddress: Sendable, Equatable {
    public enum Devices: Sendable, Equatable {
        case all
        case only(String)
        case allBut(String)
    }

    public var uid: String
    public var devices: Devices

    public init(uid: String, devices: Devices = .all) {
        self.uid = uid
        self.devices = devices
    }
}

/// What users are told about a call, with the call as it is then.
public enum CallEvent: Sendable, Equatable {
    /// Why a device stops ringing.
    public enum CancelReason: String, Sendable {
        case cancelled
        /// Accepted or rejected on another device.
        case answeredElsewhere
        case timeout
    }

    case incomingCallReceived(CallRecord)
    case outgoingCallAccepted(CallRecord, by: CallParty)
    /// The status is the record's: rejected, busy or unanswered.
    case outgoingCallRejected(CallRecord)
    case incomingCallCancelled(CallRecord, CancelReason)
    case callEnded(CallRecord)

    /// Its name in the API.
    public var name: String {
        switch self {
        case .incomingCallReceived: "incomingCallReceived"
        case .outgoingCallAccepted: "outgoingCallAccepted"
        case .outgoingCallRejected: "outgoingCallRejected"
        case .incomingCallCancelled: "incomingCallCancelled"
        case .callEnded: "callEnded"
        }
    }

    public var record: CallRecord {
        switch self {
        case .incomingCallReceived(let record), .outgoingCallAccepted(let record, _),
            .outgoingCallRejected(let record), .incomingCallCancelled(let record, _), .callEnded(let record):
            record
        }
    }
}

/// What a command on a call brings about, in the order in which it has to happen.
public enum CallOutput: Sendable, Equatable {
    /// Write this to the call log, over what it has under the same id. Comes first: nobody is told before.
    case record(CallRecord)
    case event(CallEvent, to: [CallAddress])
    /// Wake the phones of these users: an incoming call.
    case push(CallRecord, to: [String])
    /// The user's devices have to leave the call's session, in which they still are.
    case leaveSession(String, uid: String)
    /// Whoever is still in the call's session has to leave it.
    case endSession(String)
}
