extension CodecFormat {
    /// The codec that a format of an m-line of this kind means; nil if Rostrum doesn't forward it, which includes
    /// retransmissions and forward error correction.
    init?(_ format: MediaFormat, kind: MediaDescription.Kind) {
        switch (kind, format.name.lowercased()) {
        case (.audio, "opus") where format.clockRate == 48_000 && format.channels == 2:
            self.init(codec: .opus)
        case (.audio, "red") where format.clockRate == 48_000:
            self.init(codec: .red)
        case (.video, _) where format.clockRate == 90_000:
            self.init(video: format)
        default:
            return nil
        }
    }

    private init?(video format: MediaFormat) {
        switch format.name.lowercased() {
        case "vp8":
            self.init(codec: .vp8)
        case "vp9":
            guard let profile = CodecFormat.number(format.parameters["profile-id"]), profile <= 3 else {
                return nil
            }
            self.init(codec: .vp9, profile: profile)
        case "av1":
            guard let profile = CodecFormat.number(format.parameters["profile"]), profile <= 2 else {
                return nil
            }
            self.init(codec: .av1, profile: profile)
        case "h264":
            guard let profile = CodecFormat.h264Profile(format.parameters["profile-level-id"]),
                let mode = CodecFormat.number(format.parameters["packetization-mode"]), mode <= 1
            else { return nil }
            self.init(codec: .h264, profile: profile, packetizationMode: UInt8(mode))
        default:
            return nil
        }
    }

    /// A parameter that is a number and 0 if absent.
    private static func number(_ text: String?) -> UInt16? {
        guard let text else { return 0 }
        return SDPFields.number(Array(text.utf8)[...])
    }

    /// The profile bytes, the same for all that mean the same (RFC 6184 section 8.1, table 5); the level is ignored.
    private static func h264Profile(_ text: String?) -> UInt16? {
        // Absent: Baseline at level 1.
        guard let text else { return 0x4200 }
        guard text.utf8.count == 6, let value = UInt32(text, radix: 16) else { return nil }
        let idc = UInt8(truncatingIfNeeded: value >> 16)
        let iop = UInt8(truncatingIfNeeded: value >> 8)
        let isConstrainedBaseline =
            (idc == 0x42 && iop & 0x4f == 0x40) || (idc == 0x4d && iop & 0x8f == 0x80)
            || (idc == 0x58 && iop & 0xcf == 0xc0)
        if isConstrainedBaseline { return 0x42e0 }
        if (idc == 0x42 && iop & 0x4f == 0) || (idc == 0x58 && iop & 0xcf == 0x80) { return 0x4200 }
        if idc == 0x4d, iop & 0xaf == 0 { return 0x4d00 }
        // Of the others those that clients really have: with any that is offered, formats would not be countable.
        let profile = UInt16(idc) << 8 | UInt16(iop)
        return [highProfile, constrainedHighProfile, high444Profile].contains(profile) ? profile : nil
    }

    private static var highProfile: UInt16 { 0x6400 }
    private static var constrainedHighProfile: UInt16 { 0x640c }
    private static var high444Profile: UInt16 { 0xf400 }
}

extension FeedbackOptions {
    /// The feedback that the server uses, of what is offered for a format.
    init(offered feedback: [RTCPFeedback]) {
        self = []
        for known in FeedbackOptions.names where feedback.contains(known.line) { insert(known.option) }
    }

    /// The `a=rtcp-fb` lines.
    var lines: [RTCPFeedback] {
        FeedbackOptions.names.filter { contains($0.option) }.map(\.line)
    }

    private static var names: [(option: FeedbackOptions, line: RTCPFeedback)] {
        [
            (.remb, RTCPFeedback(type: "goog-remb")),
            (.transportCC, RTCPFeedback(type: "transport-cc")),
            (.fir, RTCPFeedback(type: "ccm", parameter: "fir")),
            (.nack, RTCPFeedback(type: "nack")),
            (.pli, RTCPFeedback(type: "nack", parameter: "pli")),
        ]
    }
}
