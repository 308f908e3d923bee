import EventLoop
import MediaWorker
import Testing

extension MediaWorkerTests {
    @Suite struct SourceTests {
        @Test func `not one packet comes after a source was switched off`() async throws {
            try await withMeeting { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                let seat = try await meeting.seated(alice, at: bob).audio
                let packets = try (0..<100_000).map {
                    try alice.packet(.microphone, TestPayload.audio($0, length: 30))
                }
                let flood = Flood(packets, through: alice.socket.descriptor)
                let thread = try flood.start(every: 50)
                var late = 0
                for _ in 0..<100 {
                    let before = bob.packets(seat).count
                    let isLive = try await eventually([bob]) { bob.packets(seat).count > before + 3 }
                    try #require(isLive, "it is forwarded again")
                    await meeting.pool.setSource(.microphone, of: alice.id, to: .off)
                    late += try await meeting.latePackets(after: flood.sent, seat, at: bob, flood)
                    await meeting.pool.setSource(.microphone, of: alice.id, to: .live)
                }
                flood.stop()
                thread.join()
                #expect(late == 0)
                #expect(!bob.numbers(seat).contains(-1))
            }
        }

        @Test func `what was switched off stays off on a new peer connection`() async throws {
            try await withMeeting { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                _ = try await meeting.seated(alice, at: bob)
                await meeting.pool.setSource(.microphone, of: alice.id, to: .off)
                try alice.startOver()
                try await alice.negotiate()
                try await meeting.connect(alice)
                let seats = try await meeting.seated(alice, at: bob)
                let muted = meeting.events.seats(of: bob.id).first { $0.mid == seats.audio }
                #expect(muted?.muted == true)
                for number in 0..<50 { try alice.send(.microphone, number: number) }
                for number in 0..<50 { try alice.send(.camera, number: number) }
                // The picture, which was sent later, has come: the voice would have too.
                let isSeen = try await eventually([alice, bob]) { bob.packets(seats.video).count >= 50 }
                #expect(isSeen)
                #expect(bob.packets(seats.audio).isEmpty)
                await meeting.pool.setSource(.microphone, of: alice.id, to: .live)
                for number in 50..<60 { try alice.send(.microphone, number: number) }
                let isHeard = try await eventually([alice, bob]) { bob.packets(seats.audio).count >= 10 }
                #expect(isHeard)
            }
        }

        @Test func `what was switched off before the first offer isn't forwarded`() async throws {
            try await withMeeting { meeting in
                let bob = try await meeting.join()
                let alice = try await meeting.join(connects: false)
                await meeting.pool.setSource(.camera, of: alice.id, to: .off)
                try await meeting.connect(alice)
                let seats = try await meeting.seated(alice, at: bob)
                for number in 0..<50 { try alice.send(.camera, number: number) }
                for number in 0..<50 { try alice.send(.microphone, number: number) }
                let isHeard = try await eventually([alice, bob]) { bob.packets(seats.audio).count >= 50 }
                #expect(isHeard)
                #expect(bob.packets(seats.video).isEmpty)
            }
        }

        @Test func `not one packet comes after a source may not be published any more`() async throws {
            try await withMeeting { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                let seat = try await meeting.seated(alice, at: bob).audio
                let packets = try (0..<100_000).map {
                    try alice.packet(.microphone, TestPayload.audio($0, length: 30))
                }
                let flood = Flood(packets, through: alice.socket.descriptor)
                let thread = try flood.start(every: 50)
                var late = 0
                for _ in 0..<30 {
                    let before = bob.packets(seat).count
                    let isLive = try await eventually([bob]) { bob.packets(seat).count > before + 3 }
                    try #require(isLive, "it is forwarded again")
                    await meeting.pool.setPermissions(
                        of: alice.id, to: MediaPermissions(publish: [.camera]))
                    late += try await meeting.latePackets(after: flood.sent, seat, at: bob, flood)
                    // To be on isn't to be allowed.
                    await meeting.pool.setSource(.microphone, of: alice.id, to: .live)
                    late += try await meeting.latePackets(after: flood.sent, seat, at: bob, flood)
                    await meeting.pool.setPermissions(of: alice.id, to: MediaPermissions())
                }
                flood.stop()
                thread.join()
                #expect(late == 0)
                #expect(!bob.numbers(seat).contains(-1))
            }
        }

        /// On one worker, and from one to another.
        @Test(arguments: [1, 2])
        func `what was offered and not allowed comes without another offer when it is`(
            workers: Int
        ) async throws {
            try await withMeeting(workers: workers, { $0.spreadAbove = workers == 1 ? 1 : 0 }) { meeting in
                let bob = try await meeting.join()
                let alice = try await meeting.join(permissions: MediaPermissions(publish: [.camera]))
                #expect(alice.answer?.published.values.sorted { $0.rawValue < $1.rawValue } == [.camera])
                let isSeen = try await eventually([alice, bob]) {
                    meeting.events.seat(of: bob.id, with: alice.id, .camera) != nil
                }
                #expect(isSeen && meeting.events.seat(of: bob.id, with: alice.id, .microphone) == nil)
                // What is off stays off when it is allowed.
                await meeting.pool.setSource(.microphone, of: alice.id, to: .off)
                await meeting.pool.setPermissions(of: alice.id, to: MediaPermissions())
                let seats = try await meeting.seated(alice, at: bob)
                for number in 0..<30 { try alice.send(.microphone, number: number) }
                for number in 0..<30 { try alice.send(.camera, number: number) }
                let isThere = try await eventually([alice, bob]) { bob.packets(seats.video).count >= 30 }
                #expect(isThere && bob.packets(seats.audio).isEmpty)
                await meeting.pool.setSource(.microphone, of: alice.id, to: .live)
                for number in 30..<60 { try alice.send(.microphone, number: number) }
                let isHeard = try await eventually([alice, bob]) { bob.packets(seats.audio).count >= 30 }
                #expect(isHeard)
            }
        }

        @Test func `what may not be published any more stays silent on another offer and connection`()
            async throws
        {
            try await withMeeting { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                let seats = try await meeting.seated(alice, at: bob)
                await meeting.pool.setPermissions(of: alice.id, to: MediaPermissions(publish: [.camera]))
                try await alice.negotiate()
                for number in 0..<30 { try alice.send(.microphone, number: number) }
                for number in 0..<30 { try alice.send(.camera, number: number) }
                let isSeen = try await eventually([alice, bob]) { bob.packets(seats.video).count >= 30 }
                #expect(isSeen && bob.packets(seats.audio).isEmpty)
                try alice.startOver()
                try await alice.negotiate()
                try await meeting.connect(alice)
                #expect(alice.answer?.published.values.contains(.microphone) == false)
                await meeting.pool.setPermissions(of: alice.id, to: MediaPermissions())
                try await meeting.expectMedia(from: alice, to: bob)
            }
        }
    }
}
