import Meeting

/// Call records as rows and back.
extension Database {
    static let allCalls: SQL = """
        SELECT number, id, session_id, meeting_id, initiator_uid, initiator_name, receiver_kind, receiver_id,
            receiver_name, kind, mode, status, initiated_at, started_at, ended_at, audio_seconds, video_seconds, metadata
        FROM calls
        """

    /// A call's own columns, the id last.
    static func values(of call: CallRecord) -> [SQLValue] {
        [
            .text(call.sessionID), .optional(call.meetingID), .text(call.initiator.uid),
            .text(call.initiator.name), .optional(call.receiver?.kind.rawValue), .optional(call.receiver?.id),
            .optional(call.receiver?.name), .word(call.kind), .word(call.mode), .word(call.status),
            .integer(call.initiatedAt), .optional(call.startedAt), .optional(call.endedAt),
            .integer(call.audioSeconds), .integer(call.videoSeconds), .optional(call.metadata),
            .text(call.id),
        ]
    }

    static func makeCall(_ row: Row) throws(StoreError) -> (number: Int64, call: CallRecord) {
        let call = CallRecord(
            id: try row.text(1), sessionID: try row.text(2), meetingID: row.optionalText(3),
            initiator: CallParty(uid: try row.text(4), name: try row.text(5)),
            receiver: try makeReceiver(row), kind: try row.word(9), mode: try row.word(10),
            status: try row.word(11), initiatedAt: row.integer(12), startedAt: row.optionalInteger(13),
            endedAt: row.optionalInteger(14), audioSeconds: Int(row.integer(15)),
            videoSeconds: Int(row.integer(16)), metadata: row.optionalText(17))
        return (row.integer(0), call)
    }

    private static func makeReceiver(_ row: Row) throws(StoreError) -> CallReceiver? {
        guard row.optionalText(6) != nil else { return nil }
        return CallReceiver(kind: try row.word(6), id: try row.text(7), name: try row.text(8))
    }

    static func makeParticipant(_ row: Row) throws(StoreError) -> CallParticipant {
        CallParticipant(
            id: try row.text(0), uid: try row.text(1), name: try row.text(2), deviceID: row.optionalText(3),
            state: try row.word(4), joinedAt: row.optionalInteger(5), leftAt: row.optionalInteger(6))
    }

    static func makeRecording(_ row: Row) throws(StoreError) -> CallRecording {
        CallRecording(
            id: try row.text(0), url: try row.text(1), startedAt: row.integer(2),
            endedAt: row.optionalInteger(3))
    }
}

/// A filter as the end of a statement.
struct CallConditions {
    private(set) var sql: SQL = " WHERE 1"
    private(set) var values: [SQLValue] = []

    init(_ filter: CallFilter) {
        for involved in filter.involved { add(involved) }
        if let kind = filter.kind { add(" AND kind = ?", .word(kind)) }
        if let mode = filter.mode { add(" AND mode = ?", .word(mode)) }
        if let status = filter.status { add(status, seenBy: filter) }
        if let kind = filter.receiverKind { add(" AND receiver_kind = ?", .word(kind)) }
        if let guid = filter.guid { add(" AND receiver_kind = 'group' AND receiver_id = ?", .text(guid)) }
        if let session = filter.sessionID { add(" AND session_id = ?", .text(session)) }
        if let time = filter.startedAfter {
            add(" AND coalesce(started_at, initiated_at) > ?", .integer(time))
        }
        if let time = filter.startedBefore {
            add(" AND coalesce(started_at, initiated_at) < ?", .integer(time))
        }
        if let hasRecording = filter.hasRecording {
            sql += hasRecording ? " AND EXISTS" : " AND NOT EXISTS"
            sql += " (SELECT 1 FROM call_recordings WHERE call = calls.number)"
        }
    }

    private mutating func add(_ condition: SQL, _ value: SQLValue...) {
        sql += condition
        values += value
    }

    private mutating func add(_ status: CallRecord.Status, seenBy filter: CallFilter) {
        let viewer = filter.viewer
        switch status {
        case .missed:
            guard let uid = viewer ?? filter.involved.first?.uid else {
                return add(" AND status IN ('missed', 'unanswered')")
            }
            add(" AND status IN ('missed', 'unanswered') AND initiator_uid <> ?", .text(uid))
        case .unanswered:
            add(" AND status = ?", .word(status))
            if let viewer { add(" AND initiator_uid = ?", .text(viewer)) }
        default: add(" AND status = ?", .word(status))
        }
    }

    private mutating func add(_ involved: CallFilter.Involved) {
        let uid = SQLValue.text(involved.uid)
        switch involved.direction {
        case .outgoing:
            add(" AND initiator_uid = ?", uid)
            return
        case .incoming: add(" AND initiator_uid <> ?", uid)
        case nil: break
        }
        add(
            """
             AND number IN (
                SELECT number FROM calls WHERE initiator_uid = ?
                UNION SELECT number FROM calls WHERE receiver_kind = 'user' AND receiver_id = ?
                UNION SELECT call FROM call_participants WHERE uid = ?)
            """, uid, uid, uid)
    }
}
