import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { errorOfClosing } from "../../Sources/Web/Page/rostrum/errors.js";
import { explain, farewell } from "../../Sources/Web/Page/page/words.js";
import { fakeDevices, FakePeerConnection, fakeTrack, FakeWebSocket, settle } from "./support/fakes.js";
import { agreeable, callToken, connected, joined, requests, welcome } from "./support/meeting.js";

beforeEach(() => {
  FakeWebSocket.all = [];
  FakePeerConnection.all = [];
  FakePeerConnection.onOffer = null;
});

/** Close code, the server's reason, the error of what was under way, the reason of `ended` before joining. */
const CLOSINGS = [
  [4001, "ERR_CALL_TOKEN_EXPIRED", "ERR_CALL_TOKEN_EXPIRED", "unauthorized"],
  [4001, "no login", "AUTH_ERR_EMPTY_AUTH_TOKEN", "unauthorized"],
  [4003, "removed", "ERR_CALL_REMOVED", "removed"],
  [4004, "session ended", "ERR_DISCONNECTED", "ended"],
  [4008, "too slow", "ERR_DISCONNECTED", "disconnected"],
  [4009, "replaced by the same device", "ERR_DISCONNECTED", "replaced"],
  [4010, "server draining", "ERR_SERVER_DRAINING", "disconnected"],
  [4029, "too many requests", "ERR_TOO_MANY_REQUESTS", "disconnected"],
  [1006, "", "ERR_DISCONNECTED", "disconnected"],
];

/** What can be under way: begins it and returns its promise. */
const MOMENTS = {
  async "between the socket's opening and the join"({ client }, drop) {
    drop();
    return client.joinSession({ audio: false, video: false });
  },
  async "while devices are opened"({ client }, drop) {
    const devices = fakeDevices(drop);
    await client.joinSession({}).finally(() => {
      assert.ok(devices.opened.length === 2 && devices.opened.every((one) => one.readyState === "ended"));
    });
  },
  async "while the offer is made"({ client }, drop) {
    FakePeerConnection.onOffer = drop;
    return client.joinSession({ audio: false, video: false });
  },
  async "while the server looks at the offer"({ client, answers }, drop) {
    answers.joinSession = drop;
    return client.joinSession({ audio: false, video: false });
  },
};

for (const [code, reason, errorCode, ending] of CLOSINGS) {
  test(`closed with ${code} (${reason}), the join is rejected with ${errorCode} at any moment`, async () => {
    for (const [moment, begin] of Object.entries(MOMENTS)) {
      FakePeerConnection.onOffer = null;
      const meeting = await connected();
      const socket = FakeWebSocket.last;
      const failure = begin(meeting, () => socket.drop(code, reason));
      const details = { closeCode: code, reason };
      await assert.rejects(failure, { code: errorCode, details }, moment);
      assert.equal(meeting.client.state, "closed", moment);
      assert.deepEqual(meeting.named("ended").map((one) => [one.reason, one.code]), [[ending, errorCode]]);
      assert.equal(meeting.timers.pending, 0, moment);
    }
  });

  test(`closed with ${code} (${reason}), what waits for an answer in a meeting is rejected`, async () => {
    const { client, socket, answers } = await joined();
    delete answers.raiseHand;
    delete answers.negotiate;
    const waiting = [client.raiseHand(), client.restartIce()].map((one) => (
      assert.rejects(one, { code: errorCode })));
    await settle();
    socket.drop(code, reason);
    await Promise.all(waiting);
    assert.equal(client.state, ending === "disconnected" ? "reconnecting" : "closed");
  });

  test(`a person is told what ${code} (${reason}) means`, () => {
    const error = errorOfClosing({ code, reason });
    assert.ok(explain(error).length > 20);
    assert.doesNotMatch(explain(error), /ERR_|token|socket/u);
    const told = farewell({ reason: ending, code: error.code, message: error.message });
    assert.ok(told.every((text) => text.length > 10));
  });
}

test("closed before the login is answered, the connecting is rejected and can be tried again", async () => {
  for (const [code, reason, errorCode] of CLOSINGS) {
    const answers = { ...agreeable(), login: () => FakeWebSocket.last.drop(code, reason) };
    const access = { tokenIn: "login", token: "t" };
    await assert.rejects(connected({ answers, access }), { code: errorCode });
  }
});

test("a refused login closes the socket", async () => {
  const answers = { ...agreeable(), login: () => ({ error: { code: "ERR_AUTH_TOKEN_EXPIRED" } }) };
  const refused = connected({ answers, access: { tokenIn: "login", token: "t" } });
  await assert.rejects(refused, { code: "ERR_AUTH_TOKEN_EXPIRED" });
  assert.equal(FakeWebSocket.last.closedWith, 1000);
});

test("a socket that never opens leaves the client as it was", async () => {
  const answers = { ...agreeable(), down: true };
  await assert.rejects(connected({ answers }), { code: "ERR_UNREACHABLE" });
});

test("no offer is sent before the server has said a word", async () => {
  const { client, answers } = await connected({ answers: { ...agreeable(), ping: () => null } });
  const joining = client.joinSession({ audio: false, video: false });
  await settle();
  assert.deepEqual(requests("joinSession"), []);
  const [ping] = FakeWebSocket.last.sent;
  assert.equal(ping.method, "ping");
  answers.joinSession = () => ({ result: welcome() });
  FakeWebSocket.last.deliver({ id: ping.id, result: { at: 1 } });
  await joining;
  assert.equal(client.state, "joined");
});

test("a share that is being offered when the session ends is rejected, and nothing is left open", async () => {
  const { client, socket } = await joined();
  const track = fakeTrack("video");
  FakePeerConnection.onOffer = () => socket.drop(4004, "session ended");
  const stream = { getVideoTracks: () => [track], getAudioTracks: () => [] };
  await assert.rejects(client.startScreenShare({ stream, handOverTracks: true }), { code: "ERR_DISCONNECTED" });
  assert.equal(track.readyState, "ended");
  assert.equal(client.screenOn, false);
});

test("who is told to have left is told why", async () => {
  for (const reason of ["replaced", "removed", "ended", "left"]) {
    const { socket, named } = await joined();
    socket.deliver({ event: "sessionLeft", seq: 6, data: { reason } });
    socket.drop(4009, "replaced by the same device");
    assert.deepEqual(named("ended").map((one) => one.reason), [reason]);
  }
});

test("who is removed is told by whom, and why if a moderator wrote it", async () => {
  const by = { uid: "ada", participantId: "a" };
  for (const [data, account] of [[{ by, reason: "Too loud" }, { by, words: "Too loud" }], [{ by }, { by }]]) {
    const { socket, named } = await joined();
    socket.deliver({ event: "removed", seq: 6, data });
    socket.drop(4003, "removed");
    assert.deepEqual(named("ended"), [{ reason: "removed", ...account }]);
  }
});

test("leaving doesn't wait for a server that is silent", async () => {
  const { client, answers, timers, named } = await joined();
  delete answers.leaveSession;
  const leaving = client.leave();
  await timers.advance(2_000);
  await leaving;
  assert.deepEqual(named("ended"), [{ reason: "left" }]);
  assert.equal(timers.pending, 0);
});

test("after the end, requests about own devices are refused with the reason of the end", async () => {
  const { client, socket } = await joined();
  socket.drop(4003, "removed");
  for (const act of ["muteAudio", "unmuteAudio", "pauseVideo", "resumeVideo", "startScreenShare"]) {
    await assert.rejects(client[act](), { code: "ERR_CALL_REMOVED" }, act);
  }
});

test("who leaves while a new token is fetched isn't joined anew", async () => {
  let give;
  const getToken = () => new Promise((resolve) => { give = resolve; });
  const { client, socket, answers, timers } = await joined({ access: { getToken } });
  answers.resumeSession = () => ({ error: { code: "ERR_NOT_IN_SESSION", message: "gone" } });
  socket.drop();
  await timers.advance(300);
  await client.leave();
  const sockets = FakeWebSocket.all.length;
  give(callToken(timers));
  await timers.advance(10_000);
  assert.equal(client.state, "closed");
  assert.equal(FakeWebSocket.all.length, sockets);
  assert.equal(requests("joinSession").length, 1);
});

test("a socket lost again while the session is joined anew is noticed, and another attempt made", async () => {
  const { client, socket, answers, timers } = await joined({
    access: { getToken: async () => callToken(timers, 999) },
  });
  answers.resumeSession = () => ({ error: { code: "ERR_NOT_IN_SESSION", message: "gone" } });
  answers.joinSession = () => {
    const { last } = FakeWebSocket;
    if (requests("joinSession").length === 2) queueMicrotask(() => queueMicrotask(() => last.drop()));
    return { result: welcome({ resumeToken: "r2" }) };
  };
  socket.drop();
  await timers.advance(5_000);
  assert.equal(requests("joinSession").length, 3);
  assert.equal(client.state, "joined");
  assert.equal(FakePeerConnection.last.closed, false);
});
