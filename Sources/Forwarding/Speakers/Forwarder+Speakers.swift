import FixedCollections
import Wire

extension Forwarder {
    /// The next change of a router's dominant speaker, `nil` for nobody; call it in each turn until it returns `nil`.
    ///
    /// A change comes at most every 500 ms in a router, but for one: a dominant speaker that is muted or leaves is
    /// followed at once by somebody else or by nobody.
    mutating func pollSpeakerChange(at now: Instant) -> (router: RouterID, participant: UInt64?)? {
        while let index = speakerTimers.popExpired(now: now) {
            let change = routers[index].speakers.decide(at: now)
            reviewActivity(in: RouterID(index), at: now)
            if let participant = change?.participant { noteTurn(of: participant, in: RouterID(index)) }
            if change?.participant != nil || now >= routers[index].reseatAt {
                assignSeats(in: RouterID(index), at: now)
            }
            scheduleDecision(of: RouterID(index))
            if let change { return (RouterID(index), change.participant) }
        }
        return nil
    }

    mutating func scheduleDecision(of router: RouterID) {
        let index = Int(router.index)
        let deadline = min(routers[index].speakers.deadline, routers[index].activityAt)
        speakerTimers.set(index, to: min(deadline, routers[index].reseatAt))
    }

    // MARK: Publications

    /// Lets a microphone take part in who is dominant.
    mutating func addSpeaker(_ publication: PublicationID) {
        let index = Int(publication.index)
        guard publications[index].source == .microphone else { return }
        let isLive = publications[index].isLive
        let peer = Int(publications[index].peer.index)
        let participant = peers[peer].participant
        let router = Int(peers[peer].router.index)
        let speaker = routers[router].speakers.insert(participant: participant, isLive: isLive)
        publications[index].speaker = speaker
    }

    mutating func removeSpeaker(_ publication: PublicationID) {
        let index = Int(publication.index)
        guard publications[index].speaker != .none else { return }
        let router = peers[Int(publications[index].peer.index)].router
        let speaker = publications[index].speaker
        publications[index].speaker = .none
        routers[Int(router.index)].speakers.remove(speaker)
        scheduleDecision(of: router)
    }

    /// Follows the publication's `isLive`.
    mutating func updateSpeaker(_ publication: PublicationID) {
        let index = Int(publication.index)
        let speaker = publications[index].speaker
        let isLive = publications[index].isLive
        guard speaker != .none else { return }
        let router = peers[Int(publications[index].peer.index)].router
        routers[Int(router.index)].speakers.setLive(isLive, speaker)
        scheduleDecision(of: router)
    }

    // MARK: Packets

    /// Tells the tracker how loud an authenticated packet of a microphone is: by its audio level extension (RFC 6464),
    /// else by what its length tells.
    ///
    /// - Returns: whether the packet goes to the viewers.
    mutating func noteLevel(of info: PacketInfo, _ slot: PacketSlot, at now: Instant) -> Bool {
        let publication = Int(encodings[Int(info.encoding.index)].publication.index)
        let speaker = publications[publication].speaker
        guard speaker != .none else { return true }
        let (level, ticks) = loudness(of: info, slot)
        let router = peers[Int(publications[publication].peer.index)].router
        // Before it is part of the background that it is compared with.
        let isSpeech = routers[Int(router.index)].speakers.isVoice(level, of: speaker)
        let hasMoved = routers[Int(router.index)].speakers.add(
            level, timestamp: info.timestamp, ticks: ticks, of: speaker, at: now)
        if hasMoved { scheduleDecision(of: router) }
        let isForwarded = hear(PublicationID(publication), level: level, isSpeech: isSpeech, at: now)
        if isSpeech, isForwarded { noteActivity(in: router, at: now) }
        return isForwarded
    }

    /// Level and length of a packet.
    private func loudness(of info: PacketInfo, _ slot: PacketSlot) -> (level: UInt8, ticks: Int) {
        let packet = store.bytes(of: slot)
        let start = Int(info.payloadOffset)
        let ticks = Self.ticks(
            of: packet.extracting(start..<(start + Int(info.payloadLength))), info.codec)
        if let level = Self.audioLevel(in: packet, info.extensions) { return (level, ticks) }
        return (OpusLoudness.level(bytes: Int(info.payloadLength), ticks: ticks), ticks)
    }

    /// 20 ms where the payload doesn't tell.
    private static func ticks(of payload: Span<UInt8>, _ codec: Codec) -> Int {
        guard codec == .opus, let packet = try? OpusPacket.parse(payload) else { return 960 }
        return packet.ticks
    }

    private static func audioLevel(in packet: Span<UInt8>, _ extensions: PassedExtensions) -> UInt8? {
        for index in 0..<Int(extensions.count) {
            let element = extensions[index]
            guard element.kind == .audioLevel, element.length > 0 else { continue }
            return 127 - AudioLevel(byte: packet[Int(element.offset)]).level
        }
        return nil
    }
}
