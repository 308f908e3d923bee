import JSON
import MediaWorker
import Meeting

/// What viewers show and want: it concerns nobody but the workers, which keep it for as long as the viewer is in.
extension SessionActor {
    func setViewing(of viewer: ParticipantID, _ change: ViewingChange) async throws(APIError) {
        let place = try viewerPlace(of: viewer)
        do throws(MediaError) {
            try await media.setViewing(of: place.media, change)
        } catch {
            throw APIError(error)
        }
    }

    func pin(
        _ target: ParticipantID, _ source: MediaSource, for viewer: ParticipantID
    ) async throws(APIError) {
        _ = try viewerPlace(of: viewer)
        guard target != viewer else {
            throw APIError(
                .badRequest, "nobody sits in one’s own seats", details: [("field", "participantId")])
        }
        guard meeting.roster.contains(where: { $0.id == target }), let place = places[target] else {
            throw APIError(MeetingError.participantNotFound)
        }
        try await setViewing(of: viewer, .pin(place.media, source))
    }

    /// Whoever has left isn't pinned any more: that is no error.
    func unpin(
        _ target: ParticipantID, _ source: MediaSource, for viewer: ParticipantID
    ) async throws(APIError) {
        _ = try viewerPlace(of: viewer)
        guard let place = places[target] else { return }
        try await setViewing(of: viewer, .unpin(place.media, source))
    }

    /// The place of somebody who is in and may receive.
    private func viewerPlace(of viewer: ParticipantID) throws(APIError) -> Place {
        try checkIsIn(viewer)
        guard let place = places[viewer] else { throw APIError(MeetingError.notInSession) }
        guard place.subscribes else {
            throw APIError(.noAccess, "the call token doesn’t let one receive anything")
        }
        return place
    }
}
