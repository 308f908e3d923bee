extension TransportAttributes {
    /// Takes an attribute of the transport; false if it is none.
    mutating func parse(_ name: String, _ value: ArraySlice<UInt8>, line: Int) throws(SDPError) -> Bool {
        let malformed = SDPError(line: line, reason: .malformed("a=\(name)"))
        switch name {
        case "ice-ufrag":
            guard let ufrag = SDPFields.iceString(value, count: 4...256) else { throw malformed }
            iceUfrag = ufrag
        case "ice-pwd":
            guard let pwd = SDPFields.iceString(value, count: 22...256) else { throw malformed }
            icePwd = pwd
        case "ice-options":
            var fields = SDPFields(value)
            iceOptions = fields.remainingTexts()
        case "fingerprint":
            guard fingerprints.count < SessionDescription.maximumFingerprints else {
                throw SDPError(line: line, reason: .tooManyFingerprints)
            }
            guard let fingerprint = Fingerprint.parse(value) else { throw malformed }
            fingerprints.append(fingerprint)
            fingerprintLine = SourceLine(line)
        case "setup":
            guard let role = DTLSSetup(rawValue: String(decoding: value, as: UTF8.self)) else {
                throw malformed
            }
            setup = role
            setupLine = SourceLine(line)
        default:
            return false
        }
        return true
    }
}

extension Fingerprint {
    /// `<hash> AB:CD:…`; nil if the bytes aren't hexadecimal or their number isn't that of the hash.
    static func parse(_ value: ArraySlice<UInt8>) -> Fingerprint? {
        var fields = SDPFields(value)
        guard let algorithm = fields.token()?.lowercased(), let digits = fields.word(), fields.isAtEnd,
            digits.count % 3 == 2, digits.count <= 64 * 3
        else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: digits.startIndex, to: digits.endIndex, by: 3) {
            guard let high = hexadecimal(digits[start]), let low = hexadecimal(digits[start + 1]) else {
                return nil
            }
            if start + 2 < digits.endIndex, digits[start + 2] != UInt8(ascii: ":") { return nil }
            bytes.append(high << 4 | low)
        }
        if let length = length(of: algorithm), bytes.count != length { return nil }
        return Fingerprint(algorithm: algorithm, bytes: bytes)
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension ExtensionMapping {
    /// `<id>[/<direction>] <uri> [attributes]`; the attributes are dropped.
    static func parse(_ value: ArraySlice<UInt8>, line: Int) throws(SDPError) -> ExtensionMapping {
        var fields = SDPFields(value)
        let (number, suffix) = SDPFields.halves(fields.word() ?? [], at: UInt8(ascii: "/"))
        let direction = suffix.flatMap { MediaDirection(rawValue: String(decoding: $0, as: UTF8.self)) }
        guard let id: UInt16 = SDPFields.number(number), (1...255).contains(id) || (4096...4351).contains(id),
            (suffix == nil) == (direction == nil), let uri = fields.text()
        else { throw SDPError(line: line, reason: .malformed("a=extmap")) }
        return ExtensionMapping(id: id, direction: direction, uri: uri)
    }
}

extension MSID {
    static func parse(_ value: ArraySlice<UInt8>, line: Int) throws(SDPError) -> MSID {
        var fields = SDPFields(value)
        guard let stream = fields.text() else { throw SDPError(line: line, reason: .malformed("msid")) }
        return MSID(stream: stream, track: fields.text() ?? "")
    }
}

extension RIDDescription {
    /// `<id> send|recv [pt=…;…]`.
    static func parse(_ value: ArraySlice<UInt8>, line: Int) throws(SDPError) -> RIDDescription {
        let malformed = SDPError(line: line, reason: .malformed("a=rid"))
        var fields = SDPFields(value)
        guard let id = SDPFields.rid(fields.word() ?? []),
            let direction = fields.text().flatMap(Direction.init(rawValue:)),
            let parameters = SDPFields.parameters(fields.rest())
        else { throw malformed }
        var result = RIDDescription(id: id, direction: direction)
        for parameter in parameters.list {
            guard parameter.name == "pt", let list = parameter.value else {
                result.restrictions.list.append(parameter)
                continue
            }
            for item in Array(list.utf8).split(separator: UInt8(ascii: ",")) {
                guard let number: UInt8 = SDPFields.number(item), number <= 127 else {
                    throw SDPError(line: line, reason: .badPayloadType)
                }
                let payloadType = PayloadType(number)
                if !result.payloadTypes.contains(payloadType) { result.payloadTypes.append(payloadType) }
            }
        }
        return result
    }
}

extension Simulcast {
    /// `send <streams> [recv <streams>]` in either order, with `;` between streams and `,` between alternatives.
    static func parse(_ value: ArraySlice<UInt8>, line: Int) throws(SDPError) -> Simulcast {
        let malformed = SDPError(line: line, reason: .malformed("a=simulcast"))
        var fields = SDPFields(value)
        var result = Simulcast()
        guard !fields.isAtEnd else { throw malformed }
        while let direction = fields.text() {
            guard let list = fields.word(), let streams = streams(list) else { throw malformed }
            switch direction {
            case "send" where result.send.isEmpty: result.send = streams
            case "recv" where result.recv.isEmpty: result.recv = streams
            default: throw malformed
            }
        }
        return result
    }

    private static func streams(_ list: ArraySlice<UInt8>) -> [[Alternative]]? {
        var result: [[Alternative]] = []
        for stream in list.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
            var alternatives: [Alternative] = []
            for item in stream.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                let isPaused = item.first == UInt8(ascii: "~")
                guard let rid = SDPFields.rid(isPaused ? item.dropFirst() : item) else { return nil }
                alternatives.append(Alternative(rid: rid, isPaused: isPaused))
            }
            result.append(alternatives)
        }
        return result
    }
}

extension ICECandidate {
    /// Nil for a candidate of a transport that is neither UDP nor TCP.
    static func parse(_ value: ArraySlice<UInt8>, line: Int) throws(SDPError) -> ICECandidate? {
        var fields = SDPFields(value)
        guard let foundation = fields.text(), let component = fields.number(UInt16.self),
            let transportName = fields.text()?.lowercased(), let priority = fields.number(UInt32.self),
            let address = fields.text(), let port = fields.number(UInt16.self), fields.text() == "typ",
            let type = fields.token()
        else { throw SDPError(line: line, reason: .malformed("a=candidate")) }
        guard let transport = Transport(rawValue: transportName) else { return nil }
        var candidate = ICECandidate(
            foundation: foundation, component: component, transport: transport, priority: priority,
            address: address, port: port, type: type)
        while let name = fields.text(), let content = fields.text() {
            if name == "tcptype" { candidate.tcpType = TCPType(rawValue: content) }
        }
        return candidate
    }
}
