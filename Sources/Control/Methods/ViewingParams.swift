import JSON
import MediaWorker
import Meeting

/// How a viewer arranges what it gets, and how each video seat is shown.
struct LayoutParams: Decodable, Sendable {
    struct Seat: Decodable, Sendable {
        let mid: String
        /// Pixels.
        var maxHeight: Int?
        var paused: Bool?
    }

    let layout: ViewingLayout
    /// Those that aren't named are shown at any size. Absent: as before.
    var seats: [Seat]?

    /// More than the seats of any offer that is taken.
    static let mostSeats = NamedSources.limit
    static let heights = 1...16_384

    func change() throws(APIError) -> ViewingChange {
        guard let seats else { return .layout(layout, seats: nil) }
        guard seats.count <= Self.mostSeats else {
            throw Self.refusal("at most \(Self.mostSeats) seats", field: "seats")
        }
        var wishes: [SeatWish] = []
        for seat in seats {
            guard NamedSources.isMID(seat.mid) else {
                throw Self.refusal("a mid has 1 to 16 bytes", field: "seats")
            }
            if let height = seat.maxHeight, !Self.heights.contains(height) {
                throw Self.refusal(
                    "maxHeight must be \(Self.heights.lowerBound) to \(Self.heights.upperBound)",
                    field: "seats")
            }
            wishes.append(
                SeatWish(mid: seat.mid, maxHeight: seat.maxHeight, isPaused: seat.paused ?? false))
        }
        return .layout(layout, seats: wishes)
    }

    private static func refusal(_ reason: String, field: String) -> APIError {
        APIError(.badRequest, reason, details: [("field", .string(field))])
    }
}

extension ViewingLayout: Decodable {}

/// Whom a viewer wants to see, whoever speaks.
struct PinParams: Decodable, Sendable {
    enum Picture: String, Decodable, Sendable, CaseIterable {
        case camera, screen
    }

    let participantId: String
    let source: Picture

    var target: ParticipantID { ParticipantID(rawValue: participantId) }

    var mediaSource: MediaSource { source == .camera ? .camera : .screen }
}

/// How much a viewer wants to receive; what is absent isn't limited.
struct ReceiveLimitParams: Decodable, Sendable {
    var maxBitrateBps: Int?
    var lastN: Int?
    var videoPaused: Bool?

    static let bitrates = 1...1_000_000_000_000
    static let counts = 0...1_000

    func change() throws(APIError) -> ViewingChange {
        try check(maxBitrateBps, Self.bitrates, field: "maxBitrateBps")
        try check(lastN, Self.counts, field: "lastN")
        return .limits(
            ReceiveLimits(maxBitrate: maxBitrateBps, lastN: lastN, isVideoPaused: videoPaused ?? false))
    }

    private func check(_ value: Int?, _ range: ClosedRange<Int>, field: String) throws(APIError) {
        guard let value, !range.contains(value) else { return }
        throw APIError(
            .badRequest, "\(field) must be \(range.lowerBound) to \(range.upperBound)",
            details: [("field", .string(field))])
    }
}
