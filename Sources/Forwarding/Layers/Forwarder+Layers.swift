import FixedCollections
import Wire

/// Which encoding and which layers of it a seat shows.
extension Forwarder {
    /// What the publication sends, from the lowest layer on, each with what it needs; empty for sound, and while nothing
    /// comes.
    func layers(of publication: PublicationID, at now: Instant) -> VideoLayers {
        var layers = VideoLayers()
        guard publications[Int(publication.index)].source.isVideo else { return layers }
        for place in 0..<publications[Int(publication.index)].encodings.count {
            append(place, of: publication, to: &layers, at: now)
        }
        return layers
    }

    /// Sets what the seat may show at the best, from the next switching point on.
    mutating func setAllotment(_ allotment: SeatAllotment, of seat: SeatID, at now: Instant) {
        guard seats[Int(seat.index)].allotted != allotment else { return }
        seats[Int(seat.index)].allotted = allotment
        if allotment.isPaused { rest(seat) } else { aim(seat, at: now) }
    }

    // MARK: Layers that are sent

    private func append(
        _ place: Int, of publication: PublicationID, to layers: inout VideoLayers, at now: Instant
    ) {
        let encoding = publications[Int(publication.index)].encodings[place]
        let index = Int(encoding.index)
        let first = firstSpatial(of: encoding)
        for spatial in 0..<UInt8(LayerMeter.layers) {
            for temporal in 0..<UInt8(LayerMeter.layers) {
                let limit = LayerLimit(spatial: spatial, temporal: temporal)
                guard encodings[index].layers.meter.isSent(limit, at: now) else { continue }
                layers.append(
                    VideoLayer(
                        encoding: UInt8(place), spatial: first + spatial, temporal: temporal,
                        height: height(ofSpatial: spatial, of: encoding),
                        framesPerSecond: encodings[index].layers.meter.framesPerSecond(upTo: limit, at: now),
                        bitrate: encodings[index].layers.meter.bitrate(upTo: limit, at: now)))
            }
        }
    }

    /// The place of the encoding's lowest spatial layer among all those of its publication, the smallest first.
    func firstSpatial(of encoding: EncodingID) -> UInt8 {
        let publication = Int(encodings[Int(encoding.index)].publication.index)
        var first: UInt8 = 0
        for place in 0..<publications[publication].encodings.count {
            let other = publications[publication].encodings[place]
            if other != encoding, isRicher(encoding, than: other) {
                first += encodings[Int(other.index)].layers.highest.spatial + 1
            }
        }
        return first
    }

    /// As it was told; else as if each layer had half the lines of the next, and the best one 720.
    private func height(ofSpatial spatial: UInt8, of encoding: EncodingID) -> Int {
        if let height = encodings[Int(encoding.index)].layers.height(ofSpatial: Int(spatial)) {
            return height
        }
        let publication = Int(encodings[Int(encoding.index)].publication.index)
        var count = 0
        for place in 0..<publications[publication].encodings.count {
            let other = Int(publications[publication].encodings[place].index)
            count += Int(encodings[other].layers.highest.spatial) + 1
        }
        return 720 >> max(0, count - 1 - Int(firstSpatial(of: encoding) + spatial))
    }

    // MARK: Encodings

    /// Whether the encoding is better: taller, if that can be told, else with more bits. Of two that are equal, the one
    /// that stands later.
    func isRicher(_ encoding: EncodingID, than other: EncodingID) -> Bool {
        let (one, two) = (Int(encoding.index), Int(other.index))
        if let height = tallest(one), let otherHeight = tallest(two), height != otherHeight {
            return height > otherHeight
        }
        let (rate, otherRate) = (encodings[one].usual.bitrate, encodings[two].usual.bitrate)
        if rate != otherRate { return rate > otherRate }
        return encoding.index > other.index
    }

    private func tallest(_ encoding: Int) -> Int? {
        encodings[encoding].layers.height(ofSpatial: Int(encodings[encoding].layers.highest.spatial))
    }

    /// The encoding that a seat shows: the best one that is sent of those that it may have; if none is, the smallest that
    /// is sent at all.
    func preferredEncoding(
        of publication: PublicationID, for allotment: SeatAllotment, at now: Instant
    ) -> EncodingID? {
        let count = publications[Int(publication.index)].encodings.count
        var best: EncodingID?
        for place in 0..<count {
            let encoding = publications[Int(publication.index)].encodings[place]
            guard let previous = best else {
                best = encoding
                continue
            }
            if isPreferred(encoding, to: previous, for: allotment, at: now) { best = encoding }
        }
        return best
    }

    private func isPreferred(
        _ encoding: EncodingID, to other: EncodingID, for allotment: SeatAllotment, at now: Instant
    ) -> Bool {
        let isActive = encodings[Int(encoding.index)].isActive(at: now)
        guard isActive == encodings[Int(other.index)].isActive(at: now) else { return isActive }
        let isExcess = exceeds(encoding, allotment)
        guard isExcess == exceeds(other, allotment) else { return !isExcess }
        return isRicher(encoding, than: other) != isExcess
    }

    /// Whether the encoding is better than what the seat may have.
    private func exceeds(_ encoding: EncodingID, _ allotment: SeatAllotment) -> Bool {
        let publication = Int(encodings[Int(encoding.index)].publication.index)
        guard Int(allotment.encoding) < publications[publication].encodings.count else { return false }
        let best = publications[publication].encodings[Int(allotment.encoding)]
        return encoding != best && isRicher(encoding, than: best)
    }

    // MARK: Switching

    /// Tells the seat's selector what it may have of the encoding that is shown, and asks for the key frame that it takes.
    mutating func limitLayers(of seat: SeatID) {
        let index = Int(seat.index)
        let current = seats[index].current
        guard seats[index].isVideo, current != .none,
            encodings[Int(current.index)].publication == seats[index].occupant
        else { return }
        let allotted = seats[index].allotted
        var limit = LayerLimit(spatial: .max, temporal: allotted.temporal)
        if exceeds(current, allotted) {
            // Until the key frame of a smaller one comes, it takes as little as it can.
            limit.temporal = 0
        } else if allotted.spatial < .max {
            let first = firstSpatial(of: current)
            limit.spatial = allotted.spatial > first ? allotted.spatial - first : 0
        }
        if isUndecodable(current, by: seats[index].peer) { limit.spatial = 0 }
        seats[index].selector.setLimit(limit)
        if seats[index].selector.needsKeyFrame(in: encodings[Int(current.index)].layers) {
            wantKeyFrame(of: current)
        }
    }

    /// Whether the viewer can decode nothing but the lowest spatial layer of an encoding.
    func isUndecodable(_ encoding: EncodingID, by viewer: PeerID) -> Bool {
        encodings[Int(encoding.index)].layers.needDescriptor
            && peers[Int(viewer.index)].extensions.id(of: .dependencyDescriptor) == 0
    }

    /// A frame begins: looks whether other layers of its encoding shall go out from here on.
    mutating func chooseLayers(of seat: SeatID, at packet: borrowing PacketInfo) {
        let index = Int(seat.index)
        guard seats[index].isVideo else { return }
        let encoding = packet.encoding
        guard seats[index].rewriter.isAhead(packet) else {
            // A key frame that is late doesn't help, and what it told of the targets was not heeded.
            guard packet.frame.isKeyFrame else { return }
            let isDescribed =
                packet.frame.hasDescribedTargets && seats[index].selector.limit != LayerLimit()
            if isDescribed
                || seats[index].selector.needsKeyFrame(in: encodings[Int(encoding.index)].layers)
            {
                wantKeyFrame(of: encoding)
            }
            return
        }
        var selector = seats[index].selector
        let layers = selector.choose(at: packet, in: encodings[Int(encoding.index)].layers)
        seats[index].selector = selector
        if let layers { seats[index].rewriter.change(to: layers, at: packet) }
    }

    /// Whether the seat shows the same source already, so that another encoding of it goes on from there: what is in its
    /// cache is from before.
    func isContinued(by encoding: EncodingID, in seat: SeatID, at now: Instant) -> Bool {
        let current = seats[Int(seat.index)].current
        guard current != .none else { return false }
        let publication = encodings[Int(encoding.index)].publication
        return encodings[Int(current.index)].publication == publication
            && encodings[Int(current.index)].isActive(at: now)
    }

    /// What leads from an encoding's timestamps to those of another one of the same publication.
    func clockOffset(from encoding: EncodingID, to other: EncodingID) -> UInt32? {
        guard other != .none, other != encoding else { return nil }
        let (one, two) = (Int(encoding.index), Int(other.index))
        guard encodings.contains(two), encodings[one].publication == encodings[two].publication else {
            return nil
        }
        return encodings[one].clock.offset(to: encodings[two].clock, clockRate: encodings[one].clockRate)
    }

    /// Whether the encoding is what the seat shows, or another one of the same source.
    func isShown(_ encoding: EncodingID, in seat: SeatID) -> Bool {
        let current = seats[Int(seat.index)].current
        guard current != .none, encodings.contains(Int(encoding.index)) else { return false }
        return encoding == current
            || encodings[Int(encoding.index)].publication == encodings[Int(current.index)].publication
    }
}
