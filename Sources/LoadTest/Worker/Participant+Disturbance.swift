import EventLoop
import FixedCollections
import Transport
import Wire

/// What may happen to a participant that isn't its own will.
public enum Disturbance: Int, Sendable, CaseIterable {
    /// The WebSocket breaks; it is opened again, and the session resumed.
    case socket
    /// All of the media connection is gone without a word; a new one is negotiated.
    case transport
    /// Another address from one packet to the next, as when a phone changes networks.
    case address
}

extension Participant {
    /// Does it to one that is connected. Returns whether a socket was opened, which is then to be watched.
    func disturb(_ kind: Disturbance, _ shared: LoadShared, now: Instant) -> Bool {
        guard state == .connected, disturbance == nil else { return false }
        shared.totals.disturbances[kind.rawValue] += 1
        switch kind {
        case .socket:
            shared.signalling.interrupt(plan.number)
            return false
        case .transport:
            forgetMedia()
            state = .connecting
            disturbance = (kind, now)
            shared.signalling.negotiate(plan.number, offer: makeOffer(shared))
            schedule()
            return false
        case .address:
            guard let server else { return false }
            do {
                socket = try Self.openSocket(towards: server)
            } catch {
                return false
            }
            if !seats.isEmpty { disturbance = (kind, now) }
            transport?.checkNow(now)
            handleTimeout(shared, now: now)
            return true
        }
    }

    /// Media has come: how long that took after what was done.
    func noteRecovery(_ shared: LoadShared, now: Instant) {
        guard let (kind, at) = disturbance else { return }
        disturbance = nil
        if kind == .address {
            shared.totals.readdressed.record(now - at)
        } else {
            shared.totals.reconnected.record(now - at)
        }
    }
}
