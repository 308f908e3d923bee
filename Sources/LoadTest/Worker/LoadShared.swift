import EventLoop
import FixedCollections
import Synchronization
import Transport
import Wire

/// What the participants of a worker share: cryptography, buffers, counters. Never leaves the worker's thread.
final class LoadShared {
    var engine = SealingEngine()
    var output = OutputDatagrams()
    var sender: DatagramSender
    var totals = Totals()
    let context: DTLSContext
    let signalling: any Signalling
    let control: ControlClock
    let admission: Admission
    let mutes: MuteBoard
    let bells: Bells
    let senders: SenderBoard
    /// Of each so many media packets one is opened; 1 opens all.
    let sample: Int
    private var sampled = 0
    /// Who has the floor when.
    let conversation: Conversation

    init(
        suites: [SRTPSuite], sample: Int, signalling: any Signalling, boards: Boards,
        conversation: Conversation
    ) throws(LoadError) {
        do {
            context = try DTLSContext(certificate: .generate(), suites: suites, role: .active)
            sender = try DatagramSender(arena: 256 << 10, messages: 64)
        } catch {
            throw .cannotStart("\(error)")
        }
        self.sample = max(1, sample)
        self.signalling = signalling
        control = boards.control
        admission = boards.admission
        mutes = boards.mutes
        bells = boards.bells
        senders = boards.senders
        self.conversation = conversation
    }

    /// Whether the next packet is one of those that are opened.
    func takesSample() -> Bool {
        sampled += 1
        guard sampled >= sample else { return false }
        sampled = 0
        return true
    }
}

/// What participants of all workers tell each other without the server.
struct Boards: Sendable {
    let control = ControlClock()
    let admission = Admission()
    let mutes = MuteBoard()
    let bells = Bells()
    let senders = SenderBoard()
}

/// Why load can't be made at all; one line for a person.
public enum LoadError: Error, Sendable {
    case cannotStart(String)
    case invalid(String)

    public var text: String {
        switch self {
        case .cannotStart(let text), .invalid(let text): text
        }
    }
}

/// When somebody last asked for something of which all are told; shared by all workers.
final class ControlClock: Sendable {
    private let nanoseconds = Atomic<Int64>(0)

    func note(_ now: Instant) {
        nanoseconds.store(now.nanoseconds, ordering: .relaxed)
    }

    var lastRequest: Instant? {
        let time = nanoseconds.load(ordering: .relaxed)
        return time > 0 ? Instant(nanoseconds: time) : nil
    }
}
