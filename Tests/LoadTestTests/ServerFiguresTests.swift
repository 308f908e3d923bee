import Testing

@testable import LoadTest

struct ServerFiguresTests {
    @Test func `each media thread has its own figures, and what is no total isn't subtracted`() {
        let page = MetricsPage(
            "rostrum_worker_load{worker=\"0\"} 0.5\nrostrum_worker_load{worker=\"1\"} 0.25\n"
                + "rostrum_worker_participants{worker=\"1\"} 7\nrostrum_sockets 9\nrostrum_x_total 9\n")
        #expect(page.workers.map(\.load) == [0.5, 0.25])
        #expect(page.workers.map(\.participants) == [0, 7])
        let now = ServerFigures(metrics: page.values, workers: page.workers, kernelDrops: 12)
        let window = now.since(ServerFigures(metrics: page.values, kernelDrops: 2))
        #expect(window.metrics["rostrum_sockets"] == 9)
        #expect(window.metrics["rostrum_x_total"] == 0)
        #expect(window.kernelDrops == 10)
        let report = Report(
            window: Totals(), whole: Totals(), seconds: 1, joinedNow: 0, clientLoad: 0, server: window)
        #expect(report["serverWorker1Load"] == 25)
        #expect(report["kernelDrops"] == 10)
    }

    @Test func `metrics are summed over labels, and differences taken by name`() {
        let before = MetricsPage(
            "# HELP a b\nrostrum_x_total{worker=\"0\"} 3\nrostrum_x_total{worker=\"1\"} 4\n")
        let after = MetricsPage("rostrum_x_total{worker=\"0\"} 10\nrostrum_x_total{worker=\"1\"} 5\nbroken\n")
        #expect(before.values == ["rostrum_x_total": 7])
        let use = (
            ServerUse(cpuSeconds: 1, residentBytes: 5), ServerUse(cpuSeconds: 3, residentBytes: 8)
        )
        let window = ServerFigures(use: use.1, metrics: after.values)
            .since(ServerFigures(use: use.0, metrics: before.values))
        #expect(window.metrics == ["rostrum_x_total": 8])
        #expect(window.use?.cpuSeconds == 2)
        #expect(window.use?.residentBytes == 8)
    }
}
