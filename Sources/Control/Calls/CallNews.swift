import Meeting

/// What users are told about a call. Without its participants: a group's call has many, each of whom is told.
struct CallNews: Encodable {
    struct Party: Encodable {
        let uid: String
        let name: String
    }

    let call: CallObject
    /// Who accepted.
    var by: Party?
    /// Why the caller was turned down.
    var status: String?
    /// Why a device stops to ring.
    var reason: String?

    init(_ event: CallEvent) {
        call = CallObject(event.record.withoutParticipants, isWhole: false)
        switch event {
        case .incomingCallReceived, .callEnded: break
        case .outgoingCallAccepted(_, let party): by = Party(uid: party.uid, name: party.name)
        case .outgoingCallRejected(let record): status = record.status.rawValue
        case .incomingCallCancelled(_, let why): reason = why.rawValue
        }
    }
}
