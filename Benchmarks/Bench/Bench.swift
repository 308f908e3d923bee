/// Measures parts of the server without sockets.
///
///     rostrum-bench micro            nanoseconds an operation, of single parts
///     rostrum-bench core             the forwarding core: packets of a meeting from header to sealed bytes
///     rostrum-bench budget PACKETS   forwards that many packets and says nothing: what instructions are counted of
@main struct Bench {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "micro": report(Micro.measure())
        case "core": report(try Core.measure())
        case "budget":
            guard arguments.count == 2, let packets = Int(arguments[1]), packets > 0 else { return usage() }
            try Core.forward(packets)
        default: usage()
        }
    }

    private static func usage() {
        print("usage: rostrum-bench micro | core | budget PACKETS")
    }

    /// One JSON object: name → figures.
    private static func report(_ measurements: [Measurement]) {
        let fields = measurements.map { measurement in
            "\"\(measurement.name)\": {\"nanoseconds\": \(rounded(measurement.nanoseconds)), "
                + "\"slowest\": \(rounded(measurement.slowest)), \"unit\": \"\(measurement.unit)\"}"
        }
        print("{\(fields.joined(separator: ",\n "))}")
    }

    private static func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
