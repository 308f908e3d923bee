import JSON
import MediaWorker
import Meeting

struct LoginParams: Decodable, Sendable {
    let token: String
}

struct PingResult: Encodable, Sendable {
    let at: Int64
}

struct LoginResult: Encodable, Sendable {
    let uid: String
    let name: String?
    /// Milliseconds since 1970.
    let expiresAt: Int64
}

struct JoinParams: Decodable, Sendable {
    struct Settings: Decodable, Sendable {
        var displayName: String?
        var sessionType: JoinRequest.SessionType?
        var startAudioMuted: Bool?
        var startVideoPaused: Bool?
        var layout: ViewingLayout?
        var deviceId: String?
        /// Whether to be told who speaks.
        var activeSpeakers: Bool?
        /// What the offer's sending m-lines carry, by mid.
        var sources: [String: Source]?

        func namedSources() throws(APIError) -> NamedSources {
            var named = NamedSources()
            try named.name((sources ?? [:]).mapValues(MediaSource.init), field: "settings.sources")
            return named
        }
    }

    var callToken: String?
    var sessionId: String?
    var offer: String?
    var settings: Settings?
}

struct ResumeParams: Decodable, Sendable {
    let resumeToken: String
    let lastSeq: Int
}

struct NegotiateParams: Decodable, Sendable {
    let offer: String
}

struct ScreenParams: Decodable, Sendable {
    /// The m-line of the picture.
    var mid: String?
    /// The m-line of the sound.
    var audioMid: String?
    /// Both: the picture first.
    var mids: [String]?

    /// A share has two m-lines at most.
    func check() throws(APIError) {
        let named = [mid, audioMid].compactMap { $0 } + (mids ?? [])
        guard named.count <= 2, named.allSatisfy(NamedSources.isMID) else {
            throw APIError(.badRequest, "at most two mids, of 1 to 16 bytes", details: [("field", "mids")])
        }
    }

    /// What these m-lines carry, for the next offer.
    var sources: [String: Source] {
        var sources: [String: Source] = [:]
        let listed = mids ?? []
        if let sound = audioMid ?? listed.dropFirst().first { sources[sound] = .screenAudio }
        if let picture = mid ?? listed.first { sources[picture] = .screen }
        return sources
    }
}

struct NameParams: Decodable, Sendable {
    let displayName: String
}

struct MessageParams: Decodable, Sendable {
    let type: String
    var data: JSONValue?
    var text: String?
    var to: [String]?
    /// Whether the message is kept in the session's history.
    var persist: Bool?

    var draft: Message.Draft {
        Message.Draft(
            type: type, text: text,
            data: data.flatMap { try? $0.text() }.map { String(decoding: $0, as: UTF8.self) },
            to: to?.map(ParticipantID.init(rawValue:)), persist: persist ?? false)
    }
}

struct HandsResult: Encodable, Sendable {
    let hands: [HandObject]
}

struct SessionResult: Encodable, Sendable {
    let session: SessionObject
}

struct ParticipantsResult: Encodable, Sendable {
    let participants: [ParticipantObject]
}

struct MessageResult: Encodable, Sendable {
    let message: MessageObject
}
