/// One verb on its way to the thread that has the database.
struct Job: Sendable {
    /// What it keeps in memory while it waits, bytes of text, roughly.
    var bytes: Int
    /// Runs the verb's statements. Nobody is answered yet.
    var run: @Sendable (Database) -> Attempt
    /// Answers the caller of a verb that was not run.
    var refuse: @Sendable (StoreError) -> Void

    /// A verb that did its part inside a transaction.
    struct Attempt {
        /// Why the verb failed: its part must be undone.
        var error: StoreError?
        /// Answers the caller, once the transaction's fate is known: with the verb's own result, or with the error
        /// that undid it.
        var answer: (_ undone: StoreError?) -> Void
    }

    init<Value: Sendable>(
        bytes: Int, _ body: @escaping @Sendable (Database) throws(StoreError) -> Value,
        answer: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) {
        self.bytes = bytes
        refuse = { error in answer(.failure(error)) }
        run = { database in
            do throws(StoreError) {
                let value = try body(database)
                return Attempt { undone in answer(undone.map { .failure($0) } ?? .success(value)) }
            } catch {
                return Attempt(error: error) { undone in answer(.failure(undone ?? error)) }
            }
        }
    }
}
