/// One payload type of an m-line: its `a=rtpmap`, `a=fmtp` and `a=rtcp-fb` lines.
public struct MediaFormat: Hashable, Sendable {
    public var payloadType: PayloadType
    /// The encoding's name as written ("opus", "VP8"); empty for a static payload type without `a=rtpmap`.
    public var name: String
    /// In Hz; 0 without `a=rtpmap`.
    public var clockRate: UInt32
    /// Audio channels; 1 where the line doesn't say.
    public var channels: UInt8
    public var parameters: FormatParameters
    public var feedback: [RTCPFeedback]

    public init(payloadType: PayloadType, name: String = "", clockRate: UInt32 = 0, channels: UInt8 = 1) {
        self.payloadType = payloadType
        self.name = name
        self.clockRate = clockRate
        self.channels = channels
        self.parameters = FormatParameters()
        self.feedback = []
    }

    /// Whether this is the named encoding; names compare without regard to case (RFC 4855 section 3).
    public func isNamed(_ other: String) -> Bool {
        name.lowercased() == other
    }
}

/// The parameters of an `a=fmtp` or `a=rid` line: `name=value` or a bare word, separated by semicolons.
public struct FormatParameters: Hashable, Sendable {
    public struct Parameter: Hashable, Sendable {
        public var name: String
        /// Nil for a bare word, such as RED's "111/111".
        public var value: String?

        public init(name: String, value: String? = nil) {
            self.name = name
            self.value = value
        }
    }

    /// In the order of the line.
    public var list: [Parameter]

    public init(_ list: [Parameter] = []) {
        self.list = list
    }

    /// The value of the first parameter of this name, which must be in lower case; nil if absent or a bare word.
    public subscript(name: String) -> String? {
        list.first { $0.name.lowercased() == name }?.value
    }

    public var isEmpty: Bool { list.isEmpty }

    /// As in the line: `a=1;b=2`.
    public var text: String {
        list.map { parameter in
            guard let value = parameter.value else { return parameter.name }
            return "\(parameter.name)=\(value)"
        }.joined(separator: ";")
    }
}

/// The value of an `a=rtcp-fb` line (RFC 4585 section 4.2): "nack pli" is type "nack" with parameter "pli".
public struct RTCPFeedback: Hashable, Sendable {
    public var type: String
    /// Empty if there is none.
    public var parameter: String

    public init(type: String, parameter: String = "") {
        self.type = type
        self.parameter = parameter
    }

    public var text: String { parameter.isEmpty ? type : "\(type) \(parameter)" }
}
