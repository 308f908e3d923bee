import EventLoop
import FixedCollections
import Transport
import Wire

/// STUN finds its transport without an address: a check by the ufrag, an answer by its transaction id.
extension MediaWorker {
    mutating func takeSTUN(_ bytes: Span<UInt8>, from path: TransportPath, origin: Int?) {
        if let tag = ProbeTag(answeredBy: bytes) {
            takeAnswer(bytes, tag, from: path, origin: origin)
            return
        }
        guard let ufrag = ICEUfrag(addressedBy: bytes) else {
            counters.rejectedSTUN &+= 1
            return
        }
        if let index = ufrags[ufrag.rawValue] {
            if take(bytes, ofTransport: Int(index), from: path, origin: origin) { counters.checks &+= 1 }
        } else if !handOver(bytes, to: ufrag.lane, from: path, origin: origin) {
            counters.unknownUfrag &+= 1
        }
    }

    /// An answer to a check of the server's own.
    private mutating func takeAnswer(
        _ bytes: Span<UInt8>, _ tag: ProbeTag, from path: TransportPath, origin: Int?
    ) {
        if tag.lane == lane, connections.contains(tag.index) {
            if take(bytes, ofTransport: tag.index, from: path, origin: origin) { counters.proven &+= 1 }
        } else if case .tcp = path {
            // No check was sent over TCP: a connection isn't given away for an answer.
            counters.rejectedSTUN &+= 1
        } else if !handOver(bytes, to: tag.lane, from: path, origin: origin) {
            counters.rejectedSTUN &+= 1
        }
    }

    /// - Returns: whether it was accepted.
    private mutating func take(
        _ bytes: Span<UInt8>, ofTransport index: Int, from path: TransportPath, origin: Int?
    ) -> Bool {
        let outcome = connections[index].transport.receiveSTUN(bytes, from: path, now: now, into: &output)
        sendOutput()
        if outcome.rejection != nil { counters.rejectedSTUN &+= 1 }
        // Not only when the path is new to this peer: another one may have had the address in between.
        if outcome.rejection == nil, owner(of: path) != index { learn(path, for: index, origin: origin) }
        if let evicted = outcome.evictedPath { forget(evicted, of: index) }
        if let retired = outcome.retiredUfrag { retire(retired, of: index) }
        timers.set(index, to: connections[index].transport.nextTimeout)
        return outcome.rejection == nil
    }

    /// - Returns: whether it is another worker's, who has it now.
    private mutating func handOver(
        _ bytes: Span<UInt8>, to owner: Int?, from path: TransportPath, origin: Int?
    ) -> Bool {
        guard origin == nil, let owner, owner != lane, shared.rings.indices.contains(owner) else {
            return false
        }
        counters.handedOver &+= 1
        switch path {
        case .udp(let source):
            let isKnown = foreign[source] == Int32(owner)
            shared.rings[lane][owner].push(bytes, from: source, isKnown: isKnown)
        case .tcp(let connection, _): move(TCPConnectionID(rawValue: connection), to: owner)
        }
        return true
    }

    // MARK: Paths

    private func owner(of path: TransportPath) -> Int? {
        switch path {
        case .udp(let address): addresses[address].map { Int($0) }
        case .tcp(let connection, _): tcpOwners[connection].map { Int($0) }
        }
    }

    private mutating func learn(_ path: TransportPath, for index: Int, origin: Int?) {
        let known: Bool
        switch path {
        case .udp(let address):
            if let previous = addresses[address].map({ Int($0) }), previous != index {
                // The address is another peer's now.
                _ = connections[previous].transport.removePath(path)
                forget(path, of: previous)
            }
            known = addresses.set(address, to: Int32(index))
            if let origin { _ = shared.mailboxes[origin].post(.foreign(address, worker: lane)) }
        case .tcp(let connection, _):
            known = tcpOwners.set(connection, to: Int32(index))
            outlet.streams.setProven(TCPConnectionID(rawValue: connection), known)
        }
        guard known, !connections[index].paths.contains(where: { $0.path == path }) else { return }
        connections[index].paths.append(KnownPath(path: path, origin: origin))
        if case .tcp = path { closeSurplusStream(of: index, newest: path) }
    }

    /// A participant keeps a few TCP connections: of more, the oldest goes that isn't in use.
    private mutating func closeSurplusStream(of index: Int, newest: TransportPath) {
        let selected = connections[index].transport.selectedPath
        var oldest: TransportPath?
        var count = 0
        for known in connections[index].paths {
            guard case .tcp = known.path else { continue }
            count += 1
            if oldest == nil, known.path != selected, known.path != newest { oldest = known.path }
        }
        guard count > Connection.mostStreams, let oldest, case .tcp(let connection, _) = oldest else {
            return
        }
        _ = connections[index].transport.removePath(oldest)
        forget(oldest, of: index)
        outlet.streams.close(TCPConnectionID(rawValue: connection))
    }

    mutating func forget(_ path: TransportPath, of index: Int) {
        switch path {
        case .udp(let address):
            if addresses[address] == Int32(index) {
                addresses.remove(address)
                tellOrigin(of: path, index, isGoneFrom: address)
            }
        case .tcp(let connection, _):
            if tcpOwners[connection] == Int32(index) {
                tcpOwners.remove(connection)
                outlet.streams.setProven(TCPConnectionID(rawValue: connection), false)
            }
        }
        connections[index].paths.removeAll { $0.path == path }
    }

    private func tellOrigin(of path: TransportPath, _ index: Int, isGoneFrom address: SocketAddress) {
        guard let origin = connections[index].paths.first(where: { $0.path == path })?.origin else { return }
        _ = shared.mailboxes[origin].post(.notForeign(address, worker: lane))
    }

    mutating func retire(_ ufrag: ICEUfrag, of index: Int) {
        ufrags.remove(ufrag.rawValue)
        connections[index].ufrags.removeAll { $0 == ufrag }
    }
}
