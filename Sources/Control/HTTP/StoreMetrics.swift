import Observability
import Storage

/// What the store counts, as metrics.
enum StoreMetrics {
    static func samples(_ statistics: StoreStatistics) -> [MetricSample] {
        [
            .counter(
                "rostrum_store_commits_total", help: "Transactions that were committed to the database.",
                statistics.commits),
            .counter(
                "rostrum_store_writes_total", help: "Changes asked of the database, refused ones included.",
                statistics.writes),
            .counter(
                "rostrum_store_reads_total", help: "Questions that the database answered.",
                statistics.reads),
            .counter(
                "rostrum_store_refused_total",
                help: "Changes and questions turned away because too many waited for the database.",
                statistics.refused),
            .gauge(
                "rostrum_store_waiting", help: "Changes and questions that wait for the database.",
                Double(statistics.waiting)),
        ]
    }
}
