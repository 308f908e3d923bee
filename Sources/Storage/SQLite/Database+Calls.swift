import Meeting

extension Database {
    func addCall(_ call: CallRecord) throws(StoreError) {
        guard try !has("SELECT 1 FROM calls WHERE id = ?", .text(call.id)) else {
            throw .exists(.call(call.id))
        }
        try run(
            """
            INSERT INTO calls (session_id, meeting_id, initiator_uid, initiator_name, receiver_kind, receiver_id,
                receiver_name, kind, mode, status, initiated_at, started_at, ended_at, audio_seconds, video_seconds,
                metadata, id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, Self.values(of: call))
        try putParticipants(call.participants, in: call.id)
        for recording in call.recordings { try putRecording(recording, in: call.id) }
    }

    func putCall(_ call: CallRecord) throws(StoreError) {
        guard try has("SELECT 1 FROM calls WHERE id = ?", .text(call.id)) else { return try addCall(call) }
        try updateCall(call)
        try putParticipants(call.participants, in: call.id)
        for recording in call.recordings { try putRecording(recording, in: call.id) }
    }

    func updateCall(_ call: CallRecord) throws(StoreError) {
        let changed = try run(
            """
            UPDATE calls SET session_id = ?, meeting_id = ?, initiator_uid = ?, initiator_name = ?, receiver_kind = ?,
                receiver_id = ?, receiver_name = ?, kind = ?, mode = ?, status = ?, initiated_at = ?, started_at = ?,
                ended_at = ?, audio_seconds = ?, video_seconds = ?, metadata = ?
            WHERE id = ?
            """, Self.values(of: call))
        guard changed == 1 else { throw .notFound(.call(call.id)) }
    }

    func putParticipants(_ participants: [CallParticipant], in call: String) throws(StoreError) {
        let number = try numberOfCall(call)
        for participant in participants {
            try run(
                """
                INSERT INTO call_participants (call, id, uid, name, device_id, state, joined_at, left_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (call, id) DO UPDATE SET uid = excluded.uid, name = excluded.name,
                    device_id = excluded.device_id, state = excluded.state, joined_at = excluded.joined_at,
                    left_at = excluded.left_at
                """,
                .integer(number), .text(participant.id), .text(participant.uid), .text(participant.name),
                .optional(participant.deviceID), .word(participant.state), .optional(participant.joinedAt),
                .optional(participant.leftAt))
        }
    }

    func putRecording(_ recording: CallRecording, in call: String) throws(StoreError) {
        try run(
            """
            INSERT INTO call_recordings (call, id, url, started_at, ended_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (call, id) DO UPDATE SET
                url = excluded.url, started_at = excluded.started_at, ended_at = excluded.ended_at
            """,
            .integer(try numberOfCall(call)), .text(recording.id), .text(recording.url),
            .integer(recording.startedAt), .optional(recording.endedAt))
    }

    func call(_ id: String) throws(StoreError) -> CallRecord? {
        try complete(rows(Self.allCalls + " WHERE id = ?", [.text(id)], Self.makeCall)).first
    }

    func latestCall(in sessionID: String) throws(StoreError) -> CallRecord? {
        let latest = try rows(
            Self.allCalls + " WHERE session_id = ? ORDER BY initiated_at DESC, number DESC LIMIT 1",
            [.text(sessionID)], Self.makeCall)
        return try complete(latest).first
    }

    func calls(_ filter: CallFilter, _ page: PageRequest) throws(StoreError) -> Page<CallRecord> {
        try filter.check()
        let conditions = CallConditions(filter)
        let heads = try list(
            page, counting: "SELECT count(*) FROM calls" + conditions.sql,
            listing: Self.allCalls + conditions.sql + " ORDER BY initiated_at DESC, number DESC",
            conditions.values, Self.makeCall)
        return Page(elements: try complete(heads.elements), total: heads.total, request: page)
    }

    private func numberOfCall(_ id: String) throws(StoreError) -> Int {
        let number = try first("SELECT number FROM calls WHERE id = ?", .text(id)) {
            (row) throws(StoreError) in Int(row.integer(0))
        }
        guard let number else { throw .notFound(.call(id)) }
        return number
    }

    /// Adds what other tables have about calls.
    private func complete(_ heads: [(number: Int64, call: CallRecord)]) throws(StoreError) -> [CallRecord] {
        var calls: [CallRecord] = []
        calls.reserveCapacity(heads.count)
        for head in heads {
            var call = head.call
            call.participants = try rows(
                """
                SELECT id, uid, name, device_id, state, joined_at, left_at FROM call_participants
                WHERE call = ? ORDER BY number
                """, [.integer(head.number)], Self.makeParticipant)
            call.recordings = try rows(
                "SELECT id, url, started_at, ended_at FROM call_recordings WHERE call = ? ORDER BY number",
                [.integer(head.number)], Self.makeRecording)
            calls.append(call)
        }
        return calls
    }
}
