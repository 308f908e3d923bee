import Synchronization

/// Runs verbs that only read: each sees one moment of the database.
struct Viewer {
    let database: Database
    let counters: StoreCounters

    func run(_ jobs: [Job]) {
        for job in jobs {
            counters.reads.add(1, ordering: .relaxed)
            do throws(StoreError) {
                try database.run("BEGIN")
            } catch {
                job.refuse(error)
                continue
            }
            let attempt = job.run(database)
            database.undo()
            attempt.answer(nil)
        }
    }
}
