/// Calls that go on, and what becomes of them when the process that knew them is gone.
extension Database {
    func noteAlive(at time: Int64) throws(StoreError) {
        try run(
            "INSERT INTO life (number, alive_at) VALUES (1, ?) ON CONFLICT (number) DO UPDATE SET alive_at = excluded.alive_at",
            .integer(time))
    }

    func closeCalls(at time: Int64?) throws(StoreError) -> Int {
        let end: Int64 = if let time { time } else { Int64(try number("SELECT alive_at FROM life")) }
        // What is known of a call: when it began, and when somebody last came or left.
        try run(
            """
            UPDATE calls SET ended_at = (
                SELECT max(?, initiated_at, coalesce(started_at, 0), coalesce(max(joined_at), 0),
                    coalesce(max(left_at), 0))
                FROM call_participants WHERE call = calls.number)
            WHERE status IN ('initiated', 'ongoing')
            """, .integer(end))
        // Who was in was in until then.
        try run(
            """
            UPDATE call_participants SET state = 'ended',
                left_at = max(joined_at, (SELECT ended_at FROM calls WHERE number = call_participants.call))
            WHERE state = 'ongoing' AND joined_at IS NOT NULL
                AND call IN (SELECT number FROM calls WHERE status IN ('initiated', 'ongoing'))
            """)
        try run(
            """
            UPDATE calls SET audio_seconds = (
                SELECT coalesce(sum(max(0, left_at - joined_at) / 1000), 0) FROM call_participants
                WHERE call = calls.number AND left_at IS NOT NULL)
            WHERE status = 'ongoing'
            """)
        try run("UPDATE calls SET video_seconds = audio_seconds WHERE status = 'ongoing' AND kind = 'video'")
        return try run(
            """
            UPDATE calls SET status = CASE status WHEN 'initiated' THEN 'unanswered' ELSE 'ended' END
            WHERE status IN ('initiated', 'ongoing')
            """)
    }
}
