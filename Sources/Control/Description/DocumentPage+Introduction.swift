import HTML

/// What is said before the parts.
extension DocumentPage {
    static let introduction: HTML = """
        <h1>The control API</h1>
        <p class="lead">Everything that this server can be asked over HTTP and over its socket. Programs read \
        <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1) and \
        <a href="/asyncapi.json">asyncapi.json</a> (AsyncAPI 3.0); this page is made of the same words.</p>
        <div class="cards">
        <div class="card"><h2>Credentials</h2>
        <p>They travel as <code>Authorization: Bearer …</code></p>
        <dl class="plain">
        <dt>API key</dt><dd>of the configuration; for back ends, which may do everything</dd>
        <dt>auth token</dt><dd>a JWT that says who a user is: app-wide, 30 minutes</dd>
        <dt>call token</dt><dd>a JWT that lets one user join one session: 5 minutes to join with</dd>
        </dl></div>
        <div class="card"><h2>JSON</h2>
        <p>UTF-8, names in <code>camelCase</code>. Fields of a request that aren’t listed here are refused; \
        ignore fields of an answer that you don’t know. What is absent is left out, never <code>null</code>.</p>
        <p>Times end in <code>At</code> and are milliseconds since 1970. Ids are 1 to 100 of \
        <code>A-Z a-z 0-9 _ . : @ -</code>. 256 KiB are the most in one message.</p></div>
        <div class="card"><h2>Lists</h2>
        <p><code>?page=</code> counts from 1, <code>?perPage=</code> is 30, and 100 at most.</p>
        <pre tabindex="0"><code>{"data": […],
         "meta": {"pagination": {"total": 64, …}}}</code></pre></div>
        <div class="card"><h2>Errors</h2>
        <p>Look at the <a href="#errors">code</a>, which is stable; the message is for people.</p>
        <pre tabindex="0"><code>{"error": {"code": "ERR_BAD_REQUEST",
                   "message": "uid: missing",
                   "details": {"field": "uid"}}}</code></pre></div>
        </div>

        """

    static let socketLead: HTML = """
        <p>Open <a href="#operation-connect"><code>/v1/connect</code></a> as a WebSocket with subprotocol \
        <code>rostrum.v1</code>. A request is answered once, after its effect; the events of a session are \
        numbered one by one.</p>
        <pre tabindex="0"><code>→ {"id": 7, "method": "raiseHand", "params": {}}
        ← {"id": 7, "result": {"hands": […]}}
        ← {"event": "participantHandRaised", "sessionId": "weekly", "seq": 12, "at": 1764460800123, "data": {…}}</code></pre>

        """

    static let errorLead: HTML = """
        <p>Over HTTP the status is the one that stands beside the code; on the socket there is the code alone.</p>

        """
}
