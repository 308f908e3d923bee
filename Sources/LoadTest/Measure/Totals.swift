import FixedCollections

/// Counters of one direction of media of one kind.
public struct MediaTotals: Sendable, Equatable {
    public var packets: UInt64 = 0
    /// Of whole RTP packets, without SRTP's tag.
    public var bytes: UInt64 = 0
}

/// Everything that participants count, summed over those of a worker. Only ever grows; windows are differences.
public struct Totals: Sendable, Equatable {
    public var sentAudio = MediaTotals()
    public var sentVideo = MediaTotals()
    public var receivedAudio = MediaTotals()
    public var receivedVideo = MediaTotals()
    public var retransmissionsSent: UInt64 = 0
    public var retransmissionsReceived: UInt64 = 0
    /// Numbers that came or, with later ones there for long enough, should have (`SequenceTracker.verdictAfter`).
    public var expected: UInt64 = 0
    /// Of those, the ones that came as they were sent, once.
    public var original: UInt64 = 0
    /// Of those, the ones that came as retransmissions only.
    public var repaired: UInt64 = 0
    public var duplicates: UInt64 = 0
    /// Sent before the publication had the seat: what a picture starts from. Their delay says nothing.
    public var fromCache: UInt64 = 0
    /// Arrived behind a packet that was sent later.
    public var reordered: UInt64 = 0
    public var nacksSent: UInt64 = 0
    public var nacksReceived: UInt64 = 0
    public var keyFrameRequestsSent: UInt64 = 0
    public var keyFrameRequestsReceived: UInt64 = 0
    /// Of those, the ones that came before a second had passed since the last one for the same encoding.
    public var earlyKeyFrameRequests: UInt64 = 0
    public var framesSent: UInt64 = 0
    public var keyFramesSent: UInt64 = 0
    /// Complete, and decodable from what came before.
    public var framesReceived: UInt64 = 0
    /// Given up as incomplete, or without what they depend on.
    public var framesLost: UInt64 = 0
    public var freezes: UInt64 = 0
    public var frozenNanoseconds: UInt64 = 0
    /// Moments at which a voice was missing: packets lost, or later than a jitter buffer waits.
    public var audioGaps: UInt64 = 0
    /// Events that tell who sits where, and those that name who speaks.
    public var seatChanges: UInt64 = 0
    public var speakerChanges: UInt64 = 0
    /// Somebody else's media, and another encoding or layer of the same camera, in a seat.
    public var seatSwitches: UInt64 = 0
    /// Pictures, as far as packets are opened.
    public var layers = LayerTotals()
    public var layerSwitches: UInt64 = 0
    /// Seats whose media came for seconds from somebody else than the server had told.
    public var wrongSeats: UInt64 = 0
    /// Packets of voices that were made after a moderator's mute was confirmed.
    public var heardMuted: UInt64 = 0
    /// Put out by a moderator.
    public var removed: UInt64 = 0
    public var calls = CallTotals()
    /// By the raw value of `Disturbance`.
    public var disturbances: [UInt64] = [0, 0, 0]
    public var events: UInt64 = 0
    /// By the numbers of the events that did come.
    public var missedEvents: UInt64 = 0
    public var joinsStarted: UInt64 = 0
    public var joined: UInt64 = 0
    /// Refused, or given up before media could flow.
    public var failedJoins: UInt64 = 0
    public var left: UInt64 = 0
    /// Datagrams that couldn't be opened.
    public var unopened: UInt64 = 0
    /// Packets that the client itself could not send, or lost in its socket's buffer: its own fault, not the server's.
    public var droppedByClient: UInt64 = 0
    /// Refusals and failures, by the server's code or in words of the client's.
    public var errors: [String: UInt64] = [:]
    /// Time from a packet's making to its arrival.
    public var audioDelay = Histogram()
    public var videoDelay = Histogram()
    /// Of packets that came as retransmissions.
    public var repairDelay = Histogram()
    /// Of each stream, at each of its reports.
    public var jitter = Histogram()
    public var join = JoinTimes()
    /// From a request to its answer.
    public var answers = Histogram()
    /// From a request to when each of the others was told.
    public var fanOut = Histogram()
    /// From somebody's first word to when each of the others was told that it is the dominant speaker.
    public var speakerNamed = Histogram()
    /// From somebody's first word to its first whole picture in a seat that somebody else had.
    public var speakerShown = Histogram()
    /// From when somebody was told who speaks to the first whole picture of that one, in any seat; none where it was shown
    /// already, and the time until the next was named where it never came.
    public var speakerSeen = Histogram()
    /// From a lost WebSocket to its session resumed.
    public var resume = Histogram()
    /// From a lost media connection to media by a new one, and from a new address to media there.
    public var reconnected = Histogram()
    public var readdressed = Histogram()
    /// How late the client itself was with what it had to do: what makes all other times worth less.
    public var lateness = Histogram()

    public init() {}

    /// Lost before repair: what was expected and did not come as it was sent.
    public var lostBeforeRepair: UInt64 { expected - min(expected, original) }
    /// Lost for good.
    public var lost: UInt64 { expected - min(expected, original + repaired) }
    public var received: UInt64 { receivedAudio.packets + receivedVideo.packets }
    public var sent: UInt64 { sentAudio.packets + sentVideo.packets }

    /// Of audio and video together.
    public var delay: Histogram {
        var all = audioDelay
        all.add(videoDelay)
        return all
    }
}

/// How long parts of joining took.
public struct JoinTimes: Sendable, Equatable {
    /// Until the socket was open.
    public var socket = Histogram()
    /// From the request to its answer.
    public var answer = Histogram()
    /// From the answer to the first check answered.
    public var ice = Histogram()
    /// From there to the keys.
    public var dtls = Histogram()
    /// From the beginning to the keys.
    public var total = Histogram()
    /// To the first audio packet from the beginning, or from when somebody else talked if that was later; to the first whole
    /// picture from the beginning, or from when somebody else's camera was on.
    public var firstAudio = Histogram()
    public var firstFrame = Histogram()

    public init() {}
}

extension Totals {
    public mutating func add(_ other: Totals) {
        combine(other, +) { $0.add($1) }
        errors.merge(other.errors, uniquingKeysWith: +)
    }

    /// Takes away what had been counted earlier.
    public mutating func subtract(_ earlier: Totals) {
        combine(earlier, -) { $0.subtract($1) }
        for (code, count) in earlier.errors { errors[code, default: 0] -= count }
        errors = errors.filter { $0.value > 0 }
    }

    /// Something of everything that can be counted and measured.
    static var everything: Totals {
        var totals = Totals()
        totals.combine(Totals(), { _, _ in 1 }) { histogram, _ in histogram.record(.zero) }
        return totals
    }

    /// Line by line: key paths are too slow for something that is done several times a second.
    private mutating func combine(
        _ other: Totals, _ number: (UInt64, UInt64) -> UInt64,
        _ histogram: (inout Histogram, Histogram) -> Void
    ) {
        sentAudio.packets = number(sentAudio.packets, other.sentAudio.packets)
        sentAudio.bytes = number(sentAudio.bytes, other.sentAudio.bytes)
        sentVideo.packets = number(sentVideo.packets, other.sentVideo.packets)
        sentVideo.bytes = number(sentVideo.bytes, other.sentVideo.bytes)
        receivedAudio.packets = number(receivedAudio.packets, other.receivedAudio.packets)
        receivedAudio.bytes = number(receivedAudio.bytes, other.receivedAudio.bytes)
        receivedVideo.packets = number(receivedVideo.packets, other.receivedVideo.packets)
        receivedVideo.bytes = number(receivedVideo.bytes, other.receivedVideo.bytes)
        retransmissionsSent = number(retransmissionsSent, other.retransmissionsSent)
        retransmissionsReceived = number(retransmissionsReceived, other.retransmissionsReceived)
        expected = number(expected, other.expected)
        original = number(original, other.original)
        repaired = number(repaired, other.repaired)
        duplicates = number(duplicates, other.duplicates)
        fromCache = number(fromCache, other.fromCache)
        reordered = number(reordered, other.reordered)
        nacksSent = number(nacksSent, other.nacksSent)
        nacksReceived = number(nacksReceived, other.nacksReceived)
        keyFrameRequestsSent = number(keyFrameRequestsSent, other.keyFrameRequestsSent)
        keyFrameRequestsReceived = number(keyFrameRequestsReceived, other.keyFrameRequestsReceived)
        earlyKeyFrameRequests = number(earlyKeyFrameRequests, other.earlyKeyFrameRequests)
        framesSent = number(framesSent, other.framesSent)
        keyFramesSent = number(keyFramesSent, other.keyFramesSent)
        framesReceived = number(framesReceived, other.framesReceived)
        framesLost = number(framesLost, other.framesLost)
        freezes = number(freezes, other.freezes)
        frozenNanoseconds = number(frozenNanoseconds, other.frozenNanoseconds)
        audioGaps = number(audioGaps, other.audioGaps)
        seatChanges = number(seatChanges, other.seatChanges)
        seatSwitches = number(seatSwitches, other.seatSwitches)
        layerSwitches = number(layerSwitches, other.layerSwitches)
        wrongSeats = number(wrongSeats, other.wrongSeats)
        speakerChanges = number(speakerChanges, other.speakerChanges)
        events = number(events, other.events)
        missedEvents = number(missedEvents, other.missedEvents)
        joinsStarted = number(joinsStarted, other.joinsStarted)
        joined = number(joined, other.joined)
        failedJoins = number(failedJoins, other.failedJoins)
        left = number(left, other.left)
        layers.combine(other.layers, number)
        heardMuted = number(heardMuted, other.heardMuted)
        removed = number(removed, other.removed)
        calls.combine(other.calls, number, histogram)
        for index in disturbances.indices {
            disturbances[index] = number(disturbances[index], other.disturbances[index])
        }
        unopened = number(unopened, other.unopened)
        droppedByClient = number(droppedByClient, other.droppedByClient)
        histogram(&audioDelay, other.audioDelay)
        histogram(&videoDelay, other.videoDelay)
        histogram(&repairDelay, other.repairDelay)
        histogram(&join.socket, other.join.socket)
        histogram(&join.answer, other.join.answer)
        histogram(&join.ice, other.join.ice)
        histogram(&join.dtls, other.join.dtls)
        histogram(&join.total, other.join.total)
        histogram(&join.firstAudio, other.join.firstAudio)
        histogram(&join.firstFrame, other.join.firstFrame)
        histogram(&answers, other.answers)
        histogram(&lateness, other.lateness)
        histogram(&jitter, other.jitter)
        histogram(&fanOut, other.fanOut)
        histogram(&resume, other.resume)
        histogram(&reconnected, other.reconnected)
        histogram(&readdressed, other.readdressed)
        histogram(&speakerNamed, other.speakerNamed)
        histogram(&speakerShown, other.speakerShown)
        histogram(&speakerSeen, other.speakerSeen)
    }
}
