import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { FakePeerConnection, FakeWebSocket } from "./support/fakes.js";
import { callToken, joined, requests, welcome } from "./support/meeting.js";

beforeEach(() => {
  FakeWebSocket.all = [];
  FakePeerConnection.all = [];
});

test("a lost socket is resumed, media untouched, missed events taken in in order", async () => {
  const { client, socket, connection, answers, timers, named } = await joined();
  answers.resumeSession = () => ({
    result: {
      events: [
        { event: "participantHandRaised", seq: 6, data: { participantId: "a", hands: ["a"] } },
        { event: "participantHandRaised", seq: 7, data: { participantId: "me", hands: ["a", "me"] } },
      ],
    },
  });
  socket.drop();
  assert.equal(client.state, "reconnecting");
  assert.equal(connection.closed, false);
  await timers.advance(300);
  assert.equal(client.state, "joined");
  assert.deepEqual(requests("resumeSession"), [{ resumeToken: "r1", lastSeq: 5 }]);
  assert.deepEqual(client.hands, ["a", "me"]);
  assert.deepEqual(named("resumed"), [{ rejoined: false }]);
  assert.deepEqual(named("gap"), []);
  assert.equal(client.offerCount, 1);
});

test("live events that overtake the answer of the resumption come after the missed ones", async () => {
  const { client, socket, answers, timers, named } = await joined();
  answers.resumeSession = () => {
    FakeWebSocket.last.deliver({ event: "participantLeft", seq: 7, data: { participantId: "a" } });
    return { result: { events: [{ event: "x", seq: 6, data: {} }] } };
  };
  socket.drop();
  await timers.advance(300);
  assert.deepEqual(named("event").map((one) => one.seq), [6, 7]);
  assert.equal(client.participant("a"), null);
});

test("a snapshot replaces roster and seats", async () => {
  const { client, socket, answers, timers } = await joined();
  const snapshot = {
    participants: [{ participantId: "me" }, { participantId: "z" }], seq: 900,
    seats: [{ mid: "5", participantId: "z", source: "camera" }],
  };
  answers.resumeSession = () => ({ result: { snapshot, resumeToken: "r2" } });
  socket.drop();
  await timers.advance(300);
  assert.deepEqual(client.participants.map((one) => one.participantId), ["me", "z"]);
  assert.equal(client.seatOf("a"), null);
  assert.equal(client.seatOf("z").mid, "5");
  assert.equal(client.lastSeq, 900);
  FakeWebSocket.last.drop();
  await timers.advance(300);
  assert.deepEqual(requests("resumeSession").at(-1), { resumeToken: "r2", lastSeq: 900 });
});

test("attempts back off while the server is away, and one succeeds when it is back", async () => {
  const { client, socket, answers, timers } = await joined();
  answers.down = true;
  socket.drop();
  await timers.advance(10_000);
  const attempts = FakeWebSocket.all.length - 1;
  assert.ok(attempts >= 4 && attempts <= 9, `${attempts} attempts in 10 s`);
  answers.down = false;
  await timers.advance(4_000);
  assert.equal(client.state, "joined");
});

test("after two minutes it is given up, with the reason", async () => {
  const { client, socket, answers, timers, named } = await joined();
  answers.down = true;
  socket.drop();
  await timers.advance(130_000);
  assert.equal(client.state, "closed");
  assert.equal(named("ended")[0].reason, "disconnected");
  assert.equal(timers.pending, 0);
});

test("what was muted meanwhile is told after the return", async () => {
  const { client, socket, tracks, timers } = await joined();
  socket.drop();
  await assert.rejects(client.muteAudio(), { code: "ERR_DISCONNECTED" });
  assert.equal(tracks.audio.enabled, false);
  await timers.advance(300);
  assert.equal(requests("muteAudio").length, 1);
});

test("a path that broke meanwhile is restarted after the return", async () => {
  const { socket, connection, timers } = await joined();
  socket.drop();
  connection.iceConnectionState = "failed";
  await timers.advance(300);
  assert.equal(connection.restarts, 1);
});

test("too late to resume: joined anew with a new token, a new connection and the same tracks", async () => {
  const { client, socket, connection, tracks, answers, timers, named } = await joined({
    access: { getToken: async () => fresh },
  });
  const fresh = callToken(timers, 999);
  answers.resumeSession = () => ({ error: { code: "ERR_NOT_IN_SESSION", message: "gone" } });
  answers.joinSession = () => ({
    result: welcome({ participant: { participantId: "me2" }, participants: [{ participantId: "me2" }] }),
  });
  socket.drop();
  await timers.advance(300);
  assert.equal(client.state, "joined");
  assert.equal(client.participantId, "me2");
  assert.equal(connection.closed, true);
  assert.equal(FakePeerConnection.all.length, 2);
  assert.equal(FakePeerConnection.last.transceivers[0].sender.track, tracks.audio);
  assert.equal(requests("joinSession").at(-1).callToken, fresh);
  assert.deepEqual(named("resumed"), [{ rejoined: true }]);
  assert.equal(client.offerCount, 2);
});

test("removed while away: no way back is tried", async () => {
  const { client, socket, answers, timers, named } = await joined();
  answers.resumeSession = () => ({ error: { code: "ERR_CALL_REMOVED", message: "removed" } });
  socket.drop();
  await timers.advance(5_000);
  assert.equal(client.state, "closed");
  assert.equal(named("ended")[0].code, "ERR_CALL_REMOVED");
  assert.equal(requests("joinSession").length, 1);
});

test("leaving while away ends the attempts", async () => {
  const { client, socket, answers, timers } = await joined();
  answers.down = true;
  socket.drop();
  await client.leave();
  const before = FakeWebSocket.all.length;
  await timers.advance(30_000);
  assert.equal(FakeWebSocket.all.length, before);
  assert.equal(client.state, "closed");
});
