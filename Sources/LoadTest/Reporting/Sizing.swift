/// What a run says about the size of a server: its cost for one participant of this kind, and how many a core would carry.
public struct Sizing: Sendable, Equatable {
    /// A thread that is busier than this has nothing left for joins and peaks.
    public static let busyMost = 0.7

    /// Microseconds of the server's CPU for a packet that arrived somewhere.
    public var microsecondsPerPacket: Double
    /// Packets a second that a participant gets, on average.
    public var packetsPerParticipant: Double
    /// Bits a second that a participant gets, on average.
    public var bitsPerParticipant: Double
    public var participants: Double

    /// Nil if the server's CPU isn't known, or nothing was received.
    public init?(_ report: Report) {
        guard let cost = report["serverCpuPerPacket"], let rate = report["receivedPacketRate"],
            let megabits = report["receivedMegabits"], let people = report["participants"], people > 0,
            rate > 0, cost > 0
        else { return nil }
        microsecondsPerPacket = cost
        packetsPerParticipant = rate / people
        bitsPerParticipant = megabits * 1e6 / people
        participants = people
    }

    /// Participants of this kind that a core would carry when it is as busy as it may be.
    public var participantsPerCore: Double {
        Self.busyMost * 1e6 / (microsecondsPerPacket * packetsPerParticipant)
    }

    /// The network that so many would take, megabits a second.
    public var megabitsPerCore: Double { participantsPerCore * bitsPerParticipant / 1e6 }

    public var sentence: String {
        "A core that is 70 % busy would carry about \(Decimals.text(participantsPerCore, 0)) such participants, and "
            + "\(Decimals.text(megabitsPerCore, 0)) Mbit/s to them: "
            + "\(Decimals.text(microsecondsPerPacket, 2)) µs of CPU a packet, "
            + "\(Decimals.text(packetsPerParticipant, 0)) packets a second to each."
    }
}
