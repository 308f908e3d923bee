/// What the server is to do wrong, so that tests can see whether tools notice. Nothing that a configuration can say.
public struct MediaFaults: Sendable, Equatable {
    /// Of all packets of media sent, each so-many-th is dropped; 0: none.
    public var dropEvery = 0
    /// How long each packet of media is held back.
    public var delay = Duration.zero
    /// Each so-many-th packet is sent behind the next one of its stream; 0: none.
    public var swapEvery = 0
    /// Of the changes of seats, each so-many-th isn't told; 0: none.
    public var missSeatsEvery = 0

    public init() {}

    /// Reads `dropEvery=50,delayMs=30,swapEvery=20,missSeatsEvery=3`, any of them; nil if it can't be read.
    public init?(_ text: String) {
        for part in text.split(separator: ",") {
            let sides = part.split(separator: "=")
            guard sides.count == 2, let value = Int(sides[1]), (1...1_000_000).contains(value) else {
                return nil
            }
            switch sides[0] {
            case "dropEvery": dropEvery = value
            case "delayMs": delay = .milliseconds(value)
            case "swapEvery": swapEvery = value
            case "missSeatsEvery": missSeatsEvery = value
            default: return nil
            }
        }
    }
}
