import Testing

@testable import LoadTest

struct LoadFlagsTests {
    private func parse(_ arguments: [String], _ file: String? = nil) throws(LoadError) -> LoadFlags {
        try LoadFlags.parse(arguments, environment: [:]) { _ in file.map { Array($0.utf8) } }
    }

    private func refusal(_ arguments: [String], _ file: String? = nil) -> String? {
        do {
            _ = try parse(arguments, file)
            return nil
        } catch {
            return error.text
        }
    }

    @Test func `an unknown flag is called that, with the nearest there is`() {
        #expect(refusal(["--foo"]) == "unknown flag --foo, see rostrum-load --help")
        #expect(refusal(["--foo", "1"]) == "unknown flag --foo, see rostrum-load --help")
        #expect(refusal(["-n", "1"]) == "unknown flag -n, see rostrum-load --help")
        #expect(
            refusal(["--particpants", "5"]) == "unknown flag --particpants, did you mean --participants?")
        #expect(refusal(["--quit"]) == "unknown flag --quit, did you mean --quiet?")
        #expect(refusal(["--duration"]) == "--duration needs a value")
    }

    @Test func `every flag that is known can be set`() {
        for name in LoadFlags.valued.sorted() {
            #expect(refusal([name, "x"])?.contains("unknown flag") != true, "\(name)")
        }
    }

    @Test func `a key that can't be read is told wherever it stands`() {
        #expect(refusal(["--key", "secret"]) == "--key must be ID:SECRET")
        #expect(throws: LoadError.self) {
            try LoadFlags.parse([], environment: ["ROSTRUM_LOAD_KEY": "secret"]) { _ in nil }
        }
    }

    private static let class30 =
        #"{"participants": 30, "publishers": {"audio": 30, "video": 20}, "expect": "participants=30,loss<1%"}"#

    @Test func `fewer participants are fewer senders of a scenario's, and that is said`() throws {
        let flags = try parse(["class", "--participants", "5"], Self.class30)
        #expect(flags.scenario.publishers == Scenario.Publishers(audio: 5, video: 5))
        #expect(
            flags.notes == [
                "the scenario has more senders than 5: 5 send audio instead of 30, 5 send video instead of 20 "
                    + "(--publishers changes that)"
            ])
        let some = try parse(["class", "--participants", "25"], Self.class30)
        #expect(some.scenario.publishers == Scenario.Publishers(audio: 25, video: 20))
        #expect(some.notes.count == 1)
    }

    @Test func `senders that fit, or were asked for, are left alone`() throws {
        let more = try parse(["class", "--participants", "60"], Self.class30)
        #expect(more.scenario.publishers == Scenario.Publishers(audio: 30, video: 20))
        #expect(more.notes.isEmpty)
        #expect(
            refusal(["class", "--participants", "5", "--publishers", "audio=6"], Self.class30)
                == "publishers.audio is 6, but there are 5 participants: change --publishers or --participants"
        )
        #expect(
            refusal(["class"], #"{"participants": 3, "publishers": {"video": 4}}"#)
                == "publishers.video is 4, but there are 3 participants: change --publishers or --participants"
        )
    }

    @Test(arguments: [
        (["--participants", "60"], "participants=60,loss<1%"),
        (["--sessions", "2"], "participants=60,loss<1%"),
        (["--places", "12"], "participants=12,loss<1%"), (["--duration", "5"], "participants=30,loss<1%"),
        (["--participants", "60", "--expect", "participants=30"], "participants=30"),
    ])
    func `a scenario expects as many as come`(arguments: [String], expected: String) throws {
        #expect(try parse(["class"] + arguments, Self.class30).scenario.expect == expected)
    }

    @Test func `those who call each other are pairs`() {
        #expect(refusal(["--calls", "60", "--participants", "5"])?.contains("must be even") == true)
        #expect(refusal(["--calls", "60", "--participants", "6"]) == nil)
    }
}
