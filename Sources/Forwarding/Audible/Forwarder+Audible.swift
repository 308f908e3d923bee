import FixedCollections
import Wire

/// Whose voice is forwarded: of all that can be heard the `maxAudible` loudest, who may finish what they say.
///
/// While there is room, a voice is forwarded from its first packet on. Without room, whoever talks takes the place of
/// somebody who has only been making noise for a second; of those who talk, one makes way for somebody who has been 6 dB
/// louder for 300 ms. Silence isn't forwarded but for three packets, so that decoders fade into it.
///
/// Only packets that were authenticated change who is heard. What can't change it is dropped by its plain header: silence,
/// and most of the background noise while there is no room.
extension Forwarder {
    /// Whether a packet of a microphone that is on need be opened, by its plain header.
    func isWorthOpening(
        _ header: RTPHeader, packet: Span<UInt8>, of encoding: EncodingID, from peer: PeerID
    ) -> Bool {
        let index = Int(encodings[Int(encoding.index)].publication.index)
        guard publications[index].speaker != .none, let level = audioLevel(of: header, in: packet, from: peer)
        else {
            return true
        }
        if publications[index].voice.isAudible { return level > 0 || publications[index].voice.mayFallSilent }
        guard level > 0 else { return false }
        let router = Int(peers[Int(peer.index)].router.index)
        if routers[router].audible.count < routers[router].limits.maxAudible { return true }
        // Some of the background is looked at, so that speech can be told from it.
        return VoiceLevels.mayBeVoiced(level) || header.sequenceNumber.rawValue % 4 == 0
    }

    /// Loudness by the extension of RFC 6464, 0 (silence) to 127; `nil` if the packet doesn't tell.
    private func audioLevel(of header: RTPHeader, in packet: Span<UInt8>, from peer: PeerID) -> UInt8? {
        let id = peers[Int(peer.index)].extensions.id(of: .audioLevel)
        guard id != 0 else { return nil }
        var elements = HeaderExtensions(of: header)
        while let element = elements.next(in: packet) {
            if element.id == id { return element.audioLevel(in: packet).map { 127 - $0.level } }
        }
        return nil
    }

    /// A packet of a voice was dropped unopened: nobody misses it.
    mutating func leaveUnread(_ encoding: EncodingID, at now: Instant) {
        let index = Int(encoding.index)
        encodings[index].unread = min(encodings[index].unread &+ 1, SequenceExtender.largestJump)
        encodings[index].isInterrupted = true
        let publication = encodings[index].publication
        let voice = publications[Int(publication.index)].voice
        if voice.isAudible, voice.hasEnded(at: now) { silence(publication, at: now) }
    }

    /// Takes what was left unread out of the packets that are missing before one that came.
    ///
    /// - Returns: how many are missing and should be asked for.
    mutating func passOverUnread(_ missing: Int, in encoding: EncodingID) -> Int {
        let index = Int(encoding.index)
        guard missing > 0 else { return 0 }
        // On another worker's stream what was left unread there can't be told from what was lost.
        if isMirror(encodings[index].peer), !encodings[index].isVideo {
            encodings[index].isInterrupted = true
        }
        guard encodings[index].unread > 0 else { return missing }
        encodings[index].statistics.credit(min(missing, encodings[index].unread))
        encodings[index].unread = 0
        return 0
    }

    /// Begins anew, without a gap, on the seats of a stream of which something was left out. Timestamps tell how long.
    mutating func resume(with info: PacketInfo) {
        let encoding = Int(info.encoding.index)
        guard info.extendedSequence == encodings[encoding].extender.highest else { return }
        encodings[encoding].isInterrupted = false
        for number in 0..<encodings[encoding].watchers.count {
            let seat = Int(encodings[encoding].watchers[number].index)
            if seats[seat].current == info.encoding { seats[seat].rewriter.begin(with: info) }
        }
    }

    /// Takes in how loud an authenticated packet of a microphone is.
    ///
    /// - Returns: whether the packet goes to the viewers.
    mutating func hear(
        _ publication: PublicationID, level: UInt8, isSpeech: Bool, at now: Instant
    ) -> Bool {
        let index = Int(publication.index)
        publications[index].voice.add(level, isSpeech: isSpeech, at: now)
        if level > 0, !publications[index].voice.isAudible {
            contend(publication, isSpeech: isSpeech, at: now)
        }
        return publications[index].voice.isForwarded
    }

    /// Makes the voice heard, if there is room or somebody gives way.
    private mutating func contend(_ publication: PublicationID, isSpeech: Bool, at now: Instant) {
        let router = routerIndex(of: publication)
        guard routers[router].limits.maxAudible > 0 else { return }
        if routers[router].audible.count >= routers[router].limits.maxAudible {
            guard let place = contest(publication, in: router, isSpeech: isSpeech, at: now) else { return }
            let other = Int(routers[router].audible[place].index)
            publications[other].voice.isAudible = false
            publications[other].isUnseated = false
            routers[router].audible.swapRemove(at: place)
        }
        publications[Int(publication.index)].voice.isAudible = true
        routers[router].audible.append(publication)
        seatVoice(publication, at: now)
        seatUnseated(in: router, at: now)
    }

    /// Whose place among those who are heard the voice takes.
    private mutating func contest(
        _ publication: PublicationID, in router: Int, isSpeech: Bool, at now: Instant
    ) -> Int? {
        var oldest = 0
        var quietest = 0
        for place in 0..<routers[router].audible.count {
            let voice = publications[Int(routers[router].audible[place].index)].voice
            if voice.hasEnded(at: now) { return place }
            if voice.lastSpeech < self.voice(oldest, in: router).lastSpeech { oldest = place }
            if voice.loudness < self.voice(quietest, in: router).loudness { quietest = place }
        }
        guard isSpeech else { return nil }
        if !voice(oldest, in: router).isTalking(at: now) { return oldest }
        let loudness = voice(quietest, in: router).loudness
        return publications[Int(publication.index)].voice.challenge(loudness, at: now) ? quietest : nil
    }

    private func voice(_ place: Int, in router: Int) -> Voice {
        publications[Int(routers[router].audible[place].index)].voice
    }

    func routerIndex(of publication: PublicationID) -> Int {
        Int(peers[Int(publications[Int(publication.index)].peer.index)].router.index)
    }

    /// The voice is heard no more, and comes back like one that never was. Those who wait for its seats get them.
    mutating func silence(_ publication: PublicationID, at now: Instant) {
        let index = Int(publication.index)
        guard publications[index].voice.isAudible else { return }
        publications[index].voice = Voice()
        publications[index].isUnseated = false
        let router = routerIndex(of: publication)
        routers[router].audible.remove(publication)
        noteSilenced(peers[Int(publications[index].peer.index)].participant, in: RouterID(router))
        seatUnseated(in: router, at: now)
    }

    private mutating func seatUnseated(in router: Int, at now: Instant) {
        for place in 0..<routers[router].audible.count {
            let voice = routers[router].audible[place]
            if publications[Int(voice.index)].isUnseated { seatVoice(voice, at: now) }
        }
    }

    /// Follows a change of `maxAudible`: of those who are heard, the latest go.
    mutating func limitVoices(of router: RouterID) {
        let index = Int(router.index)
        while routers[index].audible.count > max(0, routers[index].limits.maxAudible) {
            let last = routers[index].audible[routers[index].audible.count - 1]
            publications[Int(last.index)].voice.isAudible = false
            routers[index].audible.swapRemove(at: routers[index].audible.count - 1)
        }
    }
}
