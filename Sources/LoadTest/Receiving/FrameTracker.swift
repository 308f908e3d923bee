import FixedCollections
import Wire

/// What the payload of a packet is.
enum PacketContent: Equatable {
    case padding
    case media(startsFrame: Bool, isKey: Bool)
}

/// A jitter buffer as a decoder needs it, without the bytes: puts packets in order, and says which pictures could be shown.
///
/// A picture can be shown when all its packets and all pictures it depends on have come. What hasn't come after half a
/// second is given up; then nothing can be shown up to the next key frame.
struct FrameTracker {
    /// How long a gap is waited for.
    static let longestWait = Duration.milliseconds(500)
    /// Between requests for a key frame.
    static let requestSpacing = Duration.milliseconds(500)
    private static let window = 512

    /// What happened as packets came in or time passed.
    struct Progress {
        var shown = 0
        var lost = 0
        var freezes = 0
        var frozen = Duration.zero
        var wantsKeyFrame = false
        var firstFrame = false
    }

    private struct Slot: BitwiseCopyable {
        var number: Int64 = -1
        var startsFrame = false
        var marker = false
        var isKey = false
        var isEmpty = false
    }

    /// Made when the first packet comes: most seats of a big meeting never get one.
    private var slots: [Slot] = []
    /// While a key frame is looked for, so many numbers stay open for those that come late.
    private static let lookBack: Int64 = 128
    /// The next number that is needed; nil before the first packet.
    private var next: Int64?
    private var highest: Int64 = 0
    /// Nothing can be shown before a key frame.
    private(set) var isBroken = true
    private var hasShown = false
    private var blockedSince: Instant?
    private var lastShown: Instant?
    private var lastRequest: Instant?
    private var interval = Duration.milliseconds(33)

    /// A freeze is a pause between pictures of more than this, or of three usual intervals.
    static let freeze = Duration.milliseconds(200)

    /// Whether packets must be read to the payload: to find a key frame.
    var needsPayload: Bool { isBroken }

    /// - Parameter content: what the payload says; nil if it wasn't read.
    mutating func insert(
        _ number: Int64, marker: Bool, content: PacketContent?, now: Instant
    ) -> Progress {
        if next == nil {
            next = number
            highest = number
            slots = [Slot](repeating: Slot(), count: Self.window)
        }
        guard let next, number >= next, number < next + Int64(Self.window) else {
            if let next, number >= next + Int64(Self.window) { skip(to: number) }
            return Progress()
        }
        var slot = Slot(number: number, marker: marker)
        if let content {
            slot.isEmpty = content == .padding
            if case .media(let startsFrame, let isKey) = content {
                slot.startsFrame = startsFrame
                slot.isKey = isKey
            }
        }
        slots[index(number)] = slot
        highest = max(highest, number)
        return advance(now: now)
    }

    /// Gives up what was waited for too long, and asks again for a key frame.
    mutating func handleTimeout(now: Instant) -> Progress {
        advance(now: now)
    }

    /// Another publication is in the seat: what was shown before doesn't count as frozen.
    ///
    /// - Parameter isKey: whether it begins with a key frame. If not, it can't be shown before one.
    mutating func reset(isKey: Bool) {
        lastShown = nil
        if !isKey { isBroken = true }
    }

    private mutating func advance(now: Instant) -> Progress {
        var progress = Progress()
        if isBroken { seekKeyFrame() }
        guard !isBroken else {
            request(now: now, &progress)
            return progress
        }
        while let next, !isBroken {
            guard let end = endOfFrame(from: next) else {
                giveUpIfStuck(at: next, now: now, &progress)
                break
            }
            self.next = end + 1
            blockedSince = nil
            if !slots[index(end)].isEmpty { show(now: now, &progress) }
        }
        if isBroken { request(now: now, &progress) }
        return progress
    }

    /// The last packet of the frame that begins at `start`, if all of it is here.
    private func endOfFrame(from start: Int64) -> Int64? {
        var number = start
        while number <= highest {
            let slot = slots[index(number)]
            guard slot.number == number else { return nil }
            if slot.isEmpty {
                // Padding stands for itself, wherever it is.
                if number == start { return number }
            } else if slot.marker {
                return number
            }
            number += 1
        }
        return nil
    }

    private mutating func show(now: Instant, _ progress: inout Progress) {
        progress.shown += 1
        if !hasShown {
            hasShown = true
            progress.firstFrame = true
        }
        if let lastShown {
            let pause = now - lastShown
            if pause > max(Self.freeze, interval * 3) {
                progress.freezes += 1
                progress.frozen += pause
            } else {
                interval = (interval * 15 + pause) / 16
            }
        }
        lastShown = now
    }

    private mutating func giveUpIfStuck(at number: Int64, now: Instant, _ progress: inout Progress) {
        guard highest > number || slots[index(number)].number == number else {
            blockedSince = nil
            return
        }
        // Something is missing only if something behind it is here.
        guard hasGap(from: number) else { return }
        guard let since = blockedSince else {
            blockedSince = now
            return
        }
        guard now - since >= Self.longestWait else { return }
        progress.lost += 1
        blockedSince = nil
        isBroken = true
        seekKeyFrame()
    }

    private func hasGap(from start: Int64) -> Bool {
        var number = start
        while number <= highest {
            if slots[index(number)].number != number { return true }
            number += 1
        }
        return false
    }

    /// Goes on to the first packet that starts a key frame, or behind everything that is here.
    private mutating func seekKeyFrame() {
        guard var number = next else { return }
        while number <= highest {
            let slot = slots[index(number)]
            if slot.number == number, slot.startsFrame, slot.isKey {
                next = number
                isBroken = false
                return
            }
            number += 1
        }
        next = max(next ?? 0, highest - Self.lookBack)
    }

    private mutating func skip(to number: Int64) {
        isBroken = true
        next = number
        highest = number - 1
        blockedSince = nil
    }

    private mutating func request(now: Instant, _ progress: inout Progress) {
        if let lastRequest, now - lastRequest < Self.requestSpacing { return }
        lastRequest = now
        progress.wantsKeyFrame = true
    }

    private func index(_ number: Int64) -> Int {
        Int(number & Int64(Self.window - 1))
    }
}
