public import Meeting

extension SQLiteStore {
    // MARK: - Messages

    public func addMessage(_ message: StoredMessage) async throws(StoreError) {
        try await write(bytes: size(message.type, message.text, message.data, message.metadata)) {
            (database) throws(StoreError) in try database.addMessage(message)
        }
    }

    public func message(_ id: String) async throws(StoreError) -> StoredMessage? {
        try await read { (database) throws(StoreError) in try database.message(id) }
    }

    public func history(_ request: HistoryRequest) async throws(StoreError) -> [StoredMessage] {
        try await read { (database) throws(StoreError) in try database.history(request) }
    }

    public func deleteMessage(_ id: String) async throws(StoreError) {
        try await write { (database) throws(StoreError) in try database.deleteMessage(id) }
    }

    public func deleteMessages(of conversation: Conversation) async throws(StoreError) -> Int {
        try await write { (database) throws(StoreError) in try database.deleteMessages(of: conversation) }
    }

    // MARK: - Calls

    public func addCall(_ call: CallRecord) async throws(StoreError) {
        try await write(bytes: size(call.metadata)) { (database) throws(StoreError) in
            try database.addCall(call)
        }
    }

    public func putCall(_ call: CallRecord) async throws(StoreError) {
        try await write(bytes: size(call.metadata)) { (database) throws(StoreError) in
            try database.putCall(call)
        }
    }

    public func updateCall(_ call: CallRecord) async throws(StoreError) {
        try await write(bytes: size(call.metadata)) { (database) throws(StoreError) in
            try database.updateCall(call)
        }
    }

    public func putParticipants(
        _ participants: [CallParticipant], in call: String
    ) async throws(StoreError) {
        try await write { (database) throws(StoreError) in
            try database.putParticipants(participants, in: call)
        }
    }

    public func putRecording(_ recording: CallRecording, in call: String) async throws(StoreError) {
        try await write { (database) throws(StoreError) in try database.putRecording(recording, in: call) }
    }

    public func call(_ id: String) async throws(StoreError) -> CallRecord? {
        try await read { (database) throws(StoreError) in try database.call(id) }
    }

    public func latestCall(in sessionID: String) async throws(StoreError) -> CallRecord? {
        try await read { (database) throws(StoreError) in try database.latestCall(in: sessionID) }
    }

    public func calls(_ filter: CallFilter, _ page: PageRequest) async throws(StoreError) -> Page<CallRecord>
    {
        try await read { (database) throws(StoreError) in try database.calls(filter, page) }
    }

    public func noteAlive(at time: Int64) async throws(StoreError) {
        try await write { (database) throws(StoreError) in try database.noteAlive(at: time) }
    }

    @discardableResult
    public func closeCalls(at time: Int64?) async throws(StoreError) -> Int {
        try await write { (database) throws(StoreError) in try database.closeCalls(at: time) }
    }

    // MARK: - Revoked tokens

    public func revokeToken(_ token: RevokedToken) async throws(StoreError) {
        try await write { (database) throws(StoreError) in try database.revokeToken(token) }
    }

    public func isTokenRevoked(
        _ id: String, of uid: String, issuedAt: Int64?
    ) async throws(StoreError) -> Bool {
        try await read { (database) throws(StoreError) in
            try database.isTokenRevoked(id, of: uid, issuedAt: issuedAt)
        }
    }

    public func revokedTokens(
        now: Int64, _ page: PageRequest
    ) async throws(StoreError) -> Page<RevokedToken> {
        try await read { (database) throws(StoreError) in try database.revokedTokens(now: now, page) }
    }

    @discardableResult
    public func forgetExpiredTokens(now: Int64) async throws(StoreError) -> Int {
        try await write { (database) throws(StoreError) in try database.forgetExpiredTokens(now: now) }
    }
}
