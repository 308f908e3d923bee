import FixedCollections
import JSON
import Testing

@testable import LoadTest

struct ExpectationTests {
    private let report: Report = {
        var window = Totals()
        window.expected = 1_000
        window.original = 990
        window.repaired = 9
        window.receivedVideo.packets = 999
        for _ in 0..<100 { window.videoDelay.record(.milliseconds(8)) }
        return Report(
            window: window, whole: window, seconds: 10, joinedNow: 3, clientLoad: 0.25,
            server: ServerFigures())
    }()

    @Test(arguments: [
        ("p99Delay<20ms", true), ("p99Delay<5ms", false), ("p99Delay<20000us", true), ("p99Delay<1s", true),
        ("loss<=0.1%", true), ("loss<0.05%", false), ("lossBeforeRepair>0.5", true), ("participants=3", true),
        ("participants>=4", false), ("receivedPackets>998, loss<1%", true), ("windowSeconds=10s", true),
    ])
    func `a figure is compared in its unit`(text: String, holds: Bool) throws {
        let failures = try Expectation.parse(text).compactMap { $0.failure(in: report) }
        #expect(failures.isEmpty == holds)
    }

    @Test func `a failure says what was expected and what was`() throws {
        let expectation = try #require(try Expectation.parse("p99Delay<5ms").first)
        let failure = try #require(expectation.failure(in: report))
        #expect(failure.contains("p99Delay<5ms"))
        #expect(failure.contains("8.0"))
    }

    @Test func `a figure that doesn't exist is never as expected`() throws {
        let expectation = try #require(try Expectation.parse("happiness>1").first)
        #expect(expectation.failure(in: report) != nil)
    }

    @Test(arguments: ["p99Delay", "p99Delay<fast", "p99Delay<5 miles", "<5"])
    func `what can't be read is refused`(text: String) {
        #expect(throws: LoadError.self) { try Expectation.parse(text) }
    }

    @Test func `the report as JSON has every figure by its name`() throws {
        let text = try #require(report.json)
        let value = try JSON.parse(text)
        for figure in report.figures { #expect(value[figure.name]?.numberValue == figure.value) }
    }
}

struct ScenarioTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    @Test func `publishers come first, each at its time, in every session`() throws {
        let flags = try LoadFlags.parse(
            ["--sessions", "2", "--participants=4", "--publishers", "audio=2,video=1", "--ramp", "10"],
            environment: [:], read: { _ in nil })
        let plans = flags.scenario.plans(name: "x", start: start)
        #expect(plans.count == 8)
        #expect(plans.map(\.number) == Array(0..<8))
        #expect(plans.map(\.session) == ["x-0", "x-1", "x-0", "x-1", "x-0", "x-1", "x-0", "x-1"])
        #expect(plans.map(\.sendsVideo) == [true, true] + Array(repeating: false, count: 6))
        #expect(plans.filter(\.sendsAudio).count == 4)
        #expect(plans[7].joinAt == start + .milliseconds(700))
    }

    @Test func `a file's fields are taken, and flags go before them`() throws {
        let text = Array(#"{"participants": 30, "publishers": {"audio": 30}, "bitrateBps": 500000}"#.utf8)
        let flags = try LoadFlags.parse(
            ["classroom", "--bitrate", "1.2M", "--server", "http://10.0.0.1:80"], environment: [:],
            read: { $0 == "classroom" ? text : nil })
        #expect(flags.scenario.participants == 30)
        #expect(flags.scenario.media.videoBitsPerSecond == 1_200_000)
        #expect(flags.server == "http://10.0.0.1:80")
    }

    @Test(arguments: [
        ["--participants", "none"], ["--participants", "0"], ["--simulcast", "4"], ["--frobnicate", "1"],
        ["--key", "nocolon"], ["missing-scenario"], ["--bitrate", "1.2X"], ["--publishers", "dogs=1"],
        ["--participants", "3", "--publishers", "audio=4"], ["--duration", "-1"], ["--srtp-suite", "NULL"],
    ])
    func `what makes no sense is refused`(arguments: [String]) {
        #expect(throws: LoadError.self) {
            try LoadFlags.parse(arguments, environment: [:], read: { _ in nil })
        }
    }

    @Test func `an unknown field of a file is an error`() {
        #expect(throws: LoadError.self) { try Scenario.read(Array(#"{"particpants": 3}"#.utf8)) }
    }

    @Test func `churn lets as many come as leave, at the same moments, and senders stay`() throws {
        let flags = try LoadFlags.parse(
            [
                "--participants", "10", "--publishers", "audio=2", "--churn", "60", "--duration", "8",
                "--settle", "2",
            ],
            environment: [:], read: { _ in nil })
        let plans = flags.scenario.plans(name: "x", start: start)
        let leavers = plans.filter { $0.leaveAt != nil }
        let newcomers = plans[10...]
        #expect(leavers.count == newcomers.count)
        #expect((9...10).contains(leavers.count))
        #expect(leavers.allSatisfy { !$0.sendsAudio })
        #expect(leavers.compactMap(\.leaveAt).sorted() == newcomers.map(\.joinAt))
        #expect(plans.map(\.number) == Array(plans.indices))
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080", "127.0.0.1", 8_080, false),
        ("https://meet.example", "meet.example", 443, true),
        ("http://[::1]:9000/", "::1", 9_000, false), ("http://host", "host", 80, false),
    ])
    func `a server's address is read`(text: String, host: String, port: Int, isSecure: Bool) throws {
        let address = try #require(ServerAddress(text))
        #expect((address.host, address.port, address.isSecure) == (host, port, isSecure))
    }

    @Test(arguments: ["127.0.0.1:8080", "ftp://x:1", "http://x:0", "http://:80", "http://x:99999"])
    func `what is no address is refused`(text: String) {
        #expect(ServerAddress(text) == nil)
    }
}

struct ConversationTests {
    @Test func `one at a time talks, now and then two, and everybody has a turn`() {
        let start = Instant(nanoseconds: 1_000_000_000)
        let conversation = Conversation(
            groups: [Array(0..<4)], atOnce: 1, from: start, to: start + .seconds(300), seed: 4)
        var talkers = [Int](repeating: 0, count: 5)
        var turns = [Int](repeating: 0, count: 4)
        for tenth in 0..<3_000 {
            let now = start + .milliseconds(tenth * 100)
            let speaking = (0..<4).filter { conversation.isSpeaking($0, now) }
            talkers[speaking.count] += 1
            for speaker in speaking { turns[speaker] += 1 }
        }
        #expect(talkers[1] > 2_400)
        #expect(talkers[0] > 30)
        #expect(talkers[2] > 10)
        #expect(talkers[3] + talkers[4] < 30)
        #expect(turns.allSatisfy { $0 > 200 })
    }

    @Test func `who speaks has spoken up when its turn began, if it had been silent for a while`() throws {
        let start = Instant(nanoseconds: 1_000_000_000)
        let conversation = Conversation(
            groups: [[0, 1, 2, 3]], atOnce: 1, from: start, to: start + .seconds(300), seed: 4)
        var known = 0
        for tenth in 0..<3_000 {
            let now = start + .milliseconds(tenth * 100)
            for speaker in 0..<4 {
                guard let since = conversation.spokeUp(speaker, now) else { continue }
                known += 1
                #expect(since <= now)
                #expect(conversation.isSpeaking(speaker, now) && conversation.isSpeaking(speaker, since))
                #expect(!conversation.isSpeaking(speaker, since - .seconds(1)))
            }
        }
        #expect(known > 1_500)
        #expect(Conversation().spokeUp(0, start) == nil)
    }

    @Test func `with turns of a fixed length exactly one talks, each for so long`() throws {
        let start = Instant(nanoseconds: 1_000_000_000)
        let conversation = Conversation(
            groups: [Array(0..<4)], cameras: [2], atOnce: 1, turn: .seconds(3), from: start,
            to: start + .seconds(60), seed: 4)
        for turn in 0..<20 {
            let begun = start + .seconds(3) * turn
            let speaker = try #require((0..<4).first { conversation.isSpeaking($0, begun) })
            for tenth in 0..<30 {
                let now = begun + .milliseconds(100) * tenth
                #expect((0..<4).filter { conversation.isSpeaking($0, now) } == [speaker])
            }
        }
        #expect((0..<4).filter { conversation.isSeen($0) } == [2])
    }

    @Test func `without a conversation all talk all the time`() {
        #expect(Conversation().isSpeaking(17, Instant(nanoseconds: 5)))
    }
}

struct AdmissionTests {
    private func session(admitted: Int, peak: Int, refused: Int, left: Int = 0) -> Admission.Session {
        Admission.Session(admitted: admitted, inside: admitted - left, peak: peak, refused: refused)
    }

    @Test func `exactly as many as there are places is no error, and neither are fewer who all came in`() {
        #expect(session(admitted: 10, peak: 10, refused: 5).errors(places: 10) == 0)
        #expect(session(admitted: 7, peak: 7, refused: 0).errors(places: 10) == 0)
    }

    @Test func `whoever is let in beyond the places or refused before them is an error`() {
        #expect(session(admitted: 12, peak: 12, refused: 3).errors(places: 10) == 2)
        #expect(session(admitted: 8, peak: 8, refused: 7).errors(places: 10) == 2)
        #expect(session(admitted: 30, peak: 11, refused: 9, left: 20).errors(places: 10) == 1)
    }

    @Test func `sessions are counted apart`() {
        let admission = Admission()
        for session in ["a", "a", "b"] { admission.enter(session) }
        admission.exit("a")
        admission.refuse("b")
        #expect(admission.errors(places: 2) == 1)
        #expect(admission.refused == 1)
    }
}

struct SignallingTests {
    @Test func `a call token is a JWT of three parts, signed with the key`() throws {
        let key = try #require(LoadKey("dev:secret"))
        let token = try #require(
            key.callToken(session: "s", uid: "u", scope: "participant", expiresAt: 1_900_000_000))
        // Made with another implementation of HS256.
        #expect(token == Self.expected)
    }

    private static let expected = [
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
        "eyJpc3MiOiJkZXYiLCJzdWIiOiJ1IiwidHlwIjoiY2FsbCIsImV4cCI6MTkw"
            + "MDAwMDAwMCwic2lkIjoicyIsInNjb3BlIjoicGFydGljaXBhbnQifQ",
        "PliZae9IRuikftpGg4-Aj8tvlQa4bLLpiqrukugOmb0",
    ].joined(separator: ".")

    @Test func `an event's name is found without reading the message`() {
        #expect(EventPeek.name(of: Array(#"{"event":"seatsChanged","seq":1}"#.utf8)) == "seatsChanged")
        #expect(EventPeek.seq(of: Array(#"{"event":"x","sessionId":"y","seq":4711,"at":1}"#.utf8)) == 4_711)
        #expect(EventPeek.seq(of: Array(#"{"event":"x"}"#.utf8)) == nil)
        #expect(EventPeek.name(of: Array(#"{"id":1,"result":{}}"#.utf8)) == nil)
        #expect(EventPeek.name(of: Array(#"{"event":"without an end"#.utf8)) == nil)
    }
}

struct ImpairmentTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    @Test func `so many are lost as are to be, and each seed loses its own`() {
        var plan = NetworkPlan()
        plan.lossPercent = 10
        var (first, second, again) = (
            Impairment(plan, seed: 1), Impairment(plan, seed: 2), Impairment(plan, seed: 1)
        )
        var outcomes: [[Bool]] = [[], [], []]
        for _ in 0..<20_000 {
            outcomes[0].append(first.arrival(ofBytes: 100, now: start) == nil)
            outcomes[1].append(second.arrival(ofBytes: 100, now: start) == nil)
            outcomes[2].append(again.arrival(ofBytes: 100, now: start) == nil)
        }
        let lost = outcomes[0].count { $0 }
        // Five standard deviations.
        #expect(abs(lost - 2_000) < 212)
        #expect(outcomes[0] == outcomes[2])
        #expect(outcomes[0] != outcomes[1])
    }

    @Test func `delay and jitter are in their bounds, and nothing overtakes`() {
        var plan = NetworkPlan()
        plan.delayMs = 40
        plan.jitterMs = 10
        var network = Impairment(plan, seed: 3)
        var last = start
        var shortest = Duration.seconds(1)
        var longest = Duration.zero
        for step in 0..<2_000 {
            let now = start + .milliseconds(step * 20)
            guard let arrival = network.arrival(ofBytes: 100, now: now) else { continue }
            #expect(arrival >= last)
            last = arrival
            shortest = min(shortest, arrival - now)
            longest = max(longest, arrival - now)
        }
        #expect(shortest >= .milliseconds(40) && shortest < .milliseconds(41))
        #expect(longest <= .milliseconds(50) && longest > .milliseconds(49))
    }

    @Test func `a slow link passes its rate, and drops what would wait for too long`() {
        var plan = NetworkPlan()
        plan.rateBps = 1_000_000
        var network = Impairment(plan, seed: 3)
        var arrived = 0
        // 2 Mbit/s for ten seconds.
        for step in 0..<2_500 {
            let now = start + .milliseconds(step * 4)
            if network.arrival(ofBytes: 1_000, now: now) != nil { arrived += 1 }
        }
        // 1 Mbit/s for ten seconds, and half a second of queue.
        #expect((1_250...1_325).contains(arrived))
        #expect(network.dropped == UInt64(2_500 - arrived))
    }

    @Test func `a perfect network is none`() {
        #expect(NetworkPlan().isPerfect)
    }
}

struct CapacitySearchTests {
    /// What a search finds when so many hold.
    private func search(first: Int, capacity: Int) -> (found: Int, steps: Int) {
        var search = CapacitySearch(first: first)
        var (found, steps) = (0, 0)
        while let count = search.next {
            steps += 1
            if count <= capacity { found = count }
            search.note(holds: count <= capacity)
        }
        return (found, steps)
    }

    @Test(arguments: [(50, 730), (50, 51), (10, 9), (100, 1_000)])
    func `the most that holds is found to within a tenth, in few steps`(first: Int, capacity: Int) {
        let (found, steps) = search(first: first, capacity: capacity)
        #expect(found <= capacity)
        #expect(capacity - found <= max(capacity / 5, first / 8))
        #expect(steps <= 12)
    }

    @Test func `nothing that holds ends the search`() {
        let (found, steps) = search(first: 50, capacity: 0)
        #expect(found == 0)
        #expect(steps < 8)
    }
}

struct ReportingTests {
    @Test func `numbers have their places and thousands apart`() {
        #expect(Decimals.text(1_234_567, 0) == "1,234,567")
        #expect(Decimals.text(0.046, 2) == "0.05")
        #expect(Decimals.text(-3.14159, 2) == "-3.14")
        #expect(Decimals.text(999.999, 2) == "1,000.00")
    }

    @Test func `rows are the differences of snapshots`() {
        let start = Instant(nanoseconds: 0)
        var series = TimeSeries(start: start)
        var snapshot = Fleet.Snapshot()
        for second in 0..<3 {
            snapshot.at = start + .seconds(second)
            snapshot.connected = second
            snapshot.totals.receivedVideo.packets += 100
            snapshot.totals.expected += 100
            snapshot.totals.original += 99
            snapshot.used = [.milliseconds(250 * second)]
            series.add(snapshot, server: nil)
        }
        #expect(series.rows.count == 2)
        #expect(series.rows[1].receivedRate == 100)
        #expect(series.rows[1].lossPercent == 1)
        #expect(series.rows[1].clientLoadPercent == 25)
        #expect(series.rows[1].delayP50 == nil)
        #expect(series.csv.split(separator: "\n").count == 3)
    }

    @Test func `a page escapes what it is given, and is whole`() {
        let report = Report(
            window: Totals(), whole: Totals(), seconds: 1, joinedNow: 0, clientLoad: 0,
            server: ServerFigures())
        let page = ReportPage(
            report, TimeSeries(start: .zero), title: "<b>&", subtitle: "x", failures: ["a<b"])
        #expect(page.html.contains("<h1>&lt;b&gt;&amp;</h1>"))
        #expect(page.html.contains("<li>a&lt;b</li>"))
        #expect(page.html.contains("</html>"))
        #expect(!page.html.contains("src="))
    }
}

struct SizingTests {
    @Test func `a server's size follows from a packet's cost and what a participant gets`() throws {
        var window = Totals()
        window.receivedVideo = MediaTotals(packets: 150_000, bytes: 150_000_000)
        let report = Report(
            window: window, whole: window, seconds: 10, joinedNow: 100, clientLoad: 0,
            server: ServerFigures(use: ServerUse(cpuSeconds: 0.3, residentBytes: 1)))
        let sizing = try #require(Sizing(report))
        // 2 µs a packet, 150 packets a second to each.
        #expect(abs(sizing.participantsPerCore - 0.7e6 / 300) < 1)
        #expect(abs(sizing.megabitsPerCore - sizing.participantsPerCore * 1.2) < 1)
        #expect(sizing.sentence.contains("2,333 such participants"))
    }

    @Test func `without the server's CPU nothing is said about its size`() {
        let report = Report(
            window: Totals(), whole: Totals(), seconds: 1, joinedNow: 1, clientLoad: 0,
            server: ServerFigures())
        #expect(Sizing(report) == nil)
    }
}

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
