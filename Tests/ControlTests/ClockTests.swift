import Meeting
import Testing

@testable import Control

extension ControlTests {
    @Suite struct ClockTests {
        @Test func `a steady clock counts what has gone by, not what the system's clock is set to`() {
            let clock = SteadyClock(wall: 1_700_000_000_000, monotonic: 5_000)
            #expect(clock.now(monotonic: 5_000) == 1_700_000_000_000)
            #expect(clock.now(monotonic: 5_250) == 1_700_000_000_250)
        }

        @Test func `an event to many shares all of its bytes but the number`() throws {
            let event = try #require(EncodedEvent(.sessionLeft(.left), sessionID: "room", at: 7))
            let texts = [event.text(seq: 1), event.text(seq: 22)]
            let whole = texts.map { String(decoding: $0.parts.joined(), as: UTF8.self) }
            #expect(
                whole[1]
                    == #"{"event":"sessionLeft","sessionId":"room","seq":22,"at":7,"data":{"reason":"left"}}"#
            )
            #expect(texts[1].count == whole[1].utf8.count)
            func place(_ bytes: [UInt8]) -> UInt {
                unsafe bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            }
            #expect(place(texts[0].parts[0]) == place(texts[1].parts[0]))
            #expect(place(texts[0].parts[2]) == place(texts[1].parts[2]))
        }
    }
}
