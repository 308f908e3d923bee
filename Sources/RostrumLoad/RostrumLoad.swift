import Glibc
import LoadTest

/// The program: `run`, `capacity`, `--help`.
@main
struct RostrumLoad {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        let arguments = Array(CommandLine.arguments.dropFirst())
        do throws(LoadError) {
            exit(try run(arguments))
        } catch {
            Terminal.error("rostrum-load: \(error.text)")
            exit(2)
        }
    }

    private static func run(_ arguments: [String]) throws(LoadError) -> Int32 {
        let rest = Array(arguments.dropFirst())
        if arguments.isEmpty || arguments.contains("--help") || arguments.contains("-h") {
            Terminal.line(help)
            return 0
        }
        switch arguments[0] {
        case "run": return try measure(rest)
        case "capacity": return try findCapacity(rest)
        case let unknown:
            throw .invalid("unknown command \(unknown): there are run and capacity, see rostrum-load --help")
        }
    }

    /// 0 if everything was as expected, 1 if not.
    private static func measure(_ arguments: [String]) throws(LoadError) -> Int32 {
        let flags = try parse(arguments)
        let command = try RunCommand(flags, progress: Terminal.progress)
        let outcome = try command.run()
        try write(outcome, flags)
        for failure in outcome.failures { Terminal.error("not as expected: \(failure)") }
        return outcome.failures.isEmpty ? 0 : 1
    }

    /// 0 if something held, 1 if nothing did.
    private static func findCapacity(_ arguments: [String]) throws(LoadError) -> Int32 {
        let flags = try parse(arguments)
        let command = CapacityCommand(flags, progress: Terminal.progress)
        let best = try command.run { step in
            let verdict = step.failures.isEmpty ? "held" : "broke: " + step.failures.joined(separator: "; ")
            Terminal.line("\(step.participants) participants \(verdict)")
        }
        guard let best else {
            Terminal.line("not even the first step held")
            return 1
        }
        Terminal.line("the most that held: \(best.participants) participants a session")
        Terminal.line(best.report.text)
        if let path = flags.jsonPath, let text = best.report.json {
            try Terminal.write(text + [UInt8(ascii: "\n")], to: path)
        }
        return 0
    }

    private static func parse(_ arguments: [String]) throws(LoadError) -> LoadFlags {
        let flags = try LoadFlags.parse(arguments, environment: Terminal.environment, read: Terminal.scenario)
        for note in flags.notes { Terminal.error("rostrum-load: \(note)") }
        return flags
    }

    private static func write(_ outcome: RunCommand.Outcome, _ flags: LoadFlags) throws(LoadError) {
        if flags.jsonPath != "-" {
            Terminal.line(outcome.report.text)
            if let sizing = Sizing(outcome.report) { Terminal.line("  " + sizing.sentence) }
        }
        if let path = flags.jsonPath {
            guard let text = outcome.report.json else {
                throw .cannotStart("the report can't be written as JSON")
            }
            try Terminal.write(text + [UInt8(ascii: "\n")], to: path)
        }
        if let path = flags.csvPath { try Terminal.write(Array(outcome.series.csv.utf8), to: path) }
        if let path = flags.htmlPath {
            let page = ReportPage(
                outcome.report, outcome.series, title: flags.scenarioName ?? "rostrum-load",
                subtitle: flags.scenario.description ?? "", details: details(of: flags),
                failures: outcome.failures,
                isExpected: flags.scenario.expect != nil)
            try Terminal.write(Array(page.html.utf8), to: path)
        }
    }

    /// Where it was measured, when, and for how long.
    private static func details(of flags: LoadFlags) -> String {
        "\(flags.server), measured for \(Decimals.text(flags.scenario.duration / .seconds(1), 0)) s, \(Terminal.date)"
    }

    private static var help: String {
        """
        Puts load on a Rostrum server: synthetic participants that join, send, watch and leave as real ones do.

        rostrum-load run [SCENARIO] [flags]
            SCENARIO is a file, or the name of one in Config/load. Flags change what it says.
        rostrum-load capacity [SCENARIO] [flags]
            Runs it with more and more participants until an expectation breaks; says how many were the most that held.

          who comes    --sessions N  --participants N (each)  --publishers audio=N,video=N  --seats audio=N,video=N
                       --ramp JOINS-A-SECOND  --churn LEAVE-AND-COME-A-MINUTE  --publishers-only-send
                       --places N (set by the first who comes: whether exactly so many get in)
          media        --codec VP8 | VP9 | H264 | AV1  --spatial-layers 1-3 (VP9)  --bitrate 1.2M  --fps 30  --simulcast 1-3  --temporal-layers 1-3  --audio-bitrate 32k  --dtx
                       --speakers N (talking by turns; without it all talk)  --turn SECONDS (each, one right behind the other)  --no-rtx  --no-transport-cc
                       --srtp-suite AEAD_AES_128_GCM | AEAD_AES_256_GCM | AES_CM_128_HMAC_SHA1_80
          bad networks --loss 1%  --delay 40ms  --jitter 10ms  --rate 2M (each participant's own, each way)
          control      --requests A-SECOND (hands raised and lowered: how soon answered, how soon all are told)
                       --moderator mutes=N,removals=N,hands=N,messages=N (a minute; the first of each session is its moderator)
                       --chaos sockets=N,transports=N,addresses=N (a minute: cut and resumed, cut and negotiated anew, changed)
                       --calls A-MINUTE  --talk SECONDS (users call each other, instead of joining sessions)
                       --layout tile | spotlight | sidebar  --viewports LINES,… (what viewers show of a picture, in turn)
          how long     --settle SECONDS (before measuring)  --duration SECONDS (measured)
          the server   --server http://HOST:PORT  --key ID:SECRET (or ROSTRUM_LOAD_KEY)  --session NAME
                       --server-pid PID (on this machine: its CPU and memory are reported)
                       --forwarder rostrum | janus (VideoRoom; there participants send or watch, and no key is needed)
          the tool     --workers N (threads)  --sample N (open one packet in N; all by default)  --seed N  --quiet
          results      --json FILE (- for standard output)  --csv FILE  --html FILE  --expect 'p99Delay<20ms,loss<0.1%' (else exit code 1)
        Exit codes: 0 all as expected, 1 not, 2 it didn't run, and one line says why.
        """
    }
}
