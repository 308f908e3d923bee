import Glibc
import JSON
import Observability
import Synchronization
import Testing

/// A clock that a test sets, in milliseconds since 1970.
private final class Clock: Sendable {
    let time: Atomic<Int64>

    init(_ time: Int64) { self.time = Atomic(time) }

    func advance(_ milliseconds: Int64) { time.wrappingAdd(milliseconds, ordering: .relaxed) }

    var read: @Sendable () -> Int64 { { self.time.load(ordering: .relaxed) } }
}

private func text(_ record: LogRecord, _ format: LogFormat = .text) -> String {
    String(decoding: format.line(record), as: UTF8.self)
}

/// 2026-11-30T02:31:46.123Z
private let moment: Int64 = 1_796_005_906_123

@Test func `a line has time, level, message and fields`() {
    let record = LogRecord(
        at: moment, level: .info, message: "listening",
        fields: [("port", 3478), ("address", "0.0.0.0"), ("load", 0.5), ("tcp", true)])
    #expect(
        text(record)
            == "2026-11-30T02:31:46.123Z info listening port=3478 address=0.0.0.0 load=0.5 tcp=true\n")
}

@Test func `a JSON line has the same`() throws {
    let record = LogRecord(
        at: moment, level: .error, message: "a \"b\"\n",
        fields: [("port", 3478), ("level", "x"), ("load", .number(.nan))])
    #expect(
        text(record, .json)
            == #"{"at":"2026-11-30T02:31:46.123Z","level":"error","message":"a \"b\"\n","port":3478,"level_":"x","load":"nan"}"#
            + "\n")
}

@Test func `what a peer sends can't forge a line or move the cursor`() {
    let record = LogRecord(
        at: moment, level: .warning, message: "odd\nname",
        fields: [
            ("name", "a\n2026 error forged=1"), ("x", "\u{1B}[2J\u{202E}"), ("empty", ""), ("q", "a=\"b\\"),
        ])
    let line = text(record)
    #expect(line.split(separator: "\n").count == 1)
    #expect(
        line.hasSuffix(
            #"warning odd\nname name="a\n2026 error forged=1" x="\u{1b}[2J\u{202e}" empty="" q="a=\"b\\""#
                + "\n"))
}

@Test(
    arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"), (1_767_225_599_000, "2025-12-31T23:59:59.000Z"),
    ] as [(Int64, String)])
func `times are shown as in RFC 3339`(milliseconds: Int64, expected: String) {
    #expect("\(Timestamp(milliseconds: milliseconds))" == expected)
}

@Test func `lines that matter less than the level are neither written nor made`() {
    let sink = MemorySink()
    let log = Log(level: .warning, sink: sink)
    var made = 0
    func message(_ text: String) -> String {
        made += 1
        return text
    }
    log.error(message("e"))
    log.warning(message("w"))
    log.info(message("i"))
    log.debug(message("d"))
    #expect(sink.records.map(\.message) == ["e", "w"])
    #expect(sink.records.map(\.level) == [.error, .warning])
    #expect(made == 2)
}

@Test func `fields that are known earlier come first`() {
    let sink = MemorySink()
    let log = Log(level: .debug, sink: sink).with(["session": "s1"]).with(["participant": 7])
    log.debug("hand raised", ["place": 2])
    #expect(sink.records[0].fields.map(\.key) == ["session", "participant", "place"])
    #expect(sink.records[0]["participant"] == 7)
}

@Test func `a call site can't flood the log, and says how much it held back`() {
    let sink = MemorySink()
    let clock = Clock(moment)
    let log = Log(level: .info, sink: sink, now: clock.read)
    func complain() { log.warning("bad packet", limit: LogLimit(lines: 3, window: .seconds(10))) }
    for _ in 0..<1_000 { complain() }
    #expect(sink.records.count == 3)
    log.info("another call site")
    #expect(sink.records.count == 4)
    clock.advance(10_000)
    complain()
    complain()
    #expect(sink.records.count == 6)
    #expect(sink.records[4]["suppressed"] == 997)
    #expect(sink.records[5]["suppressed"] == nil)
}

@Test func `every call site is limited unless it asks otherwise`() {
    let sink = MemorySink()
    let log = Log(level: .info, sink: sink, now: Clock(moment).read)
    for _ in 0..<1_000 { log.info("joined") }
    #expect(sink.records.count == LogLimit.site.lines)
}

@Test func `keys have limits of their own, and endless keys share one`() {
    let sink = MemorySink()
    let clock = Clock(moment)
    let log = Log(level: .info, sink: sink, now: clock.read)
    func complain(_ key: Int) { log.warning("bad", limit: .hostile, key: "\(key)") }
    for key in 0..<100_000 { complain(key) }
    #expect(sink.records.count == 1_025)
    clock.advance(10_000)
    for key in 0..<10 { complain(key) }
    #expect(sink.records.count == 1_035)
}

@Test func `a clock that is set back silences nobody`() {
    let sink = MemorySink()
    let clock = Clock(moment)
    let log = Log(level: .info, sink: sink, now: clock.read)
    func complain() { log.warning("bad", limit: .hostile) }
    complain()
    clock.advance(-3_600_000)
    complain()
    #expect(sink.records.count == 2)
}

@Test func `lines of several threads don't mix`() async throws {
    var ends: [CInt] = [0, 0]
    try #require(unsafe pipe(&ends) == 0)
    let sink = DescriptorSink(format: .text, descriptor: ends[1])
    let log = Log(level: .info, sink: sink)
    let filler = String(repeating: "x", count: 5_000)
    let reader = Task.detached { [ends] in
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(ends[0], &chunk, chunk.count)
            if count <= 0 { return bytes }
            bytes += chunk[..<count]
        }
    }
    await withTaskGroup(of: Void.self) { group in
        for thread in 0..<4 {
            group.addTask {
                for line in 0..<20 {
                    log.info("m", ["thread": "\(thread)", "line": LogValue(line), "filler": "\(filler)"])
                }
            }
        }
    }
    close(ends[1])
    let lines = String(decoding: await reader.value, as: UTF8.self).split(separator: "\n")
    close(ends[0])
    #expect(lines.count == 80)
    #expect(lines.allSatisfy { $0.contains(" info m thread=") && $0.hasSuffix("filler=" + filler) })
}

@Test func `what is held is written when it is released, in order, and later lines at once`() {
    let memory = MemorySink()
    let held = HeldSink(memory)
    let log = Log(level: .info, sink: held) { moment }
    log.info("first")
    log.warning("second")
    #expect(memory.records.isEmpty)
    held.release()
    held.release()
    log.info("third")
    #expect(memory.records.map(\.message) == ["first", "second", "third"])
}
