import FixedCollections
import Testing

@testable import Forwarding

struct SpeakerTrackerTests {
    static let seeds: Range<UInt64> = 1..<21

    // MARK: Naming

    @Test(arguments: seeds)
    func `somebody who starts to talk is named within a second`(seed: UInt64) {
        var voice = VoiceTrace(seed: seed)
        let room = TalkingRoom(participants: 3)
        let quiet = Duration.milliseconds(20 * voice.between(0, 100))
        room.play((0..<3).map { _ in voice.silence(quiet) })
        room.play([voice.silence(.seconds(1)), voice.talk(.seconds(1)), voice.silence(.seconds(1))])
        #expect(room.dominant == 2)
        #expect(room.changes.count == 1)
    }

    @Test(arguments: seeds)
    func `who talks next is named within a second after the last one has stopped`(seed: UInt64) {
        var voice = VoiceTrace(seed: seed)
        let room = TalkingRoom(participants: 2)
        let first = Duration.milliseconds(20 * voice.between(100, 200))
        room.play([voice.talk(first), voice.silence(first)])
        #expect(room.dominant == 1)
        let start = room.elapsed
        room.play([voice.silence(.seconds(2)), voice.talk(.seconds(2))])
        #expect(room.dominant == 2)
        #expect(room.changes[1].at - start <= .seconds(1))
    }

    @Test(arguments: seeds)
    func `a talker over background noise is named within a second`(seed: UInt64) {
        var voice = VoiceTrace(seed: seed)
        let room = TalkingRoom(participants: 2)
        room.play([voice.noise(.seconds(5), level: 72), voice.silence(.seconds(5))])
        #expect(room.changes.isEmpty)
        room.play([voice.talk(.seconds(1), background: 72), voice.silence(.seconds(1))])
        #expect(room.dominant == 1)
    }

    @Test func `packets of 60 ms fill three samples each`() {
        var voice = VoiceTrace(seed: 5)
        let room = TalkingRoom(participants: 2)
        room.play([voice.silence(.seconds(1)), voice.silence(.seconds(1))], packetSamples: 3)
        room.play([voice.talk(.milliseconds(1_020)), voice.silence(.milliseconds(1_020))], packetSamples: 3)
        #expect(room.dominant == 1)
    }

    @Test(arguments: seeds)
    func `a tenth of the packets lost doesn't keep a talker from being named`(seed: UInt64) {
        var voice = VoiceTrace(seed: seed)
        let room = TalkingRoom(participants: 1)
        room.play([voice.talk(.seconds(2))]) { _ in voice.between(1, 10) == 1 }
        #expect(room.dominant == 1)
        #expect(room.changes[0].at <= .milliseconds(1_200))
    }

    // MARK: Not naming

    @Test(arguments: seeds)
    func `a cough of less than 200 ms never takes over`(seed: UInt64) {
        var voice = VoiceTrace(seed: seed)
        for hasIncumbent in [false, true] {
            let room = TalkingRoom(participants: 2)
            let before = Duration.milliseconds(20 * voice.between(100, 130))
            room.play([hasIncumbent ? voice.talk(before) : voice.silence(before), voice.silence(before)])
            let named = room.dominant
            let after = Duration.milliseconds(20 * voice.between(1, 50))
            room.play([voice.silence(after), voice.silence(after)])
            // 199 ms that begin within a packet touch 11 of them.
            room.play([voice.silence(.milliseconds(220)), voice.cough(.milliseconds(220))])
            room.play([voice.silence(.milliseconds(900)), voice.silence(.milliseconds(900))])
            #expect(room.dominant == named)
            #expect(!room.changes.contains { $0.participant == 2 })
        }
    }

    @Test(arguments: seeds)
    func `an incumbent who still talks is kept while another talks too`(seed: UInt64) {
        var voice = VoiceTrace(seed: seed)
        let room = TalkingRoom(participants: 2)
        room.play([voice.talk(.seconds(2)), voice.silence(.seconds(2))])
        #expect(room.dominant == 1)
        room.play([voice.talk(.seconds(10)), voice.talk(.seconds(10), loudness: 108)])
        #expect(room.changes.count == 1)
    }

    @Test(arguments: seeds)
    func `steady noise isn't named, however loud, and from its first moment on`(seed: UInt64) {
        var voice = VoiceTrace(seed: seed)
        for level in [60, 80, 94, 110] {
            let room = TalkingRoom(participants: 2)
            room.play([voice.silence(.seconds(2)), voice.silence(.seconds(2))])
            room.play([voice.silence(.seconds(20)), voice.noise(.seconds(20), level: level)])
            #expect(room.changes.isEmpty)
        }
    }

    @Test(arguments: seeds)
    func `noise on the incumbent's line doesn't keep others out`(seed: UInt64) {
        var voice = VoiceTrace(seed: seed)
        let room = TalkingRoom(participants: 2)
        room.play([voice.talk(.seconds(4), background: 75), voice.silence(.seconds(4))])
        #expect(room.dominant == 1)
        room.play([voice.noise(.seconds(1), level: 75), voice.silence(.seconds(1))])
        let start = room.elapsed
        room.play([voice.noise(.seconds(2), level: 75), voice.talk(.seconds(2))])
        #expect(room.dominant == 2)
        #expect(room.changes[1].at - start <= .seconds(1))
    }

    @Test func `without a packet of voice there is no decision to wait for`() {
        var voice = VoiceTrace(seed: 1)
        let room = TalkingRoom(participants: 2)
        room.play([voice.silence(.seconds(3)), []])
        #expect(room.decisions == 0)
        #expect(room.tracker.deadline == .distantFuture)
    }

    // MARK: Ending

    @Test(arguments: [true, false])
    func `after 3 s of silence nobody is dominant, whether silence is sent or not`(isSent: Bool) {
        var voice = VoiceTrace(seed: 9)
        let room = TalkingRoom(participants: 2)
        room.play([voice.talk(.seconds(3))])
        let last = room.elapsed
        #expect(room.dominant == 1)
        if isSent { room.play([voice.silence(.seconds(5))]) } else { room.wait(.seconds(5)) }
        #expect(room.changes.count == 2)
        #expect(room.dominant == nil)
        let silence = room.changes[1].at - last
        #expect(silence > .milliseconds(2_500) && silence < .milliseconds(3_500))
        #expect(room.tracker.deadline == .distantFuture)
    }

    @Test func `a pause of two seconds doesn't end anybody's turn`() {
        var voice = VoiceTrace(seed: 11)
        let room = TalkingRoom(participants: 2)
        room.play([voice.talk(.seconds(2))])
        room.wait(.seconds(2))
        room.play([voice.talk(.seconds(2))])
        #expect(room.changes.map(\.participant) == [1])
    }

    @Test func `a muted incumbent is out at once, for who spoke last`() {
        var voice = VoiceTrace(seed: 12)
        let room = TalkingRoom(participants: 3)
        room.play([voice.talk(.seconds(2)), [], voice.silence(.seconds(2))])
        room.play([voice.silence(.seconds(2)), voice.talk(.seconds(2)), voice.silence(.seconds(2))])
        #expect(room.dominant == 2)
        room.setLive(false, 2)
        #expect(room.dominant == 1)
        #expect(room.changes.last?.at == room.elapsed)
    }

    @Test func `a muted incumbent is out at once, for nobody if nobody else has spoken for 3 s`() {
        var voice = VoiceTrace(seed: 13)
        let room = TalkingRoom(participants: 2)
        room.play([voice.silence(.seconds(4)), voice.talk(.seconds(4))])
        #expect(room.dominant == 2)
        room.setLive(false, 2)
        #expect(room.changes.map(\.participant) == [2, nil])
        #expect(room.changes.last?.at == room.elapsed)
    }

    @Test func `who has left is out at once, and their number serves the next one`() {
        var voice = VoiceTrace(seed: 14)
        let room = TalkingRoom(participants: 2)
        room.play([voice.silence(.seconds(2)), voice.talk(.seconds(2))])
        room.remove(2)
        #expect(room.changes.map(\.participant) == [2, nil])
        room.join(3)
        room.play([voice.silence(.seconds(2)), voice.talk(.seconds(2))])
        #expect(room.dominant == 3)
    }

    @Test func `levels of somebody muted count for nothing`() {
        var voice = VoiceTrace(seed: 15)
        let room = TalkingRoom(participants: 1)
        room.setLive(false, 1)
        room.play([voice.talk(.seconds(3))])
        #expect(room.changes.isEmpty)
        room.setLive(true, 1)
        room.play([voice.talk(.seconds(1))])
        #expect(room.dominant == 1)
    }

    // MARK: Rate

    @Test(arguments: seeds)
    func `changes come at most every 500 ms and each is a change`(seed: UInt64) {
        var voice = VoiceTrace(seed: seed)
        let room = TalkingRoom(participants: 6)
        for _ in 0..<60 {
            let talker = voice.between(0, 5)
            let duration = Duration.milliseconds(20 * voice.between(10, 60))
            room.play((0..<6).map { $0 == talker ? voice.talk(duration) : voice.silence(duration) })
        }
        #expect(room.changes.count > 5)
        for (earlier, later) in zip(room.changes, room.changes.dropFirst()) {
            #expect(later.at - earlier.at >= .milliseconds(500))
            #expect(later.participant != earlier.participant)
        }
    }
}
