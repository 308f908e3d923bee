import FixedCollections
import Testing
import Wire

@testable import Forwarding

/// A forwarder with microphones whose RTP packets are made here, byte by byte.
private final class Microphones {
    static let levelID: UInt8 = 5
    var forwarder: Forwarder
    let router: RouterID
    var peers: [PeerID] = []
    var changes: [UInt64?] = []
    var now = Instant.zero
    var sent: UInt32 = 0

    init() throws {
        let limits = ForwarderLimits(routers: 2, peers: 8, seats: 8, packets: 2_048, packetsATurn: 256)
        forwarder = Forwarder(limits: limits, seed: 1, clockOffset: .zero, now: .zero)
        let added = forwarder.addRouter()
        router = try #require(added)
    }

    func join(hasLevel: Bool = true) throws {
        var extensions = HeaderExtensionMap()
        if hasLevel { _ = extensions.map(.audioLevel, to: Self.levelID) }
        let opus = PeerFormat(
            format: CodecFormat(codec: .opus), payloadType: PayloadType(111), rtxPayloadType: nil)
        let stream = PublicationSetup.Stream(ssrc: ssrc(of: peers.count), rtxSSRC: nil)
        let microphone = PublicationSetup(
            mid: try #require(ShortID("0")), source: .microphone, streams: [stream])
        let setup = PeerSetup(
            router: router, participant: UInt64(peers.count + 1), localSSRC: SSRC(1), extensions: extensions,
            formats: [opus], publications: [microphone], seats: [])
        let peer = forwarder.addPeer(setup, at: now)
        peers.append(try #require(peer))
    }

    func ssrc(of number: Int) -> SSRC { SSRC(UInt32(1_000 + number)) }

    /// A packet of one 20 ms Opus frame; its length stands for loudness if the level isn't sent.
    private func packet(of number: Int, level: UInt8, hasLevel: Bool) -> [UInt8] {
        var bytes: [UInt8] = [hasLevel ? 0x90 : 0x80, 111, UInt8(sent >> 8 & 0xFF), UInt8(sent & 0xFF)]
        for value in [sent * 960, ssrc(of: number).rawValue] {
            for shift: UInt32 in [24, 16, 8, 0] { bytes.append(UInt8(value >> shift & 0xFF)) }
        }
        if hasLevel { bytes += [0xBE, 0xDE, 0, 1, Self.levelID << 4, 0x80 | (127 - level), 0, 0] }
        // Configuration 1: 20 ms of SILK, one frame.
        bytes.append(0x08)
        let length = hasLevel ? 40 : level > 80 ? Int(level) : 20
        bytes += [UInt8](repeating: 0x55, count: length)
        return bytes
    }

    func play(_ traces: [[UInt8]], hasLevel: Bool = true) {
        for sample in 0..<(traces.map(\.count).max() ?? 0) {
            now += .milliseconds(20)
            sent += 1
            for (number, trace) in traces.enumerated() where sample < trace.count {
                send(packet(of: number, level: trace[sample], hasLevel: hasLevel), of: number)
            }
            poll()
        }
    }

    private func send(_ bytes: [UInt8], of number: Int) {
        guard let header = try? RTPHeader.parse(bytes.span),
            forwarder.admit(header, packet: bytes.span, from: peers[number], at: now) == .open,
            let slot = forwarder.takeBlock()
        else { return }
        var block = forwarder.mutableBytes(of: slot)
        block.store(bytes.span, at: 0)
        forwarder.receive(slot, length: bytes.count, from: peers[number], at: now)
    }

    func poll() {
        while let change = forwarder.pollSpeakerChange(at: now) {
            changes.append(change.router == router ? change.participant : .max)
        }
        forwarder.endTurn()
    }
}

struct ForwarderSpeakerTests {
    @Test(arguments: [true, false])
    func `the dominant speaker follows levels, or packet lengths without them`(hasLevel: Bool) throws {
        var voice = VoiceTrace(seed: 21)
        let room = try Microphones()
        try room.join(hasLevel: hasLevel)
        try room.join(hasLevel: hasLevel)
        let quiet = voice.silence(.seconds(2))
        room.play([voice.talk(.seconds(2)), quiet], hasLevel: hasLevel)
        room.play([quiet, voice.talk(.seconds(2))], hasLevel: hasLevel)
        #expect(room.changes == [1, 2])
    }

    @Test func `a muted microphone is out in the same turn, and stays out whatever it sends`() throws {
        var voice = VoiceTrace(seed: 22)
        let room = try Microphones()
        try room.join()
        room.play([voice.talk(.seconds(2))])
        room.forwarder.setLive(false, source: .microphone, of: room.peers[0], at: room.now)
        let deadline = room.forwarder.nextDeadline
        #expect(deadline <= room.now)
        room.poll()
        #expect(room.changes == [1, nil])
        room.play([voice.talk(.seconds(2))])
        #expect(room.changes == [1, nil])
        room.forwarder.setLive(true, source: .microphone, of: room.peers[0], at: room.now)
        room.play([voice.talk(.seconds(2))])
        #expect(room.changes == [1, nil, 1])
    }

    @Test func `a peer that has left is out in the same turn`() throws {
        var voice = VoiceTrace(seed: 23)
        let room = try Microphones()
        try room.join()
        room.play([voice.talk(.seconds(2))])
        room.forwarder.removePeer(room.peers[0], at: room.now)
        room.poll()
        #expect(room.changes == [1, nil])
        // Nothing of it is left to decide about.
        room.forwarder.removeRouter(room.router)
        room.now += .seconds(10)
        room.poll()
        #expect(room.changes == [1, nil])
    }

    @Test func `decisions wake the worker only while somebody speaks`() throws {
        var voice = VoiceTrace(seed: 24)
        let room = try Microphones()
        try room.join()
        room.play([voice.silence(.milliseconds(500))])
        let idle = room.forwarder.speakerTimers.nextDeadline()
        #expect(idle == .distantFuture)
        room.play([voice.talk(.seconds(1))])
        let busy = room.forwarder.nextDeadline
        #expect(busy <= room.now + .milliseconds(300))
        room.play([voice.silence(.seconds(6))])
        let after = room.forwarder.speakerTimers.nextDeadline()
        #expect(after == .distantFuture)
        #expect(room.changes == [1, nil])
    }

    @Test func `a level under a stranger's SSRC counts for nobody`() throws {
        var voice = VoiceTrace(seed: 25)
        let room = try Microphones()
        try room.join()
        try room.join()
        // The second peer sends under the first one's SSRC, without a mid.
        room.peers.swapAt(0, 1)
        room.play([voice.talk(.seconds(2))])
        #expect(room.changes.isEmpty)
    }
}
