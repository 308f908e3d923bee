import JSON
import Meeting

/// Coming back by a resume token, which is good for one time: the answer has the next one.
extension SessionActor {
    /// Comes back on another socket: what was missed is answered, what follows goes there.
    ///
    /// The token that was used stays good until `confirmResume`, as the answer may be lost with the socket.
    func resume(
        _ participant: ParticipantID, token: String, lastSeq: Int, socket: Socket, _ reply: Reply
    ) async throws(APIError) {
        let next = RandomID.make()
        await registry.keep(next, session: self, participant: participant)
        let resumption: Resumption
        let stale: String?
        let old: Socket
        do throws(MeetingError) {
            // From here to the queue nobody gets in between.
            guard let place = places[participant], token == place.resumeToken || token == place.formerToken
            else {
                throw .notInSession
            }
            resumption = try meeting.resume(participant, lastSeq: lastSeq, now: clock.now())
            // The other of the two: an older one, or one that nobody got.
            stale = token == place.resumeToken ? place.formerToken : place.resumeToken
            old = place.owner
        } catch {
            await registry.forget(next)
            throw APIError(error)
        }
        places[participant]?.resumeToken = next
        places[participant]?.formerToken = token
        places[participant]?.owner = socket
        if old !== socket { old.close(.replaced, reason: "resumed on another socket") }
        await settle(before: { session in
            session.places[participant]?.outlet = socket
            switch resumption {
            case .events(let missed):
                let events = missed.map { EventObject($0, sessionID: session.id) }
                reply.succeed(ResumeResult(events: events, snapshot: nil, resumeToken: next))
            case .snapshot(let snapshot):
                let whole = SnapshotObject(snapshot)
                reply.succeed(ResumeResult(events: nil, snapshot: whole, resumeToken: next))
            }
        })
        // Not before: events of that moment would go to the old socket.
        if let stale { await registry.forget(stale) }
    }

    /// The client goes on after it came back: what it came back by is used up.
    func confirmResume(_ participant: ParticipantID, on socket: Socket) async {
        guard let place = places[participant], place.owner === socket, let former = place.formerToken else {
            return
        }
        places[participant]?.formerToken = nil
        await registry.forget(former)
    }

    /// The auth token by which somebody joined, if it was one; whoever comes back lives by it too.
    func authToken(of participant: ParticipantID) -> (id: String, uid: String)? {
        guard let place = places[participant], let id = place.authTokenID else { return nil }
        return (id, place.uid)
    }
}
