import FixedCollections
import Wire

/// What is known of an encoding's layers: how they depend on each other, how tall they are, what they take.
struct EncodingLayers: ~Copyable {
    /// As the last dependency descriptor that had one told it.
    var structure = DependencyStructure()
    var meter = LayerMeter()
    /// The highest layers since the last key picture.
    private(set) var highest = LayerLimit(spatial: 0, temporal: 0)
    /// Decoders need the dependency descriptor to put spatial layers together: AV1 tells nothing of them in its payload.
    private(set) var needDescriptor = false
    // Lines of each spatial layer; 0 until it is told.
    private var heights = InlineArray<4, UInt16>(repeating: 0)
    private var picture: RTPTimestamp?

    init() {}

    /// Lines of a spatial layer, if they were told.
    func height(ofSpatial layer: Int) -> Int? {
        layer < 4 && heights[layer] > 0 ? Int(heights[layer]) : nil
    }

    /// Reads a packet's place in its picture, and counts it.
    ///
    /// Throws what the codec's parser throws.
    mutating func read(
        _ packet: inout PacketInfo, _ slot: PacketSlot, in store: borrowing PacketStore
    ) throws(CodecError) {
        let block = store.bytes(of: slot)
        let start = Int(packet.payloadOffset)
        let payload = block.extracting(start..<(start + Int(packet.payloadLength)))
        packet.frame = try FrameInfo(packet.codec, payload: payload, marker: packet.marker)
        guard packet.codec.isVideo else { return }
        readDescriptor(&packet, in: block)
        notePicture(&packet)
        if packet.frame.isKeyFrame, packet.frame.isFrameStart { noteHeights(packet, payload) }
        highest.spatial = max(highest.spatial, packet.frame.spatial)
        highest.temporal = max(highest.temporal, packet.frame.temporal)
        meter.add(packet)
    }

    /// Forgets the picture and the layers: another stream comes.
    mutating func startOver() {
        structure = DependencyStructure()
        needDescriptor = false
        highest = LayerLimit(spatial: 0, temporal: 0)
        picture = nil
    }

    /// VP8 and VP9 tell their layers themselves: of theirs, only the number matters.
    private mutating func readDescriptor(_ packet: inout PacketInfo, in block: Span<UInt8>) {
        for index in 0..<Int(packet.extensions.count) {
            let element = packet.extensions[index]
            guard element.kind == .dependencyDescriptor, element.length >= 3 else { continue }
            let start = Int(element.offset)
            packet.frame.frameNumber = block.loadUInt16(at: start + 1)
            guard packet.codec == .av1 || packet.codec == .h264 else { return }
            let value = block.extracting(start..<(start + Int(element.length)))
            // One that can't be read goes on as it is: its structure was lost, perhaps.
            guard let descriptor = try? DependencyDescriptor.parse(value, structure: &structure) else {
                return
            }
            packet.frame.take(descriptor, structure: structure)
            needDescriptor = packet.codec == .av1 && structure.largestSpatialID > 0
        }
    }

    /// A picture begins where the timestamp changes. After a gap that isn't certain: its first packet may be missing.
    private mutating func notePicture(_ packet: inout PacketInfo) {
        let isNew = picture.map { packet.timestamp.distance(from: $0) > 0 } ?? true
        packet.frame.isPictureStart = isNew && packet.followsOn && packet.frame.isFrameStart
        if isNew { picture = packet.timestamp }
        if isNew, packet.frame.isKeyFrame { highest = LayerLimit(spatial: 0, temporal: 0) }
    }

    private mutating func noteHeights(_ packet: PacketInfo, _ payload: Span<UInt8>) {
        switch packet.codec {
        case .vp8:
            guard let size = try? VP8Descriptor.parse(payload).frameSize(in: payload) else { return }
            note(size, ofSpatial: 0)
        case .vp9:
            guard let structure = try? VP9Descriptor.parse(payload).structure else { return }
            for layer in 0..<min(structure.spatialLayerCount, 4) {
                if let size = structure.size(ofLayer: layer) { note(size, ofSpatial: layer) }
            }
        case .h264:
            guard let size = try? H264Payload.parse(payload).frameSize(in: payload) else {
                return noteDescribedHeights()
            }
            note(size, ofSpatial: 0)
        default:
            noteDescribedHeights()
        }
    }

    private mutating func noteDescribedHeights() {
        for layer in 0..<4 {
            if let size = structure.size(ofLayer: layer) { note(size, ofSpatial: layer) }
        }
    }

    private mutating func note(_ size: FrameSize, ofSpatial layer: Int) {
        heights[layer] = UInt16(clamping: size.height)
    }
}
