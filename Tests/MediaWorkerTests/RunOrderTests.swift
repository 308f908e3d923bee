import TestSupport
import Testing
import Wire

@testable import MediaWorker

@Suite struct RunOrderTests {
    private struct Packet {
        var length: Int
        var stream: UInt32
    }

    /// What leaves, in its order: each packet's number and its length with padding.
    private static func arranged(_ packets: [Packet], arranges: Bool = true) -> [(number: Int, length: Int)] {
        var order = RunOrder()
        for packet in packets { order.append(length: packet.length, of: SSRC(packet.stream)) }
        if arranges { order.arrange() }
        return (0..<order.count).map { position in
            let number = order.packet(at: position)
            return (number, packets[number].length + Int(order.padding(of: number)))
        }
    }

    /// Messages that the kernel is given: equal packets, the last of a message may be shorter.
    private static func messages(_ lengths: [Int]) -> Int {
        var (count, size, isOpen) = (0, 0, false)
        for length in lengths {
            if isOpen, length == size { continue }
            if isOpen, length < size {
                isOpen = false
                continue
            }
            (count, size, isOpen) = (count + 1, length, true)
        }
        return count
    }

    @Test func `a picture's packets and a sound between them leave as one message`() {
        let packets = [1_100, 1_099, 90, 1_100, 1_098].map { Packet(length: $0, stream: $0 < 100 ? 1 : 2) }
        let result = Self.arranged(packets)
        #expect(result.map(\.number) == [0, 1, 3, 4, 2])
        #expect(result.map(\.length) == [1_100, 1_100, 1_100, 1_100, 90])
        #expect(Self.messages(result.map(\.length)) == 1)
    }

    @Test func `pictures of different sizes that come mixed are taken apart`() {
        let packets = (0..<12).map { Packet(length: $0 % 2 == 0 ? 1_000 : 700, stream: UInt32($0 % 2)) }
        let result = Self.arranged(packets)
        // The first run ends with a packet of the other picture.
        #expect(result.map(\.number) == [0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11])
        #expect(Self.messages(result.map(\.length)) == 2)
    }

    @Test func `a single packet and a run's last one aren't padded`() {
        #expect(Self.arranged([Packet(length: 500, stream: 1)]).map(\.length) == [500])
        let pair = [Packet(length: 500, stream: 1), Packet(length: 496, stream: 1)]
        #expect(Self.arranged(pair).map(\.length) == [500, 496])
    }

    @Test func `a batch may leave as it came`() {
        let packets = [1_100, 90, 1_099].map { Packet(length: $0, stream: UInt32($0)) }
        let result = Self.arranged(packets, arranges: false)
        #expect(result.map(\.number) == [0, 1, 2])
        #expect(result.map(\.length) == [1_100, 90, 1_099])
    }

    @Test func `whatever comes, every packet leaves once, streams keep their order, padding is small`() {
        var random = SeededGenerator(seed: 21)
        var (before, after) = (0, 0)
        for _ in 0..<3_000 {
            let streams = Int.random(in: 1...20, using: &random)
            let sizes = (0..<streams).map { _ in Int.random(in: 60...1_180, using: &random) }
            let packets = (0..<Int.random(in: 1...64, using: &random)).map { _ in
                let stream = Int.random(in: 0..<streams, using: &random)
                return Packet(
                    length: sizes[stream] + Int.random(in: 0...2, using: &random), stream: UInt32(stream))
            }
            let result = Self.arranged(packets)
            #expect(result.map(\.number).sorted() == Array(packets.indices))
            for stream in 0..<streams {
                let numbers = result.map(\.number).filter { packets[$0].stream == UInt32(stream) }
                #expect(numbers == numbers.sorted())
            }
            for (number, length) in result {
                let padding = length - packets[number].length
                #expect(padding >= 0 && padding <= min(16, length / 33))
            }
            before += Self.messages(packets.map(\.length))
            after += Self.messages(result.map(\.length))
        }
        #expect(after * 3 < before * 2, "\(after) messages instead of \(before)")
    }
}
