/// Collects the lines of one m-section.
///
/// The tables beside the result keep each line O(1), whatever the number of lines before it.
struct SDPSectionParser {
    /// Most `a=rtcp-fb` lines for one payload type.
    static let maximumFeedback = 32

    private(set) var media: MediaDescription
    private var formatIndices: [UInt8: Int] = [:]
    private var sourceIndices: [SSRC: Int] = [:]
    private var extensionIDs: Set<UInt16> = []
    private var ridIDs: Set<String> = []

    /// Reads `<kind> <port> <proto> <format> …`.
    init(mediaLine: ArraySlice<UInt8>, line: Int, direction: MediaDirection) throws(SDPError) {
        var fields = SDPFields(mediaLine)
        guard let name = fields.token(), let port = fields.number(UInt16.self), let proto = fields.text(),
            !fields.isAtEnd
        else { throw SDPError(line: line, reason: .malformed("m= line")) }
        let kind = MediaDescription.Kind(name: name)
        media = MediaDescription(kind: kind, port: port, proto: proto)
        media.direction = direction
        media.line = SourceLine(line)
        guard kind == .audio || kind == .video, proto.utf8.contains("RTP/".utf8) else {
            media.otherFormats = fields.remainingTexts()
            return
        }
        while let word = fields.word() {
            let payloadType = try SDPSectionParser.payloadType(word, line: line)
            guard formatIndices.updateValue(media.formats.count, forKey: payloadType.rawValue) == nil else {
                throw SDPError(line: line, reason: .duplicate("payload type"))
            }
            media.formats.append(MediaFormat(payloadType: payloadType))
        }
    }

    /// `b=TIAS:<bits per second>`; other modifiers are skipped.
    mutating func parseBandwidth(_ value: ArraySlice<UInt8>, line: Int) throws(SDPError) {
        let (modifier, amount) = SDPFields.halves(value, at: UInt8(ascii: ":"))
        guard modifier.elementsEqual("TIAS".utf8) else { return }
        guard let amount, let rate: UInt32 = SDPFields.number(amount) else {
            throw SDPError(line: line, reason: .malformed("b=TIAS"))
        }
        media.maxBitrate = Bitrate(bitsPerSecond: Int(rate))
    }

    mutating func parseAttribute(
        _ name: String, _ value: ArraySlice<UInt8>, line: Int
    ) throws(SDPError) {
        if try media.transport.parse(name, value, line: line) { return }
        if let direction = MediaDirection(rawValue: name) {
            media.direction = direction
            return
        }
        switch name {
        case "mid": try parseMID(value, line)
        case "rtpmap": try parseRTPMap(value, line)
        case "fmtp": try parseFormatParameters(value, line)
        case "rtcp-fb": try parseFeedback(value, line)
        case "extmap": try parseExtension(value, line)
        case "ssrc": try parseSource(value, line)
        case "ssrc-group": try parseSourceGroup(value, line)
        case "msid": media.msids.append(try MSID.parse(value, line: line))
        case "rid": try parseRID(value, line)
        case "simulcast": media.simulcast = try Simulcast.parse(value, line: line)
        case "candidate":
            if let candidate = try ICECandidate.parse(value, line: line) {
                media.candidates.append(candidate)
            }
        default: parseFlag(name)
        }
    }

    private mutating func parseFlag(_ name: String) {
        switch name {
        case "rtcp-mux": media.hasRTCPMux = true
        case "rtcp-rsize": media.hasReducedSizeRTCP = true
        case "bundle-only": media.isBundleOnly = true
        case "extmap-allow-mixed": media.allowsMixedExtensions = true
        case "end-of-candidates": media.hasEndOfCandidates = true
        default: break
        }
    }

    private static func payloadType(_ word: ArraySlice<UInt8>?, line: Int) throws(SDPError) -> PayloadType {
        guard let word, let number: UInt8 = SDPFields.number(word), number <= 127 else {
            throw SDPError(line: line, reason: .badPayloadType)
        }
        return PayloadType(number)
    }

    private mutating func parseMID(_ value: ArraySlice<UInt8>, _ line: Int) throws(SDPError) {
        guard let mid = SDPFields.token(value), value.count <= 16, media.mid == nil else {
            throw SDPError(line: line, reason: .malformed("a=mid"))
        }
        media.mid = mid
    }

    private mutating func parseRTPMap(_ value: ArraySlice<UInt8>, _ line: Int) throws(SDPError) {
        var fields = SDPFields(value)
        let payloadType = try SDPSectionParser.payloadType(fields.word(), line: line)
        let parts = (fields.word() ?? []).split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let channels: UInt8? = parts.count == 3 ? SDPFields.number(parts[2]) : 1
        guard parts.count == 2 || parts.count == 3, let name = SDPFields.token(parts[0]),
            let clockRate: UInt32 = SDPFields.number(parts[1]), clockRate > 0, let channels, channels > 0
        else { throw SDPError(line: line, reason: .malformed("a=rtpmap")) }
        guard let index = formatIndices[payloadType.rawValue] else { return }
        let known = media.formats[index]
        guard known.name.isEmpty || (known.isNamed(name.lowercased()) && known.clockRate == clockRate) else {
            throw SDPError(line: line, reason: .duplicate("a=rtpmap"))
        }
        media.formats[index].name = name
        media.formats[index].clockRate = clockRate
        media.formats[index].channels = channels
    }

    private mutating func parseFormatParameters(_ value: ArraySlice<UInt8>, _ line: Int) throws(SDPError) {
        var fields = SDPFields(value)
        let payloadType = try SDPSectionParser.payloadType(fields.word(), line: line)
        guard let parameters = SDPFields.parameters(fields.rest()) else {
            throw SDPError(line: line, reason: .malformed("a=fmtp"))
        }
        guard let index = formatIndices[payloadType.rawValue] else { return }
        media.formats[index].parameters.list += parameters.list
    }

    private mutating func parseFeedback(_ value: ArraySlice<UInt8>, _ line: Int) throws(SDPError) {
        var fields = SDPFields(value)
        let target = fields.word()
        let isWildcard = target?.elementsEqual("*".utf8) == true
        let payloadType = isWildcard ? nil : try SDPSectionParser.payloadType(target, line: line)
        guard let type = fields.text() else { throw SDPError(line: line, reason: .malformed("a=rtcp-fb")) }
        let feedback = RTCPFeedback(type: type, parameter: String(decoding: fields.rest(), as: UTF8.self))
        guard let payloadType else {
            try append(feedback, to: &media.wildcardFeedback, line)
            return
        }
        guard let index = formatIndices[payloadType.rawValue] else { return }
        try append(feedback, to: &media.formats[index].feedback, line)
    }

    private func append(
        _ feedback: RTCPFeedback, to list: inout [RTCPFeedback], _ line: Int
    ) throws(SDPError) {
        if list.contains(feedback) { return }
        guard list.count < SDPSectionParser.maximumFeedback else {
            throw SDPError(line: line, reason: .tooMany("a=rtcp-fb"))
        }
        list.append(feedback)
    }

    private mutating func parseExtension(_ value: ArraySlice<UInt8>, _ line: Int) throws(SDPError) {
        let mapping = try ExtensionMapping.parse(value, line: line)
        guard extensionIDs.insert(mapping.id).inserted else {
            throw SDPError(line: line, reason: .duplicate("extension id"))
        }
        media.extensions.append(mapping)
    }

    /// `<ssrc> cname:…` and `<ssrc> msid:…`; other source attributes only make the SSRC known.
    private mutating func parseSource(_ value: ArraySlice<UInt8>, _ line: Int) throws(SDPError) {
        var fields = SDPFields(value)
        guard let number = fields.number(UInt32.self), !fields.isAtEnd else {
            throw SDPError(line: line, reason: .malformed("a=ssrc"))
        }
        let ssrc = SSRC(number)
        let index = sourceIndices[ssrc] ?? media.sources.count
        if index == media.sources.count {
            sourceIndices[ssrc] = index
            media.sources.append(SourceAttributes(ssrc: ssrc))
        }
        let (name, content) = SDPFields.halves(fields.rest(), at: UInt8(ascii: ":"))
        if name.elementsEqual("cname".utf8), let content, !content.isEmpty {
            media.sources[index].cname = String(decoding: content, as: UTF8.self)
        } else if name.elementsEqual("msid".utf8) {
            media.sources[index].msid = try MSID.parse(content ?? [], line: line)
        }
    }

    private mutating func parseSourceGroup(_ value: ArraySlice<UInt8>, _ line: Int) throws(SDPError) {
        var fields = SDPFields(value)
        guard let semantics = fields.token() else {
            throw SDPError(line: line, reason: .malformed("a=ssrc-group"))
        }
        var ssrcs: [SSRC] = []
        while !fields.isAtEnd {
            guard let number = fields.number(UInt32.self) else {
                throw SDPError(line: line, reason: .malformed("a=ssrc-group"))
            }
            ssrcs.append(SSRC(number))
        }
        media.sourceGroups.append(SourceGroup(semantics: semantics, ssrcs: ssrcs))
    }

    private mutating func parseRID(_ value: ArraySlice<UInt8>, _ line: Int) throws(SDPError) {
        let rid = try RIDDescription.parse(value, line: line)
        guard ridIDs.insert("\(rid.direction) \(rid.id)").inserted else {
            throw SDPError(line: line, reason: .duplicate("RID"))
        }
        media.rids.append(rid)
    }
}
