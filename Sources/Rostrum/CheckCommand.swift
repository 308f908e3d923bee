import Configuration
import Control
import EventLoop
import MediaWorker
import Observability
import Wire

/// `rostrum check`: whether a server could start as it is configured, and whether media would reach it.
enum CheckCommand {
    static func run(_ arguments: [String]) async throws(CommandError) {
        let settings = try SettingsLoader.load(arguments)
        // All of it for a moment, and nothing but what is wrong is said.
        let log = Log(level: .warning, sink: DescriptorSink(format: .text))
        let parts = try await Assembly.start(settings, log: log)
        let addresses = parts.media.addresses
        await parts.stop()
        Output.line("configuration  ok, API keys: \(settings.auth.keys.map(\.id).joined(separator: ", "))")
        Output.line("database       ok, \(settings.storage.path)")
        Output.line("HTTP           ok, port \(parts.port)\(settings.http.usesTLS ? ", with TLS" : "")")
        let port = addresses.first?.port ?? 0
        let transports = settings.media.tcp ? "UDP and TCP" : "UDP"
        Output.line("media          ok, \(transports) port \(port)")
        for notice in parts.media.notices { Output.line("               \(notice)") }
        if let files = parts.openFiles { Output.line("open files     \(files)") }
        try checkReach(addresses, settings)
    }

    private static func checkReach(
        _ addresses: [SocketAddress], _ settings: Settings
    ) throws(CommandError) {
        var listening = try MediaSettings(settings).host
        listening.port = addresses.first?.port ?? 0
        let reached: Set<SocketAddress>
        do throws(SocketError) {
            reached = try Reachability.reached(
                addresses, listening: listening, usesIPv6: settings.media.ipv6 == .auto)
        } catch {
            throw CommandError("media: \(error)", code: 1)
        }
        for address in addresses {
            let isReached = reached.contains(address)
            Output.line(
                "address        \(address.hostText): datagrams \(isReached ? "come in" : "from this machine don't come in")"
            )
        }
        if reached.count < addresses.count, !settings.media.advertise.isEmpty {
            Output.line("               behind a router that may be so: try from outside")
        }
        // The machine's own addresses lead to it, unless something drops what comes.
        guard !reached.isEmpty || !settings.media.advertise.isEmpty else {
            throw CommandError("no datagram reaches the media port: look for a firewall", code: 1)
        }
    }
}
