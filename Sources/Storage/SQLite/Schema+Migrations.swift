extension Schema {
    /// In order; the n-th leads to version n.
    static let migrations = [directory, messages, calls, tokens, life, deletions]

    /// 1: users, groups, members, bans.
    private static let directory = Migration(statements: [
        """
        CREATE TABLE users (
            uid TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            avatar TEXT,
            metadata TEXT
        ) STRICT
        """,
        """
        CREATE TABLE groups (
            guid TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            kind TEXT NOT NULL,
            password_hash TEXT,
            owner TEXT REFERENCES users (uid),
            max_participants INTEGER,
            metadata TEXT
        ) STRICT
        """,
        "CREATE INDEX groups_by_owner ON groups (owner)",
        """
        CREATE TABLE members (
            guid TEXT NOT NULL REFERENCES groups (guid) ON DELETE CASCADE,
            uid TEXT NOT NULL REFERENCES users (uid) ON DELETE CASCADE,
            scope TEXT NOT NULL,
            joined_at INTEGER NOT NULL,
            PRIMARY KEY (guid, uid)
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX members_by_time ON members (guid, joined_at, uid)",
        "CREATE INDEX members_by_user ON members (uid, guid)",
        // A ban outlives the user: whoever gets the uid next is banned still.
        """
        CREATE TABLE bans (
            guid TEXT NOT NULL REFERENCES groups (guid) ON DELETE CASCADE,
            uid TEXT NOT NULL,
            banned_at INTEGER NOT NULL,
            until INTEGER,
            PRIMARY KEY (guid, uid)
        ) STRICT, WITHOUT ROWID
        """,
    ])

    /// 2: messages. They refer to no user and no group, so that they stay when those are deleted.
    private static let messages = Migration(statements: [
        """
        CREATE TABLE messages (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            place TEXT NOT NULL,
            first_id TEXT NOT NULL,
            second_id TEXT NOT NULL,
            sender_uid TEXT NOT NULL,
            sender_name TEXT NOT NULL,
            category TEXT NOT NULL,
            type TEXT NOT NULL,
            text TEXT,
            data TEXT,
            metadata TEXT,
            sent_at INTEGER NOT NULL
        ) STRICT
        """,
        "CREATE INDEX messages_by_time ON messages (place, first_id, second_id, sent_at, number)",
    ])

    /// 3: the call log.
    private static let calls = Migration(statements: [
        """
        CREATE TABLE calls (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            session_id TEXT NOT NULL,
            meeting_id TEXT,
            initiator_uid TEXT NOT NULL,
            initiator_name TEXT NOT NULL,
            receiver_kind TEXT,
            receiver_id TEXT,
            receiver_name TEXT,
            kind TEXT NOT NULL,
            mode TEXT NOT NULL,
            status TEXT NOT NULL,
            initiated_at INTEGER NOT NULL,
            started_at INTEGER,
            ended_at INTEGER,
            audio_seconds INTEGER NOT NULL,
            video_seconds INTEGER NOT NULL,
            metadata TEXT
        ) STRICT
        """,
        "CREATE INDEX calls_by_time ON calls (initiated_at, number)",
        "CREATE INDEX calls_by_session ON calls (session_id, initiated_at, number)",
        "CREATE INDEX calls_by_initiator ON calls (initiator_uid)",
        "CREATE INDEX calls_by_receiver ON calls (receiver_kind, receiver_id)",
        "CREATE INDEX calls_by_status ON calls (status, initiated_at, number)",
        """
        CREATE TABLE call_participants (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            call INTEGER NOT NULL REFERENCES calls (number) ON DELETE CASCADE,
            id TEXT NOT NULL,
            uid TEXT NOT NULL,
            name TEXT NOT NULL,
            device_id TEXT,
            state TEXT NOT NULL,
            joined_at INTEGER,
            left_at INTEGER,
            UNIQUE (call, id)
        ) STRICT
        """,
        "CREATE INDEX call_participants_by_user ON call_participants (uid, call)",
        """
        CREATE TABLE call_recordings (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            call INTEGER NOT NULL REFERENCES calls (number) ON DELETE CASCADE,
            id TEXT NOT NULL,
            url TEXT NOT NULL,
            started_at INTEGER NOT NULL,
            ended_at INTEGER,
            UNIQUE (call, id)
        ) STRICT
        """,
    ])

    /// 4: tokens that were revoked before they expired.
    private static let tokens = Migration(statements: [
        """
        CREATE TABLE revoked_tokens (
            id TEXT NOT NULL PRIMARY KEY,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX revoked_tokens_by_expiry ON revoked_tokens (expires_at)",
    ])

    /// 5: until when the process that wrote here is known to have lived.
    private static let life = Migration(statements: [
        """
        CREATE TABLE life (
            number INTEGER NOT NULL PRIMARY KEY CHECK (number = 1),
            alive_at INTEGER NOT NULL
        ) STRICT
        """
    ])

    /// 6: when users were deleted, whose tokens are no good since.
    private static let deletions = Migration(statements: [
        """
        CREATE TABLE deleted_users (
            uid TEXT NOT NULL PRIMARY KEY,
            deleted_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """
    ])
}
