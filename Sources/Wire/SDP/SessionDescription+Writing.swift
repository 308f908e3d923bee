extension SessionDescription {
    /// The description as text: CRLF, attributes in a fixed order, only what is modelled.
    public func write() -> String {
        var out = SDPWriter()
        out.line(
            "o=\(origin.username) \(origin.sessionID) \(origin.version) IN \(origin.addressType) \(origin.address)"
        )
        out.line("s=\(name)")
        out.line("t=0 0")
        for group in groups {
            out.attribute("group", ([group.semantics] + group.mids).joined(separator: " "))
        }
        out.flag("extmap-allow-mixed", if: allowsMixedExtensions)
        if let streams { out.attribute("msid-semantic", " " + (["WMS"] + streams).joined(separator: " ")) }
        out.flag("ice-lite", if: isICELite)
        out.write(transport)
        out.write(extensions)
        for section in media { out.write(section) }
        return out.text
    }
}

private struct SDPWriter {
    private(set) var text = "v=0\r\n"

    mutating func line(_ content: String) {
        text += content
        text += "\r\n"
    }

    mutating func attribute(_ name: String, _ value: String) {
        line("a=\(name):\(value)")
    }

    mutating func flag(_ name: String, if isSet: Bool) {
        if isSet { line("a=\(name)") }
    }

    mutating func write(_ transport: TransportAttributes) {
        if let ufrag = transport.iceUfrag { attribute("ice-ufrag", ufrag) }
        if let pwd = transport.icePwd { attribute("ice-pwd", pwd) }
        if !transport.iceOptions.isEmpty {
            attribute("ice-options", transport.iceOptions.joined(separator: " "))
        }
        for fingerprint in transport.fingerprints { attribute("fingerprint", fingerprint.text) }
        if let setup = transport.setup { attribute("setup", setup.rawValue) }
    }

    mutating func write(_ extensions: [ExtensionMapping]) {
        for mapping in extensions {
            let direction = mapping.direction.map { "/" + $0.rawValue } ?? ""
            attribute("extmap", "\(mapping.id)\(direction) \(mapping.uri)")
        }
    }

    mutating func write(_ media: MediaDescription) {
        let payloadTypes = media.formats.map { String($0.payloadType.rawValue) }
        let listed = payloadTypes.isEmpty ? media.otherFormats : payloadTypes
        let formats = listed.isEmpty ? "0" : listed.joined(separator: " ")
        line("m=\(media.kind.name) \(media.port) \(media.proto) \(formats)")
        line("c=IN IP4 0.0.0.0")
        if let rate = media.maxBitrate { line("b=TIAS:\(rate.bitsPerSecond)") }
        for candidate in media.candidates { attribute("candidate", candidate.text) }
        flag("end-of-candidates", if: media.hasEndOfCandidates)
        write(media.transport)
        if let mid = media.mid { attribute("mid", mid) }
        flag("bundle-only", if: media.isBundleOnly)
        flag("extmap-allow-mixed", if: media.allowsMixedExtensions)
        write(media.extensions)
        line("a=\(media.direction.rawValue)")
        for msid in media.msids { attribute("msid", msid.text) }
        flag("rtcp-mux", if: media.hasRTCPMux)
        flag("rtcp-rsize", if: media.hasReducedSizeRTCP)
        for format in media.formats { write(format) }
        for feedback in media.wildcardFeedback { attribute("rtcp-fb", "* \(feedback.text)") }
        for rid in media.rids { attribute("rid", rid.text) }
        if let simulcast = media.simulcast { attribute("simulcast", simulcast.text) }
        writeSources(media)
    }

    private mutating func write(_ format: MediaFormat) {
        let number = format.payloadType.rawValue
        if !format.name.isEmpty {
            let channels = format.channels > 1 ? "/\(format.channels)" : ""
            attribute("rtpmap", "\(number) \(format.name)/\(format.clockRate)\(channels)")
        }
        for feedback in format.feedback { attribute("rtcp-fb", "\(number) \(feedback.text)") }
        if !format.parameters.isEmpty { attribute("fmtp", "\(number) \(format.parameters.text)") }
    }

    private mutating func writeSources(_ media: MediaDescription) {
        for group in media.sourceGroups {
            let ssrcs = group.ssrcs.map { String($0.rawValue) }
            attribute("ssrc-group", ([group.semantics] + ssrcs).joined(separator: " "))
        }
        for source in media.sources {
            let number = source.ssrc.rawValue
            if let cname = source.cname { attribute("ssrc", "\(number) cname:\(cname)") }
            if let msid = source.msid { attribute("ssrc", "\(number) msid:\(msid.text)") }
            if source.cname == nil, source.msid == nil { attribute("ssrc", "\(number) label:-") }
        }
    }
}

extension Fingerprint {
    /// `sha-256 AB:CD:…`.
    public var text: String {
        let digits = bytes.map { byte in
            let text = String(byte, radix: 16, uppercase: true)
            return byte < 16 ? "0" + text : text
        }
        return "\(algorithm) \(digits.joined(separator: ":"))"
    }
}

extension RIDDescription {
    var text: String {
        var parameters = restrictions
        if !payloadTypes.isEmpty {
            let list = payloadTypes.map { String($0.rawValue) }.joined(separator: ",")
            parameters.list.insert(.init(name: "pt", value: list), at: 0)
        }
        return parameters.isEmpty ? "\(id) \(direction)" : "\(id) \(direction) \(parameters.text)"
    }
}

extension Simulcast {
    var text: String {
        var parts: [String] = []
        if !send.isEmpty { parts.append("send \(Simulcast.text(send))") }
        if !recv.isEmpty { parts.append("recv \(Simulcast.text(recv))") }
        return parts.joined(separator: " ")
    }

    private static func text(_ streams: [[Alternative]]) -> String {
        streams.map { alternatives in
            alternatives.map { $0.isPaused ? "~" + $0.rid : $0.rid }.joined(separator: ",")
        }.joined(separator: ";")
    }
}

extension ICECandidate {
    /// The value of the `a=candidate` line.
    public var text: String {
        let suffix = tcpType.map { " tcptype \($0.rawValue)" } ?? ""
        return
            "\(foundation) \(component) \(transport.rawValue) \(priority) \(address) \(port) typ \(type)\(suffix)"
    }
}
