import EventLoop
import FixedCollections
import Testing
import Wire

@testable import MediaWorker

struct FaultInjectorTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    /// A packet of a stream, by its number.
    private func packet(_ number: UInt8, ssrc: UInt8 = 1, type: UInt8 = 96) -> CommittedDatagram {
        CommittedDatagram(
            destination: SocketAddress(ipv4: 0x7f00_0001, port: 9),
            bytes: [0x80, type, 0, number, 0, 0, 0, 0, 0, 0, 0, ssrc, 7])
    }

    private func numbers(_ datagrams: [CommittedDatagram]) -> [UInt8] { datagrams.map { $0.bytes[3] } }

    @Test func `what is asked for is read, and nothing else`() throws {
        let faults = try #require(MediaFaults("dropEvery=50,delayMs=30,swapEvery=20,missSeatsEvery=3"))
        #expect((faults.dropEvery, faults.swapEvery, faults.missSeatsEvery) == (50, 20, 3))
        #expect(faults.delay == .milliseconds(30))
        for text in ["", "dropEvery", "dropEvery=0", "dropEvery=-1", "dropAll=1", "delayMs=x"] {
            #expect(text.isEmpty ? MediaFaults(text) == MediaFaults() : MediaFaults(text) == nil)
        }
    }

    @Test func `one of so many packets is dropped, and no report or check`() throws {
        var injector = FaultInjector(try #require(MediaFaults("dropEvery=3")))
        injector.take((0..<9).map { packet($0) } + [packet(9, type: 200)], now: start)
        #expect(numbers(injector.takeReady()) == [0, 1, 3, 4, 6, 7, 9])
        #expect(injector.takeReady().isEmpty)
    }

    @Test func `one of so many packets leaves behind the next one of its stream`() throws {
        var injector = FaultInjector(try #require(MediaFaults("swapEvery=3")))
        injector.take([packet(0), packet(1), packet(2), packet(10, ssrc: 2), packet(3)], now: start)
        #expect(numbers(injector.takeReady()) == [0, 1, 10, 3, 2])
    }

    @Test func `packets are held back for as long as they are to be`() throws {
        var injector = FaultInjector(try #require(MediaFaults("delayMs=30")))
        injector.take([packet(0)], now: start)
        injector.take([packet(1), packet(9, type: 201)], now: start + .milliseconds(10))
        #expect(numbers(injector.takeReady()) == [9])
        #expect(injector.nextDue == start + .milliseconds(30))
        injector.take([], now: start + .milliseconds(30))
        #expect(numbers(injector.takeReady()) == [0])
        injector.take([], now: start + .milliseconds(50))
        #expect(numbers(injector.takeReady()) == [1])
        #expect(injector.nextDue == .distantFuture)
    }

    @Test func `one of so many changes of seats isn't told`() throws {
        var injector = FaultInjector(try #require(MediaFaults("missSeatsEvery=2")))
        #expect((0..<4).map { _ in injector.missesSeats() } == [false, true, false, true])
    }
}
