import assert from "node:assert/strict";
import { test } from "node:test";
import { Api } from "../../../Sources/Web/Page/console/api.js";
import { tokenOf } from "../support/meeting.js";
import { API_KEY, FakeServer } from "./server.js";

function setUp(credential = API_KEY, environment = {}) {
  const server = new FakeServer().add("weekly");
  server.join("weekly", "ada");
  server.join("weekly", "ben", { raisedHandAt: 5 });
  return { server, api: new Api(credential, { fetch: server.fetch, ...environment }) };
}

test("every verb has its own request, as the API's page lists it", async () => {
  const { server, api } = setUp();
  const ben = "/v1/sessions/weekly/participants/p-ben";
  const requests = [
    [() => api.session("weekly"), "GET", "/v1/sessions/weekly"],
    [() => api.participant("weekly", "p-ben"), "GET", ben],
    ...["mute", "unlock", "pause-video", "stop-screen-share", "lower-hand", "ask-to-unmute", "admit"].map(
      (verb) => [() => api.act("weekly", "p-ben", verb, {}), "POST", `${ben}/${verb}`]),
    ...["mute-all", "lower-all-hands", "lock", "unlock"].map((verb) => (
      [() => api.actOnAll("weekly", verb, {}), "POST", `/v1/sessions/weekly/${verb}`])),
    [() => api.change("weekly", { waitingRoom: true }), "PATCH", "/v1/sessions/weekly"],
    [() => api.messages("weekly"), "GET", "/v1/sessions/weekly/messages"],
    [() => api.send("weekly", "hello", "eve"), "POST", "/v1/sessions/weekly/messages"],
    [() => api.act("weekly", "p-ben", "remove", {}), "POST", `${ben}/remove`],
    [() => api.end("weekly"), "DELETE", "/v1/sessions/weekly"],
  ];
  for (const [ask, method, path] of requests) {
    await ask();
    assert.deepEqual(server.requests.at(-1).slice(0, 2), [method, path]);
  }
  assert.equal(server.sessions.size, 0);
});

test("the credential travels in a header and in no address", async () => {
  const { server, api } = setUp();
  let seen = null;
  server.intercept = ({ path, headers }) => { seen = { path, headers }; };
  await api.sessions();
  assert.equal(seen.headers.Authorization, `Bearer ${API_KEY}`);
  assert.ok(!seen.path.includes(API_KEY));
});

test("a roster of several pages is fetched whole, in order", async () => {
  const { server, api } = setUp();
  for (let number = 0; number < 248; number++) server.join("weekly", `guest-${number}`);
  const everybody = await api.participants("weekly");
  assert.equal(everybody.length, 250);
  assert.equal(everybody.at(-1).uid, "guest-247");
  assert.equal(server.requests.length, 3);
});

test("who waits is listed apart, and for moderators only", async () => {
  const { server, api } = setUp();
  server.join("weekly", "mod", { scope: "moderator" });
  server.join("weekly", "zoe", { state: "waiting" });
  const uids = async (list) => (await list).map(({ uid }) => uid);
  assert.deepEqual(await uids(api.participants("weekly")), ["ada", "ben", "mod"]);
  assert.deepEqual(await uids(api.waiting("weekly")), ["zoe"]);
  const as = (sub) => new Api(tokenOf({ typ: "auth", sub }), { fetch: server.fetch });
  assert.deepEqual(await uids(as("mod").waiting("weekly")), ["zoe"]);
  assert.deepEqual(await uids(as("ben").waiting("weekly")), []);
  await assert.rejects(api.waiting("gone"), { code: "ERR_CALL_SESSION_NOT_FOUND" });
  await api.act("weekly", "all", "admit", {});
  assert.deepEqual(await uids(api.waiting("weekly")), []);
});

test("an error of the server keeps its code, message, details and status", async () => {
  const { api } = setUp("nobody");
  await assert.rejects(api.sessions(), {
    code: "AUTH_ERR_AUTH_TOKEN_NOT_FOUND", message: "no such token", details: { status: 401 },
  });
  const { api: other, server } = setUp();
  await assert.rejects(other.session("gone"), { code: "ERR_CALL_SESSION_NOT_FOUND" });
  server.intercept = () => new Response("<h1>Bad gateway</h1>", { status: 502 });
  await assert.rejects(other.sessions(), { code: "ERR_EXCEPTION", message: /502/u });
});

test("a server that can't be reached, and one that doesn't answer, are told apart", async () => {
  const { api, server } = setUp(API_KEY, { patienceMs: 1 });
  server.intercept = () => { throw new TypeError("fetch failed"); };
  await assert.rejects(api.sessions(), { code: "ERR_UNREACHABLE" });
  server.intercept = ({ signal }) => new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
  });
  await assert.rejects(api.sessions(), { code: "ERR_TIMEOUT" });
});

test("what is dropped by who asked rejects as no longer of interest", async () => {
  const { api, server } = setUp();
  const abort = new AbortController();
  server.intercept = ({ signal }) => new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
    abort.abort();
  });
  await assert.rejects(api.session("weekly", abort.signal), { code: "ERR_STATE" });
});

test("ids stand in a path as one part of it, whatever they are", async () => {
  const { server, api } = setUp();
  server.add("a:b@c.d");
  assert.equal((await api.session("a:b@c.d")).sessionId, "a:b@c.d");
  await assert.rejects(api.session("a/../b"), { code: "ERR_CALL_SESSION_NOT_FOUND" });
  assert.equal(server.requests.at(-1)[1], "/v1/sessions/a%2F..%2Fb");
  for (const dots of ["", ".", ".."]) {
    await assert.rejects(async () => api.end(dots), { code: "ERR_BAD_REQUEST" });
  }
  assert.equal(server.sessions.size, 2);
});
