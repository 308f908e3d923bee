import JSON
import Meeting

/// An entry of the call log as the API shows it.
struct CallObject: Encodable, Sendable {
    struct Party: Encodable, Sendable {
        var uid: String?
        var guid: String?
        let name: String
    }

    struct Participant: Encodable, Sendable {
        let uid: String
        let name: String
        let deviceId: String?
        let isJoined: Bool
        let joinedAt: Int64?
        let leftAt: Int64?
        let durationSeconds: Int?
        let state: String

        init(_ participant: CallParticipant) {
            uid = participant.uid
            name = participant.name
            deviceId = participant.deviceID
            isJoined = participant.isJoined
            joinedAt = participant.joinedAt
            leftAt = participant.leftAt
            durationSeconds = participant.durationSeconds
            state = participant.state.rawValue
        }
    }

    struct Recording: Encodable, Sendable {
        let id: String
        let url: String
        let startedAt: Int64
        let endedAt: Int64?
    }

    let sessionId: String
    let meetingId: String?
    let initiator: Party
    let receiver: Party?
    let receiverType: String?
    let type: String
    let status: String
    let mode: String
    let initiatedAt: Int64
    let startedAt: Int64?
    let endedAt: Int64?
    let durationSeconds: Int?
    let audioSeconds: Int
    let videoSeconds: Int
    let metadata: JSONValue?
    let participants: [Participant]?
    let recordings: [Recording]?

    /// - Parameters:
    ///   - uid: the user whose view it is; nil: nobody's.
    ///   - isWhole: with its participants and recordings.
    init(_ call: CallRecord, seenBy uid: String? = nil, isWhole: Bool = true) {
        sessionId = call.sessionID
        meetingId = call.meetingID
        initiator = Party(uid: call.initiator.uid, name: call.initiator.name)
        receiver = call.receiver.map { receiver in
            receiver.kind == .user
                ? Party(uid: receiver.id, name: receiver.name) : Party(guid: receiver.id, name: receiver.name)
        }
        receiverType = call.receiver?.kind.rawValue
        type = call.kind.rawValue
        status = (uid.map(call.status(seenBy:)) ?? call.status).rawValue
        mode = call.mode.rawValue
        initiatedAt = call.initiatedAt
        startedAt = call.startedAt
        endedAt = call.endedAt
        durationSeconds = call.durationSeconds
        audioSeconds = call.audioSeconds
        videoSeconds = call.videoSeconds
        metadata = call.metadata.flatMap(StoredJSON.value)
        participants = isWhole ? call.participants.map(Participant.init) : nil
        recordings =
            isWhole
            ? call.recordings.map {
                Recording(id: $0.id, url: $0.url, startedAt: $0.startedAt, endedAt: $0.endedAt)
            } : nil
    }
}
