import FixedCollections
import Wire

/// A camera with its encoder: one encoding, cut into VP8 packets.
struct VideoSource {
    /// Payload bytes of a packet at the most, as libwebrtc cuts them.
    static let longestPayload = 1_150

    let publication: UInt32
    private var encoder: EncoderModel
    private var frameNumber: UInt32 = 0
    private var pictureID: UInt16
    private var baseIndex: UInt8 = 0
    private var keyIndex: UInt8 = 0
    private var wantsKeyFrame = true
    private var lastKeyFrame: Instant?
    private(set) var nextFrame: Instant
    private let interval: Duration

    /// Key frames on request are at least this far apart, as encoders have it.
    static let keyFrameSpacing = Duration.milliseconds(300)

    init(publication: UInt32, encoder: EncoderModel, start: Instant, random: inout SeededRandom) {
        self.publication = publication
        self.encoder = encoder
        interval = .nanoseconds(1_000_000_000 / Int64(max(1, encoder.framesPerSecond)))
        // Cameras aren't in step with each other.
        nextFrame = start + .nanoseconds(Int64(random.unit() * Double(interval.wholeNanoseconds)))
        pictureID = UInt16.random(in: 0..<0x7fff, using: &random)
    }

    /// Asks for a key frame as soon as one is due.
    mutating func requestKeyFrame() {
        wantsKeyFrame = true
    }

    /// Calls `send` with each packet of the frame that is due; false if none is.
    mutating func makeFrame(
        now: Instant, timestamp: RTPTimestamp, _ send: (SentPacket) -> Void
    ) -> Bool {
        guard now >= nextFrame else { return false }
        nextFrame += interval
        // What was missed by more than a frame isn't made up for.
        if nextFrame < now { nextFrame = now + interval }
        let maySendKey = lastKeyFrame.map { now - $0 >= Self.keyFrameSpacing } ?? true
        let frame = encoder.next(isKey: wantsKeyFrame && maySendKey)
        if frame.isKey {
            wantsKeyFrame = false
            lastKeyFrame = now
            keyIndex &+= 1
        }
        if frame.temporal == 0 { baseIndex &+= 1 }
        pictureID = (pictureID + 1) & 0x7fff
        frameNumber += 1
        cut(frame, now: now, timestamp: timestamp, send)
        return true
    }

    private func cut(
        _ frame: EncoderModel.Frame, now: Instant, timestamp: RTPTimestamp, _ send: (SentPacket) -> Void
    ) {
        let room = Self.longestPayload - SentPacket.descriptorLength
        let count = max(1, (frame.bytes + room - 1) / room)
        for index in 0..<count {
            // Sizes differ by a byte at most.
            let share = frame.bytes / count + (index < frame.bytes % count ? 1 : 0)
            let stamp = Stamp(
                sentAt: now, publication: publication, frame: frameNumber, packet: UInt16(index),
                packets: UInt16(count), isKey: frame.isKey, temporal: frame.temporal)
            send(
                SentPacket(
                    sequence: SequenceNumber(0), timestamp: timestamp, stamp: stamp,
                    payloadLength: UInt16(max(share, Stamp.size + 10) + SentPacket.descriptorLength),
                    pictureID: pictureID, baseIndex: baseIndex, keyIndex: keyIndex, isVideo: true,
                    marker: index == count - 1, level: 0))
        }
    }
}
