import Synchronization

/// Runs verbs that write: many in one transaction, each answered only after the commit.
struct Committer {
    /// Verbs in one transaction, so that the first needn't wait long for the last.
    static let mostJobs = 256

    let database: Database
    let counters: StoreCounters

    /// Runs verbs in order. Each stands or falls alone, except when the transaction as a whole fails.
    func run(_ jobs: [Job]) {
        var attempts: [Job.Attempt] = []
        for (index, job) in jobs.enumerated() {
            if attempts.isEmpty {
                do throws(StoreError) {
                    try database.run("BEGIN IMMEDIATE")
                } catch {
                    // The others would only wait for the same lock again, one after the other.
                    refuse(jobs[index...], error)
                    return
                }
            }
            attempts.append(attempt(job))
            counters.note(attempts.last?.error)
            if !database.isInTransaction {
                let error = attempts.last?.error
                answer(attempts, undone: error ?? .failed(reason: "the transaction was undone"))
                attempts = []
            }
        }
        if !attempts.isEmpty { commit(attempts) }
    }

    private func attempt(_ job: Job) -> Job.Attempt {
        do throws(StoreError) {
            try database.run("SAVEPOINT verb")
            let attempt = job.run(database)
            // A full disk, for one, makes SQLite undo the transaction by itself, with what other verbs did in it.
            guard database.isInTransaction else { return attempt }
            if attempt.error != nil { try database.run("ROLLBACK TO verb") }
            try database.run("RELEASE verb")
            return attempt
        } catch {
            // How much of the verb is in the transaction isn't known any more.
            database.undo()
            return Job.Attempt(error: error) { undone in job.refuse(undone ?? error) }
        }
    }

    private func commit(_ attempts: [Job.Attempt]) {
        do throws(StoreError) {
            try database.run("COMMIT")
            counters.commits.add(1, ordering: .relaxed)
            // What was refused wrote nothing: that says nothing of the disk.
            if attempts.contains(where: { $0.error == nil }) {
                counters.isDiskFailing.store(false, ordering: .relaxed)
            }
            answer(attempts, undone: nil)
        } catch {
            database.undo()
            counters.note(error)
            answer(attempts, undone: error)
        }
    }

    private func refuse(_ jobs: ArraySlice<Job>, _ error: StoreError) {
        counters.writes.add(jobs.count, ordering: .relaxed)
        counters.note(error)
        for job in jobs { job.refuse(error) }
    }

    private func answer(_ attempts: [Job.Attempt], undone: StoreError?) {
        counters.writes.add(attempts.count, ordering: .relaxed)
        for attempt in attempts { attempt.answer(undone) }
    }
}
