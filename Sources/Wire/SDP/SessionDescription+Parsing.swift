extension SessionDescription {
    /// Reads a description, with CRLF or LF at the ends of lines.
    ///
    /// Lenient about what it doesn't know (attributes, feedback for payload types that the m-line doesn't list),
    /// strict about structure and about what it does know. Takes time linear in the length of the text.
    public static func parse(_ text: String) throws(SDPError) -> SessionDescription {
        var parser = SDPParser(Array(text.utf8.prefix(maximumBytes + 1)))
        return try parser.parse()
    }
}

/// Goes through the lines once; a section is finished when the next begins.
struct SDPParser {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 0
    private var description = SessionDescription(origin: .init(sessionID: 0, version: 0))
    private var section: SDPSectionParser?
    private var defaultDirection = MediaDirection.sendrecv
    private var mids: Set<String> = []
    private var groupLines: [Int] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func parse() throws(SDPError) -> SessionDescription {
        guard bytes.count <= SessionDescription.maximumBytes else {
            let line = bytes.dropLast().count { $0 == UInt8(ascii: "\n") } + 1
            throw SDPError(line: line, reason: .tooLong)
        }
        guard let version = try nextLine(), version.type == UInt8(ascii: "v"),
            version.value.elementsEqual("0".utf8)
        else { throw failure(.noVersion) }
        guard let origin = try nextLine(), origin.type == UInt8(ascii: "o"), parseOrigin(origin.value)
        else { throw failure(.noOrigin) }
        while let (type, value) = try nextLine() { try parseLine(type, value) }
        finishSection()
        guard !description.media.isEmpty else { throw failure(.noMedia) }
        try checkGroups()
        return description
    }

    private func failure(_ reason: SDPError.Reason) -> SDPError {
        SDPError(line: max(line, 1), reason: reason)
    }

    /// The type and value of the next line; nil at the end. Empty lines are allowed only there.
    private mutating func nextLine() throws(SDPError) -> (type: UInt8, value: ArraySlice<UInt8>)? {
        guard position < bytes.count else { return nil }
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        var content = bytes[position..<end]
        if content.last == UInt8(ascii: "\r"), end < bytes.count || content.count == 1 {
            content.removeLast()
        }
        if content.isEmpty, bytes[end...].allSatisfy({ $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })
        {
            position = bytes.count
            return nil
        }
        line += 1
        guard line <= SessionDescription.maximumLines else { throw failure(.tooManyLines) }
        guard content.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { throw failure(.controlCharacter) }
        guard content.count >= 2, let type = content.first,
            content[content.startIndex + 1] == UInt8(ascii: "=")
        else { throw failure(.notALine) }
        position = end + 1
        return (type, content.dropFirst(2))
    }

    private mutating func parseOrigin(_ value: ArraySlice<UInt8>) -> Bool {
        var fields = SDPFields(value)
        guard let username = fields.text(), let sessionID = fields.number(UInt64.self),
            let version = fields.number(UInt64.self), fields.text() == "IN",
            let addressType = fields.text(), addressType == "IP4" || addressType == "IP6",
            let address = fields.text(), fields.isAtEnd
        else { return false }
        description.origin = .init(
            username: username, sessionID: sessionID, version: version, addressType: addressType,
            address: address)
        return true
    }

    private mutating func parseLine(_ type: UInt8, _ value: ArraySlice<UInt8>) throws(SDPError) {
        switch type {
        case UInt8(ascii: "m"):
            finishSection()
            guard description.media.count < SessionDescription.maximumMedia else {
                throw failure(.tooManyMedia)
            }
            section = try SDPSectionParser(mediaLine: value, line: line, direction: defaultDirection)
        case UInt8(ascii: "a"):
            try parseAttribute(value)
        case UInt8(ascii: "b"):
            if section != nil { try section?.parseBandwidth(value, line: line) }
        case UInt8(ascii: "s"):
            let name = String(decoding: SDPFields.trimmed(value), as: UTF8.self)
            if section == nil, !name.isEmpty { description.name = name }
        case UInt8(ascii: "c"), UInt8(ascii: "e"), UInt8(ascii: "i"), UInt8(ascii: "k"), UInt8(ascii: "p"),
            UInt8(ascii: "r"), UInt8(ascii: "t"), UInt8(ascii: "u"), UInt8(ascii: "z"):
            break
        default:
            throw failure(.notALine)
        }
    }

    private mutating func parseAttribute(_ content: ArraySlice<UInt8>) throws(SDPError) {
        let (nameBytes, value) = SDPFields.halves(content, at: UInt8(ascii: ":"))
        let name = String(decoding: nameBytes, as: UTF8.self)
        if section != nil {
            try section?.parseAttribute(name, value ?? [], line: line)
            if name == "mid", let mid = section?.media.mid {
                guard mids.insert(mid).inserted else { throw failure(.duplicateMID) }
            }
            return
        }
        if try description.transport.parse(name, value ?? [], line: line) { return }
        try parseSessionAttribute(name, value ?? [])
    }

    private mutating func parseSessionAttribute(_ name: String, _ value: ArraySlice<UInt8>) throws(SDPError) {
        var fields = SDPFields(value)
        switch name {
        case "group":
            guard let semantics = fields.token() else { throw failure(.malformed("a=group")) }
            description.groups.append(.init(semantics: semantics, mids: fields.remainingTexts()))
            groupLines.append(line)
        case "ice-lite":
            description.isICELite = true
            description.iceLiteLine = SourceLine(line)
        case "extmap-allow-mixed":
            description.allowsMixedExtensions = true
        case "msid-semantic":
            if fields.text() == "WMS" { description.streams = fields.remainingTexts() }
        case "extmap":
            let mapping = try ExtensionMapping.parse(value, line: line)
            guard !description.extensions.contains(where: { $0.id == mapping.id }) else {
                throw failure(.duplicate("extension id"))
            }
            guard description.extensions.count < SessionDescription.maximumSessionExtensions else {
                throw failure(.tooMany("a=extmap"))
            }
            description.extensions.append(mapping)
        default:
            if let direction = MediaDirection(rawValue: name) { defaultDirection = direction }
        }
    }

    private mutating func finishSection() {
        guard let finished = section else { return }
        description.media.append(finished.media)
        section = nil
    }

    private func checkGroups() throws(SDPError) {
        for (group, line) in zip(description.groups, groupLines) where group.semantics == "BUNDLE" {
            guard group.mids.allSatisfy(mids.contains) else {
                throw SDPError(line: line, reason: .unknownMID)
            }
            guard Set(group.mids).count == group.mids.count else {
                throw SDPError(line: line, reason: .duplicate("mid in the group"))
            }
        }
    }
}
