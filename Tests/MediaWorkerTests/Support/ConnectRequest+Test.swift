import TransportTestSupport
import Wire

@testable import MediaWorker
@testable import Transport

extension ConnectRequest {
    /// What the pool would ask of a worker for the client's offer, in the session with number 1.
    static func test(
        _ client: TestClient, shared: WorkerShared
    ) throws -> (ConnectRequest, NegotiatedSession) {
        var generator = SystemRandomNumberGenerator()
        let credentials = try ICECredentials.random()
        let local = LocalParameters(
            iceUfrag: credentials.ufrag.text, icePwd: credentials.password,
            fingerprint: shared.certificate.fingerprint.digest, candidates: [], cname: "test")
        let negotiated = try Negotiation.answer(
            SessionDescription.parse(client.offer.sdp), previous: nil, local: local, using: &generator)
        let sections = MediaSections(
            negotiated, sources: [:], permissions: MediaPermissions(), previous: nil, using: &generator)
        let request = ConnectRequest(
            participant: client.id, session: MediaSessionID(rawValue: 1), number: client.id.rawValue,
            credentials: credentials,
            remote: RemoteICECredentials(ufrag: negotiated.remoteUfrag, password: negotiated.remotePwd),
            fingerprints: [client.dtls.certificate.fingerprint], sections: sections)
        return (request, negotiated)
    }
}
