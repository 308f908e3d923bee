import EventLoop
import FixedCollections

/// What one operation costs.
struct Measurement {
    var name: String
    /// What one operation is: a packet, a call.
    var unit: String
    /// The fastest round's nanoseconds an operation: the others were disturbed.
    var nanoseconds: Double
    /// The slowest round's, to tell how much the machine was disturbed.
    var slowest: Double
}

extension Measurement {
    /// Runs `body`, which does `operations` of them, for about a fifth of a second, in rounds.
    init(_ name: String, unit: String = "call", operations: Int, _ body: () -> Void) {
        body()
        var fastest = Double.infinity
        var slowest = 0.0
        let end = MonotonicClock.now() + .milliseconds(200)
        var rounds = 0
        while rounds < 5 || MonotonicClock.now() < end {
            let begun = MonotonicClock.now()
            body()
            let took = Double((MonotonicClock.now() - begun).wholeNanoseconds) / Double(operations)
            fastest = min(fastest, took)
            slowest = max(slowest, took)
            rounds += 1
        }
        self.init(name: name, unit: unit, nanoseconds: fastest, slowest: slowest)
    }
}

/// Keeps a value that nothing else uses, so that the work behind it isn't optimized away.
@inline(never)
@_optimize(none)
func keep<Value>(_ value: Value) {}
