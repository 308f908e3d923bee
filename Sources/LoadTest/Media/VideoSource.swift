import FixedCollections
import Wire

/// A camera with its encoder: one encoding, cut into packets.
struct VideoSource {
    /// Payload bytes of a packet at the most, as libwebrtc cuts them.
    static let longestPayload = 1_150

    let publication: UInt32
    private var encoder: EncoderModel
    private let codec: VideoCodec
    private let spatialLayers: Int
    private var frameNumber: UInt32 = 0
    private var pictureID: UInt16
    private var baseIndex: UInt8 = 0
    private var keyIndex: UInt8 = 0
    private var wantsKeyFrame = true
    private var lastKeyFrame: Instant?
    private(set) var nextFrame: Instant
    private let interval: Duration

    /// Bytes of descriptors, about.
    private static let descriptorLength = 6
    /// Percent of a picture's bytes that each of its spatial layers takes, the lowest first.
    private static let shares = [[100], [28, 72], [9, 26, 65]]

    /// Key frames on request are at least this far apart, as encoders have it.
    static let keyFrameSpacing = Duration.milliseconds(300)

    /// - Parameter spatialLayers: 1 to 3, of VP9.
    init(
        publication: UInt32, encoder: EncoderModel, codec: VideoCodec = .vp8, spatialLayers: Int = 1,
        start: Instant, random: inout SeededRandom
    ) {
        self.publication = publication
        self.codec = codec
        self.spatialLayers = spatialLayers
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
        for layer in 0..<spatialLayers { cut(frame, layer, now: now, timestamp: timestamp, send) }
        return true
    }

    private func cut(
        _ frame: EncoderModel.Frame, _ layer: Int, now: Instant, timestamp: RTPTimestamp,
        _ send: (SentPacket) -> Void
    ) {
        let bytes = frame.bytes * Self.shares[spatialLayers - 1][layer] / 100
        let room = Self.longestPayload - Self.descriptorLength
        var count = max(1, (bytes + room - 1) / room)
        // The parameter sets have a packet of their own.
        if codec == .h264, frame.isKey { count += 1 }
        for index in 0..<count {
            // Sizes differ by a byte at most.
            let share = bytes / count + (index < bytes % count ? 1 : 0)
            var stamp = Stamp(
                sentAt: now, publication: publication, frame: frameNumber, packet: UInt16(index),
                packets: UInt16(count), isKey: frame.isKey, temporal: frame.temporal)
            stamp.spatial = UInt8(layer)
            send(
                SentPacket(
                    sequence: SequenceNumber(0), timestamp: timestamp, stamp: stamp,
                    payloadLength: UInt16(
                        max(share, Stamp.size + SentPacket.longestPrefix) + Self.descriptorLength),
                    codec: codec, spatialLayers: UInt8(spatialLayers),
                    pictureID: pictureID, baseIndex: baseIndex, keyIndex: keyIndex, isVideo: true,
                    marker: index == count - 1 && layer == spatialLayers - 1, level: 0))
        }
    }
}
