/// Offers as real clients made them, with LF at the ends of lines.
enum Offers {
    static var all: [String] { [chromiumSeats, chromiumSimulcast, firefoxSeats, firefoxSimulcast, aiortc] }
}
