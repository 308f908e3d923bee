import Testing

/// Offers as real clients made them, with LF at the ends of lines.
enum Offers {
    struct Named: Sendable, CustomTestStringConvertible {
        var name: String
        var text: String
        var testDescription: String { name }
    }

    static let all =
        seats + [
            Named(name: "Chromium, simulcast", text: chromiumSimulcast),
            Named(name: "Firefox, simulcast", text: firefoxSimulcast),
        ]

    /// Those with two publications, four audio and three video seats.
    static let seats = [
        Named(name: "Chromium, seats", text: chromiumSeats),
        Named(name: "Firefox, seats", text: firefoxSeats),
        Named(name: "aiortc", text: aiortc),
    ]
}
