import Configuration
import EventLoop
import FixedCollections
import Glibc
import MediaWorker
import Observability
import Wire

extension MediaSettings {
    /// What the configuration says of media.
    ///
    /// - Throws: the line that names the key, when an address can't be read.
    init(_ settings: Settings) throws(CommandError) {
        let media = settings.media
        let port = UInt16(clamping: media.port)
        let host = media.host.isEmpty ? "::" : media.host
        guard let address = SocketAddress(host: host, port: port) else {
            throw CommandError("media.host: \(host) is not an IP address")
        }
        self.init(host: address)
        advertise = []
        for text in media.advertise {
            guard let address = SocketAddress(host: text, port: 0) else {
                throw CommandError("media.advertise: \(text) is not an IP address")
            }
            advertise.append(address)
        }
        advertisesLoopback = media.advertiseLoopback
        workers = media.workers > 0 ? media.workers : max(1, Machine.processors - 1)
        spreadAbove = media.spreadAbove
        maxCoalesce = media.maxCoalesce
        socketBufferBytes = media.socketBufferBytes
        usesSegmentationOffload = media.segmentationOffload == .auto
        usesIPv6 = media.ipv6 == .auto
        usesTCP = media.tcp
        estimatesBandwidth = media.estimateBandwidth
        sealer =
            switch media.sealer {
            case .auto: .auto
            case .multiBuffer: .multiBuffer
            case .openSSL: .openSSL
            }
        maxTransports = media.maxTransports
        maxSeats = media.maxSeats
        maxPackets = media.maxPackets
        cacheVideo = media.cacheVideo
        cacheAudio = media.cacheAudio
        maxVideoSeats = settings.sessions.maxVideoSeats
        maxAudioSeats = settings.sessions.maxVideoSeats + 25
    }
}

/// What the program asks the operating system about itself.
enum Machine {
    static var processors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// What to add to the monotonic clock to get the time since 1970.
    static var clockOffset: Duration {
        var wall = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &wall)
        let sinceEpoch = Duration.seconds(wall.tv_sec) + .nanoseconds(wall.tv_nsec)
        return sinceEpoch - .nanoseconds(MonotonicClock.now().nanoseconds)
    }
}
