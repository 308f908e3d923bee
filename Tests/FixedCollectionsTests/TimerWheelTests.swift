import FixedCollections
import TestSupport
import Testing

struct TimerWheelTests {
    @Test
    func `timers go off at their deadline, neither before nor much later`() {
        var wheel = TimerWheel(timers: 500, now: .zero)
        var deadlines: [Int: Instant] = [:]
        var now = Instant.zero
        var fired = 0
        for _ in 0..<20_000 {
            let timer = Int.random(in: 0..<500)
            switch Int.random(in: 0..<4) {
            case 0, 1:
                let deadline = now + .microseconds(Int.random(in: 0...5_000_000))
                wheel.set(timer, to: deadline)
                deadlines[timer] = deadline
            case 2:
                wheel.disarm(timer)
                deadlines[timer] = nil
            default:
                now += .microseconds(Int.random(in: 0...20_000))
                while let expired = wheel.popExpired(now: now) {
                    let deadline = deadlines.removeValue(forKey: expired)
                    #expect(deadline.map { $0 <= now } == true)
                    fired += 1
                }
                #expect(deadlines.values.allSatisfy { $0 + .milliseconds(1) > now })
            }
        }
        #expect(fired > 1_000)
    }

    @Test
    func `a jump of the clock sets off everything that was due`() {
        var wheel = TimerWheel(timers: 10, now: .zero)
        for timer in 0..<10 { wheel.set(timer, to: .zero + .milliseconds(timer * 700)) }
        var fired: Set<Int> = []
        while let timer = wheel.popExpired(now: .zero + .seconds(3600)) { fired.insert(timer) }
        #expect(fired == Set(0..<10))
        let value1 = wheel.nextDeadline()
        #expect(value1 == .distantFuture)
    }

    @Test
    func `the next deadline is never later than the first timer`() {
        var wheel = TimerWheel(timers: 3, now: .zero)
        let value2 = wheel.nextDeadline()
        #expect(value2 == .distantFuture)
        wheel.set(0, to: .zero + .milliseconds(900))
        wheel.set(1, to: .zero + .milliseconds(20))
        let value3 = wheel.nextDeadline()
        #expect(value3 == .zero + .milliseconds(20))
        wheel.disarm(1)
        let value4 = wheel.nextDeadline()
        #expect(value4 == .zero + .milliseconds(900))
        wheel.set(0, to: .distantFuture)
        wheel.set(2, to: .zero + .seconds(60))
        let value5 = wheel.nextDeadline()
        #expect(value5 <= .zero + .seconds(60))
        let value6 = wheel.nextDeadline()
        #expect(value6 > .zero)
    }

    @Test
    func `whoever waits for the next deadline is never woken for nothing more than once a second`() {
        var random = SeededGenerator(seed: 3)
        var wheel = TimerWheel(timers: 400, now: .zero)
        var now = Instant.zero + .microseconds(700)
        for timer in 0..<400 {
            wheel.set(timer, to: now + .milliseconds(Int.random(in: 1_000...200_000, using: &random)))
        }
        var (fired, idle) = (0, 0)
        while true {
            let next = wheel.nextDeadline()
            guard next != .distantFuture else { break }
            #expect(next > now)
            // As an event loop does it, which comes a little late.
            now = next + .microseconds(Int.random(in: 0...900, using: &random))
            let before = fired
            while wheel.popExpired(now: now) != nil { fired += 1 }
            if fired == before { idle += 1 }
        }
        #expect(fired == 400)
        #expect(idle <= 200, "woken \(idle) times for nothing in 200 s")
    }

    @Test
    func `timers far apart go off in their order, however the clock jumps`() {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<200 {
            var now = Instant(nanoseconds: Int64.random(in: 0...1 << 50, using: &random))
            var wheel = TimerWheel(timers: 50, now: now)
            var deadlines: [Int: Instant] = [:]
            for timer in 0..<50 {
                let deadline = now + .milliseconds(Int.random(in: 0...300_000, using: &random))
                deadlines[timer] = deadline
                wheel.set(timer, to: deadline)
            }
            while !deadlines.isEmpty {
                now += .milliseconds(Int.random(in: 1...100_000, using: &random))
                while let timer = wheel.popExpired(now: now) {
                    let deadline = deadlines.removeValue(forKey: timer)
                    #expect(deadline.map { $0 <= now } == true)
                }
                #expect(deadlines.values.allSatisfy { $0 + .milliseconds(1) > now })
            }
        }
    }

    @Test
    func `a timer that is hastened moves forward only`() {
        var wheel = TimerWheel(timers: 1, now: .zero)
        wheel.hasten(0, to: .distantFuture)
        let idle = wheel.nextDeadline()
        #expect(idle == .distantFuture)
        for (asked, expected) in [(500, 500), (700, 500), (500, 500), (20, 20), (21, 20)] {
            wheel.hasten(0, to: .zero + .milliseconds(asked))
            let next = wheel.nextDeadline()
            #expect(next == .zero + .milliseconds(expected))
        }
        let early = wheel.popExpired(now: .zero + .milliseconds(19))
        #expect(early == nil)
        let due = wheel.popExpired(now: .zero + .milliseconds(20))
        #expect(due == 0)
        let again = wheel.popExpired(now: .zero + .seconds(1))
        #expect(again == nil)
    }

    @Test
    func `a deadline in the past goes off at once`() {
        var wheel = TimerWheel(timers: 1, now: .zero + .seconds(5))
        wheel.set(0, to: .zero)
        let value7 = wheel.popExpired(now: .zero + .seconds(5))
        #expect(value7 == 0)
        let value8 = wheel.popExpired(now: .zero + .seconds(5))
        #expect(value8 == nil)
    }
}

struct InstantTests {
    @Test
    func `time adds up and saturates`() {
        #expect((Instant.zero + .milliseconds(3)).nanoseconds == 3_000_000)
        #expect(Instant.zero + .seconds(2) - (Instant.zero + .seconds(5)) == .seconds(-3))
        #expect(Instant.distantFuture + .seconds(1) == .distantFuture)
        #expect(Duration.microseconds(1_999).wholeMilliseconds == 1)
    }
}
