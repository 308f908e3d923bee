import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { fakeDevices, FakePeerConnection, FakeWebSocket, settle } from "./support/fakes.js";
import { agreeable, joined, requests } from "./support/meeting.js";

beforeEach(() => {
  FakeWebSocket.all = [];
  FakePeerConnection.all = [];
  FakePeerConnection.onOffer = null;
});

const WAITING = { state: "waiting", session: { sessionId: "s", title: "Weekly" }, participant: { participantId: "me" } };
const ADMITTED = { event: "admitted", seq: 1, data: { participant: { participantId: "me" } } };

/** A client that waits; `admit` lets it in. */
async function waiting(options = {}) {
  const answers = agreeable();
  const { joinSession } = answers;
  answers.joinSession = () => ({ result: WAITING });
  const meeting = await joined({ answers, ...options });
  assert.equal(meeting.client.state, "waiting");
  answers.joinSession = joinSession;
  const admit = () => FakeWebSocket.last.deliver(ADMITTED);
  return { ...meeting, admit };
}

/** How the last `joinSession` came in. */
function entered() {
  const { startAudioMuted, startVideoPaused } = requests("joinSession").at(-1).settings;
  return { startAudioMuted, startVideoPaused };
}

test("who waits joins again with another offer when it is let in", async () => {
  const { client, admit } = await waiting();
  assert.deepEqual([client.session.title, client.me, client.peerConnection], ["Weekly", null, null]);
  assert.equal(FakePeerConnection.last.closed, true);
  admit();
  await settle();
  assert.equal(client.state, "joined");
  assert.equal(requests("joinSession").length, 2);
  assert.equal(FakePeerConnection.all.length, 2);
  assert.equal(client.offerCount, 2);
  assert.deepEqual(entered(), { startAudioMuted: false, startVideoPaused: false });
});

test("who waits switches microphone and camera here alone, and comes in as they are then", async () => {
  const { client, admit, tracks } = await waiting({ join: { handOverTracks: true } });
  const devices = fakeDevices();
  await client.muteAudio();
  await client.pauseVideo();
  assert.deepEqual([client.audioOn, tracks.audio.enabled], [false, false]);
  assert.deepEqual([client.videoOn, client.videoTrack, tracks.video.readyState], [false, null, "ended"]);
  await client.unmuteAudio();
  await client.resumeVideo();
  assert.deepEqual([client.audioOn, client.videoTrack], [true, devices.opened[0]]);
  await client.muteAudio();
  const told = FakeWebSocket.last.sent.map((one) => one.method);
  assert.deepEqual(told, ["ping", "joinSession"]);
  admit();
  await settle();
  assert.deepEqual(entered(), { startAudioMuted: true, startVideoPaused: false });
  const [microphone, camera] = FakePeerConnection.last.transceivers;
  assert.deepEqual([microphone.sender.track, camera.sender.track], [tracks.audio, devices.opened[0]]);
});

test("who waits without devices opens them before it is let in", async () => {
  const { client, admit } = await waiting({ join: { audio: false, video: false } });
  const devices = fakeDevices();
  await client.unmuteAudio();
  await client.resumeVideo();
  admit();
  await settle();
  assert.deepEqual(entered(), { startAudioMuted: false, startVideoPaused: false });
  const sent = FakePeerConnection.last.transceivers.slice(0, 2).map(({ sender }) => sender.track);
  assert.deepEqual(sent, devices.opened);
});

test("what is switched while one comes in is told after it", async () => {
  const { client, admit, tracks } = await waiting({ join: { video: false } });
  let open;
  const devices = fakeDevices(() => new Promise((resolve) => { open = resolve; }));
  const resuming = client.resumeVideo();
  await settle();
  admit();
  const muting = client.muteAudio();
  assert.equal(tracks.audio.enabled, false);
  open();
  await Promise.all([resuming, muting]);
  assert.equal(entered().startVideoPaused, true);
  const told = FakeWebSocket.last.sent.map((one) => one.method);
  assert.deepEqual(told.slice(2), ["joinSession", "muteAudio", "resumeVideo"]);
  assert.equal(FakePeerConnection.last.transceivers[1].sender.track, devices.opened[0]);
  assert.deepEqual([client.audioOn, client.videoOn], [false, true]);
});

test("a device that goes while one waits is off, and nobody has to be told", async () => {
  const { client, tracks, named } = await waiting();
  tracks.video.end();
  await settle();
  assert.equal(client.videoOn, false);
  assert.deepEqual(named("localchange").at(-1), { ended: "camera" });
  assert.equal(requests("pauseVideo").length, 0);
});

test("who waits neither shares nor stays when it leaves", async () => {
  const { client, named } = await waiting();
  await assert.rejects(client.startScreenShare(), { code: "ERR_STATE" });
  await client.leave();
  assert.deepEqual(named("ended"), [{ reason: "left" }]);
  assert.equal(requests("leaveSession").length, 0);
});

test("who is sent away while it waits is told so, and by whom", async () => {
  for (const by of [undefined, {}, { uid: "ada", participantId: "a" }]) {
    const { client, named } = await waiting();
    FakeWebSocket.last.deliver({ ...ADMITTED, event: "denied", data: { ...ADMITTED.data, by } });
    assert.equal(client.state, "closed");
    assert.deepEqual(named("ended"), [by ? { reason: "denied", by } : { reason: "denied" }]);
  }
});

test("who loses its place, and has to wait when it comes back, is let in again", async () => {
  const { client, answers, socket, timers, named } = await joined({ answers: agreeable() });
  const { joinSession } = answers;
  answers.resumeSession = () => ({ error: { code: "ERR_NOT_IN_SESSION", message: "gone" } });
  answers.joinSession = () => ({ result: WAITING });
  socket.drop();
  await timers.advance(5_000);
  assert.equal(client.state, "waiting");
  answers.joinSession = joinSession;
  // Events count anew.
  FakeWebSocket.last.deliver(ADMITTED);
  await settle();
  assert.equal(client.state, "joined");
  assert.deepEqual(named("statechange").map(({ state }) => state).slice(-3), ["reconnecting", "waiting", "joined"]);
});
