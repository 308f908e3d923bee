/// Measures parts of the server without sockets.
///
///     rostrum-bench micro            nanoseconds an operation, of single parts
///     rostrum-bench core             the forwarding core: packets of a meeting from header to sealed bytes
///     rostrum-bench budget PACKETS [estimated]
///                                    forwards that many packets and says nothing: what instructions are counted of;
///                                    estimated: the links to those who get them are
@main struct Bench {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "micro": report(Micro.measure())
        case "core": report(try Core.measure())
        case "budget":
            let isEstimated = arguments.count == 3 && arguments[2] == "estimated"
            guard arguments.count == 2 || isEstimated, let packets = Int(arguments[1]), packets > 0 else {
                return usage()
            }
            try Core.forward(packets, isEstimated: isEstimated)
        default: usage()
        }
    }

    private static func usage() {
        print("usage: rostrum-bench micro | core | budget PACKETS [estimated]")
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
