import Observability
import Testing

@Test func `the page is what Prometheus expects`() async {
    let registry = MetricRegistry()
    registry.counter("rostrum_joins_total", help: "Joins.", labels: ["result": "ok"]).increment(by: 3)
    registry.counter("rostrum_joins_total", help: "Joins.", labels: ["result": "a\\b\"c\nd"]).increment()
    registry.gauge("rostrum_load", help: "Load, \\ 1\nfor all.").set(0.25)
    let histogram = registry.histogram("rostrum_join_seconds", help: "Time.", bounds: [0.1, 1, 2.5])
    for value in [0.05, 0.1, 0.5, 2, 100, .nan] { histogram.observe(value) }
    registry.collect {
        [
            .counter(
                "rostrum_packets_total", help: "Packets.", labels: ["worker": "0"],
                9_007_199_254_740_991 as UInt64),
            .counter("rostrum_packets_total", help: "Packets.", labels: ["worker": "1"], 0),
            .gauge("rostrum_up", help: "Up.", .infinity),
        ]
    }
    #expect(
        await registry.page() == #"""
            # HELP rostrum_join_seconds Time.
            # TYPE rostrum_join_seconds histogram
            rostrum_join_seconds_bucket{le="0.1"} 2
            rostrum_join_seconds_bucket{le="1"} 3
            rostrum_join_seconds_bucket{le="2.5"} 4
            rostrum_join_seconds_bucket{le="+Inf"} 5
            rostrum_join_seconds_sum 102.65
            rostrum_join_seconds_count 5
            # HELP rostrum_joins_total Joins.
            # TYPE rostrum_joins_total counter
            rostrum_joins_total{result="ok"} 3
            rostrum_joins_total{result="a\\b\"c\nd"} 1
            # HELP rostrum_load Load, \\ 1\nfor all.
            # TYPE rostrum_load gauge
            rostrum_load 0.25
            # HELP rostrum_packets_total Packets.
            # TYPE rostrum_packets_total counter
            rostrum_packets_total{worker="0"} 9007199254740991
            rostrum_packets_total{worker="1"} 0
            # HELP rostrum_up Up.
            # TYPE rostrum_up gauge
            rostrum_up +Inf

            """#)
}

@Test func `a histogram keeps its labels before the bound`() async {
    let registry = MetricRegistry()
    registry.histogram("h", help: "H", bounds: [1], labels: ["a": "b"]).observe(1)
    #expect(await registry.page().contains("h_bucket{a=\"b\",le=\"1\"} 1\n"))
}

@Test func `a name and its labels give the same instrument`() {
    let registry = MetricRegistry()
    let first = registry.counter("c_total", help: "C", labels: ["a": "1"])
    #expect(registry.counter("c_total", help: "C", labels: ["a": "1"]) === first)
    #expect(registry.counter("c_total", help: "C", labels: ["a": "2"]) !== first)
}

@Test func `collected samples that would spoil the page are left out`() async {
    let registry = MetricRegistry()
    registry.counter("c_total", help: "C").increment(by: 5)
    registry.collect {
        [
            .counter("c_total", help: "C", 9), .gauge("c_total", help: "C", labels: ["x": "y"], 1),
            .gauge("bad-name", help: "", 1), .gauge("1x", help: "", 1), .gauge("", help: "", 1),
            .gauge("g", help: "G", labels: ["a b": "c"], 1), .gauge("g", help: "G", labels: ["__x": "c"], 1),
        ]
    }
    #expect(await registry.page() == "# HELP c_total C\n# TYPE c_total counter\nc_total 5\n")
}

@Test func `an empty registry is an empty page`() async {
    #expect(await MetricRegistry().page().isEmpty)
}

@Test func `four threads count exactly`() async {
    let counter = Counter()
    let gauge = Gauge()
    let histogram = Histogram(bounds: [1, 2, 3])
    await withTaskGroup(of: Void.self) { group in
        for thread in 0..<4 {
            group.addTask {
                for _ in 0..<50_000 {
                    counter.increment()
                    gauge.add(thread % 2 == 0 ? 2 : -1)
                    histogram.observe(Double(thread))
                }
            }
        }
    }
    #expect(counter.value == 200_000)
    #expect(gauge.value == 100_000)
    #expect(histogram.snapshot.cumulative == [100_000, 150_000, 200_000, 200_000])
    #expect(histogram.snapshot.sum == 300_000)
}
