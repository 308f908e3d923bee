import FixedCollections
import Testing
import Wire

@testable import Forwarding

/// A meeting without media: who sits where.
private final class Meeting {
    let bench = Bench()
    let router: RouterID
    private var ids: [UInt64: PeerID] = [:]
    private var setups: [UInt64: PeerSetup] = [:]

    init() throws { router = try bench.router() }

    func join(
        _ participant: UInt64, _ sources: [Source] = [.microphone, .camera], seats: Int = 0,
        audioSeats: Int? = nil,
        off: Set<Source> = []
    ) throws {
        let senders = sources.enumerated().map { index, source in
            SimulatedSender(
                source, mid: shortID("p\(index)"),
                ssrc: UInt32(participant * 1_000) + UInt32(index) * 2)
        }
        var setup = SimulatedPeer(
            participant: participant, router: router, senders: senders, seats: seats, audioSeats: audioSeats
        ).setup
        for index in setup.publications.indices {
            setup.publications[index].isLive = !off.contains(setup.publications[index].source)
        }
        setups[participant] = setup
        ids[participant] = try bench.add(setup)
    }

    /// Negotiates again with one source more.
    func add(_ source: Source, of participant: UInt64) throws {
        guard let id = ids[participant], var setup = setups[participant] else { throw BenchError.full }
        let mid = shortID("p\(setup.publications.count)")
        setup.publications.append(PublicationSetup(mid: mid, source: source, feedback: [.pli]))
        setups[participant] = setup
        bench.configure(id, setup)
    }

    func leave(_ participant: UInt64) {
        if let id = ids.removeValue(forKey: participant) { bench.remove(id) }
    }

    func set(_ source: Source, of participant: UInt64, on: Bool) {
        if let id = ids[participant] { bench.setLive(on, source, of: id) }
    }

    func video(_ viewer: UInt64) -> [UInt64?] {
        ids[viewer].map { bench.occupants(of: $0, isVideo: true) } ?? []
    }

    func audio(_ viewer: UInt64) -> [UInt64?] {
        ids[viewer].map { bench.occupants(of: $0, isVideo: false) } ?? []
    }

    func sources(_ viewer: UInt64, isVideo: Bool) -> [Source?] {
        guard let id = ids[viewer] else { return [] }
        return bench.occupancy(of: id).filter { $0.isVideo == isVideo }.map(\.source)
    }
}

@Suite struct SeatAssignmentTests {
    @Test func `seats fill in the order of joining, and nobody sees or hears themselves`() throws {
        let meeting = try Meeting()
        for participant in UInt64(1)...3 { try meeting.join(participant, seats: 3) }
        #expect(meeting.video(1) == [2, 3, nil])
        #expect(meeting.video(2) == [1, 3, nil])
        #expect(meeting.video(3) == [1, 2, nil])
        for viewer in UInt64(1)...3 { #expect(meeting.audio(viewer) == meeting.video(viewer)) }
    }

    @Test func `with more people than seats the first to join are seen`() throws {
        let meeting = try Meeting()
        try meeting.join(1, [], seats: 2, audioSeats: 4)
        for participant in UInt64(2)...8 { try meeting.join(participant) }
        #expect(meeting.video(1) == [2, 3])
        // Two more are heard.
        #expect(meeting.audio(1).prefix(2) == [2, 3])
        #expect(Set(meeting.audio(1).dropFirst(2)) == [4, 5])
    }

    @Test func `whoever leaves is followed by the next, and the others stay where they are`() throws {
        let meeting = try Meeting()
        try meeting.join(1, [], seats: 3)
        for participant in UInt64(2)...6 { try meeting.join(participant) }
        #expect(meeting.video(1) == [2, 3, 4])
        meeting.leave(3)
        #expect(meeting.video(1) == [2, 5, 4])
        #expect(meeting.audio(1) == [2, 5, 4])
        meeting.leave(2)
        #expect(meeting.video(1) == [6, 5, 4])
        meeting.leave(5)
        #expect(meeting.video(1) == [6, nil, 4])
        #expect(meeting.audio(1) == [6, nil, 4])
    }

    @Test func `cameras that are off come last`() throws {
        let meeting = try Meeting()
        try meeting.join(1, [], seats: 2)
        try meeting.join(2)
        try meeting.join(3)
        try meeting.join(4)
        meeting.set(.camera, of: 2, on: false)
        #expect(meeting.video(1) == [4, 3])
        meeting.set(.camera, of: 3, on: false)
        // One is on, one of those off keeps a place.
        #expect(meeting.video(1) == [4, 2] || meeting.video(1) == [4, 3])
        meeting.set(.camera, of: 2, on: true)
        #expect(Set(meeting.video(1)) == [4, 2])
    }

    @Test func `a camera that joins switched off gets a seat that nobody else wants`() throws {
        let meeting = try Meeting()
        try meeting.join(1, [], seats: 2)
        try meeting.join(2, off: [.camera])
        #expect(meeting.video(1) == [2, nil])
        try meeting.join(3)
        #expect(meeting.video(1) == [2, 3])
        try meeting.join(4)
        #expect(meeting.video(1) == [4, 3])
    }

    @Test func `screens come first, in the order of sharing, with their own sound`() throws {
        let meeting = try Meeting()
        try meeting.join(1, [], seats: 3)
        try meeting.join(2)
        try meeting.join(3)
        try meeting.join(4)
        try meeting.add(.screen, of: 4)
        #expect(Set(meeting.video(1)) == [2, 3, 4])
        #expect(meeting.sources(1, isVideo: true).filter { $0 == .screen }.count == 1)
        try meeting.add(.screenAudio, of: 4)
        let seat = try #require(meeting.sources(1, isVideo: true).firstIndex(of: .screen))
        #expect(meeting.sources(1, isVideo: false)[seat] == .screenAudio)
        try meeting.add(.screen, of: 3)
        #expect(meeting.sources(1, isVideo: true).filter { $0 == .screen }.count == 2)
        // A share that has ended needs no seat.
        meeting.set(.screen, of: 4, on: false)
        #expect(meeting.sources(1, isVideo: true).filter { $0 == .screen }.count == 1)
        meeting.set(.screen, of: 3, on: false)
        #expect(meeting.sources(1, isVideo: true) == [.camera, .camera, .camera])
    }

    @Test func `a voice without picture is heard on a seat of its own`() throws {
        let meeting = try Meeting()
        try meeting.join(1, [], seats: 1, audioSeats: 3)
        try meeting.join(2)
        try meeting.join(3, [.microphone])
        #expect(meeting.video(1) == [2])
        #expect(meeting.audio(1)[0] == 2)
        #expect(Set(meeting.audio(1)) == [2, 3, nil])
        // The pair of a picture that moves moves with it, and nobody is heard twice.
        try meeting.join(4)
        #expect(Set(meeting.audio(1)) == [2, 3, 4])
        meeting.leave(2)
        #expect(meeting.video(1) == [4])
        #expect(meeting.audio(1)[0] == 4)
        #expect(Set(meeting.audio(1)) == [4, 3, nil])
    }

    @Test func `seats that are negotiated away and back are filled again`() throws {
        let bench = Bench()
        let router = try bench.router()
        var setup = SimulatedPeer(participant: 1, router: router, senders: [], seats: 2).setup
        let viewer = try bench.add(setup)
        let sender = SimulatedSender(.camera, mid: shortID("0"), ssrc: 2_000)
        _ = try bench.add(SimulatedPeer(participant: 2, router: router, senders: [sender], seats: 0).setup)
        #expect(bench.occupants(of: viewer, isVideo: true) == [2, nil])
        let all = setup.seats
        setup.seats.removeAll { $0.isVideo && $0.mid == shortID("v0") }
        bench.configure(viewer, setup)
        #expect(bench.occupants(of: viewer, isVideo: true) == [2])
        setup.seats = all
        bench.configure(viewer, setup)
        #expect(Set(bench.occupants(of: viewer, isVideo: true)) == [2, nil])
    }
}
