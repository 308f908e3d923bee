import TestSupport
import Transport
import Wire

/// The implementations this build has.
let sealingPreferences: [SealingPreference] = {
    #if ROSTRUM_IPSEC_MB
        [.multiBuffer, .openSSL]
    #else
        [.openSSL]
    #endif
}()

func bytes(hex: String) -> [UInt8] {
    var result: [UInt8] = []
    var high: UInt8?
    for character in hex where !character.isWhitespace {
        let digit = UInt8(character.hexDigitValue ?? 0)
        if let first = high {
            result.append(first << 4 | digit)
            high = nil
        } else {
            high = digit
        }
    }
    return result
}

func masterKey(_ suite: SRTPSuite, seed: UInt64 = 1) throws -> SRTPMasterKey {
    var generator = SeededGenerator(seed: seed)
    let key = generator.bytes(suite.keyLength)
    let salt = generator.bytes(suite.saltLength)
    return try SRTPMasterKey(suite: suite, key: key.span, salt: salt.span)
}

/// A 12-byte header, payload type 96.
func rtpHeader(sequence: UInt16, ssrc: UInt32, timestamp: UInt32 = 0x0102_0304) -> [UInt8] {
    [
        0x80, 96, UInt8(sequence >> 8), UInt8(sequence & 0xff),
        UInt8(timestamp >> 24), UInt8(timestamp >> 16 & 0xff), UInt8(timestamp >> 8 & 0xff),
        UInt8(timestamp & 0xff),
        UInt8(ssrc >> 24), UInt8(ssrc >> 16 & 0xff), UInt8(ssrc >> 8 & 0xff), UInt8(ssrc & 0xff),
    ]
}

/// A packet of a header and a payload, sealed alone.
func seal(
    _ sealer: inout Sealer, _ stream: SealerStream, header: [UInt8], payload: [UInt8],
    engine: inout SealingEngine
) throws -> [UInt8] {
    var output = header + [UInt8](repeating: 0, count: payload.count + 16)
    var span = output.mutableSpan
    let packet = PacketToSeal(stream: stream, headerLength: header.count)
    let length = try sealer.sealRTP(packet, payload: payload.span, into: &span, engine: &engine)
    return Array(output[..<length])
}

func sealRTCP(_ sealer: inout Sealer, _ packet: [UInt8]) throws -> [UInt8] {
    var output = packet + [UInt8](repeating: 0, count: sealer.suite.rtcpOverhead)
    var span = output.mutableSpan
    let length = try sealer.sealRTCP(&span, length: packet.count)
    return Array(output[..<length])
}

func open(_ receiver: inout SRTPReceiver, _ packet: [UInt8]) throws -> [UInt8] {
    var copy = packet
    var span = copy.mutableSpan
    let length = try receiver.openRTP(&span, length: packet.count)
    return Array(copy[..<length])
}

func openRTCP(_ receiver: inout SRTPReceiver, _ packet: [UInt8]) throws -> [UInt8] {
    var copy = packet
    var span = copy.mutableSpan
    let length = try receiver.openRTCP(&span, length: packet.count)
    return Array(copy[..<length])
}

/// The error that `body` ends with, if it does.
func failure<Value>(_ body: () throws -> Value) -> SRTPError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? SRTPError
    }
}
