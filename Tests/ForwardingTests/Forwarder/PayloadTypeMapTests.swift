import Testing
import Wire

@testable import Forwarding

@Suite struct PayloadTypeMapTests {
    private var map = PayloadTypeMap()

    private mutating func map(_ codec: Codec, _ id: UInt8, _ type: UInt8, rtx: UInt8? = nil) {
        let format = PeerFormat(
            format: CodecFormat(codec: codec), payloadType: PayloadType(type),
            rtxPayloadType: rtx.map { PayloadType($0) })
        map.map(format, as: FormatID(id))
    }

    @Test mutating func `media and retransmissions are told apart both ways`() {
        map(.vp8, 3, 96, rtx: 97)
        map(.opus, 0, 111)
        #expect(map.format(of: PayloadType(96))?.format == FormatID(3))
        #expect(map.format(of: PayloadType(96))?.isRTX == false)
        #expect(map.format(of: PayloadType(97))?.isRTX == true)
        #expect(map.format(of: PayloadType(97))?.codec == .vp8)
        #expect(map.format(of: PayloadType(98))?.codec == nil)
        #expect(map.payloadType(of: FormatID(3)) == PayloadType(96))
        #expect(map.rtxPayloadType(of: FormatID(3)) == PayloadType(97))
        #expect(map.rtxPayloadType(of: FormatID(0)) == nil)
        #expect(map.payloadType(of: FormatID(31)) == nil)
    }

    @Test mutating func `the first payload type of a format is the one that is sent`() {
        map(.h264, 5, 102, rtx: 103)
        map(.h264, 5, 108, rtx: 109)
        #expect(map.payloadType(of: FormatID(5)) == PayloadType(102))
        #expect(map.rtxPayloadType(of: FormatID(5)) == PayloadType(103))
        #expect(map.format(of: PayloadType(108))?.format == FormatID(5))
    }

    @Test func `a fresh map knows nothing`() {
        #expect((0..<128).allSatisfy { map.format(of: PayloadType(UInt8($0))) == nil })
    }
}
