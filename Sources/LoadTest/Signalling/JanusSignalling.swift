import EventLoop

/// Signalling as the VideoRoom of Janus has it: JSON over a WebSocket each, a room a session.
///
/// There a participant sends or watches: who watches is offered the streams of as many publishers as it has seats, once so
/// many have come, and answers. A participant that does both is refused.
public final class JanusSignalling: Signalling {
    static let subprotocol: StaticString = "janus-protocol"

    private let pool: SocketPool
    private let thread: WorkerThread
    private let rooms: JanusRooms

    /// - Parameter server: `http://HOST:PORT` of its WebSocket transport.
    public init(server: String, sink: any SignallingSink) throws(LoadError) {
        let pool = SocketPool(try ServerAddress(of: server), subprotocol: Self.subprotocol)
        let rooms = JanusRooms(pool: pool, sink: sink)
        self.pool = pool
        self.rooms = rooms
        do {
            thread = try WorkerThread(name: "load-signalling") { _ = pool.run(delegate: rooms) }
        } catch {
            throw .cannotStart("\(error)")
        }
    }

    public func join(_ participant: Int, _ request: JoinRequest) {
        rooms.expect(participant, request)
        pool.post(.connect(participant, path: "/"))
    }

    public func answer(_ participant: Int, sdp: String) {
        rooms.answer(participant, sdp: sdp)
    }

    /// VideoRoom has nothing of what is asked for in a meeting.
    public func request(_ participant: Int, _ request: LoadRequest) {}

    public func leave(_ participant: Int) {
        pool.post(.close(participant))
    }

    public func stop() {
        pool.post(.stop)
        thread.join()
    }
}
