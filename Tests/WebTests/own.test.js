import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { fakeDevices, FakePeerConnection, fakeTrack, FakeWebSocket, settle } from "./support/fakes.js";
import { agreeable, joined, requests, welcome } from "./support/meeting.js";

beforeEach(() => {
  FakeWebSocket.all = [];
  FakePeerConnection.all = [];
  FakePeerConnection.onOffer = null;
});

test("a microphone that ends is muted for everybody, and unmuting asks for one anew", async () => {
  const { client, connection, tracks, named } = await joined();
  const devices = fakeDevices();
  tracks.audio.end();
  await settle();
  assert.equal(client.audioOn, false);
  assert.equal(client.audioTrack, null);
  assert.equal(requests("muteAudio").length, 1);
  assert.deepEqual(named("localchange").at(-1), { ended: "microphone" });

  await client.unmuteAudio();
  const [track] = devices.opened;
  assert.equal(connection.transceivers[0].sender.track, track);
  assert.deepEqual([client.audioOn, track.enabled, client.offerCount], [true, true, 1]);
  track.end();
  await settle();
  assert.equal(requests("muteAudio").length, 2, "the new one is watched too");
});

test("a camera that ends is paused for everybody, and resuming asks for one anew", async () => {
  const { client, connection, tracks, named } = await joined();
  const devices = fakeDevices();
  tracks.video.end();
  await settle();
  assert.equal(client.videoOn, false);
  assert.equal(client.videoTrack, null);
  assert.equal(connection.transceivers[1].sender.track, null);
  assert.equal(requests("pauseVideo").length, 1);
  assert.deepEqual(named("localchange").at(-1), { ended: "camera" });

  await client.resumeVideo();
  const [track] = devices.opened;
  assert.equal(connection.transceivers[1].sender.track, track);
  assert.equal(client.videoTrack, track);
  track.end();
  await settle();
  assert.equal(requests("pauseVideo").length, 2, "the new one is watched too");
});

test("who is muted on entry, or may not film, is off here too", async () => {
  const me = { ...welcome().participant, audioMuted: true, videoPaused: true };
  const answers = { ...agreeable(), joinSession: () => ({ result: welcome({ participant: me, participants: [me] }) }) };
  const { client, tracks, connection } = await joined({ answers, join: { handOverTracks: true } });
  assert.deepEqual([client.audioOn, client.videoOn], [false, false]);
  assert.deepEqual([tracks.audio.enabled, tracks.video.readyState], [false, "ended"]);
  assert.equal(connection.transceivers[1].sender.track, null);
  await client.unmuteAudio();
  assert.deepEqual([client.audioOn, tracks.audio.enabled], [true, true]);
});

test("a device that can't be had again rejects with the browser's reason and stays off", async () => {
  const { client, tracks } = await joined();
  const refusal = () => Promise.reject(new DOMException("gone", "NotFoundError"));
  fakeDevices(refusal);
  tracks.audio.end();
  tracks.video.end();
  await settle();
  await assert.rejects(client.unmuteAudio(), { name: "NotFoundError" });
  await assert.rejects(client.resumeVideo(), { name: "NotFoundError" });
  assert.equal(client.audioOn || client.videoOn, false);
  assert.deepEqual([requests("unmuteAudio"), requests("resumeVideo")], [[], []]);
});

test("what ends while it is off, or after the session, is nobody's concern", async () => {
  const { client, tracks, named } = await joined();
  await client.muteAudio();
  await client.pauseVideo();
  const before = named("localchange").length;
  tracks.audio.end();
  tracks.video.end();
  await settle();
  assert.equal(named("localchange").length, before);
  assert.equal(requests("muteAudio").length, 1);

  const second = await joined();
  await second.client.leave();
  const changes = second.named("localchange").length;
  second.tracks.audio.end();
  await settle();
  assert.equal(second.named("localchange").length, changes);
});

test("a device that ends while the server is asked to unmute is told after the answer", async () => {
  const { client, tracks, answers } = await joined();
  await client.muteAudio();
  answers.unmuteAudio = () => {
    tracks.audio.end();
    return { result: {} };
  };
  await client.unmuteAudio();
  assert.equal(client.audioOn, false);
  assert.equal(requests("muteAudio").length, 2);

  await client.pauseVideo();
  answers.resumeVideo = () => {
    tracks.video.end();
    return { result: {} };
  };
  await client.resumeVideo();
  assert.equal(client.videoOn, false);
  assert.equal(requests("pauseVideo").length, 2);
});

test("a device that ends while the socket is lost is told after the return", async () => {
  const { client, socket, tracks, timers } = await joined();
  socket.drop();
  tracks.audio.end();
  tracks.video.end();
  await timers.advance(300);
  assert.equal(client.state, "joined");
  assert.equal(requests("muteAudio").length, 1);
  assert.equal(requests("pauseVideo").length, 1);
});

test("who brings a track that has ended joins without it", async () => {
  const track = fakeTrack("audio");
  track.stop();
  const { client, connection } = await joined({ join: { audio: track } });
  assert.equal(requests("joinSession")[0].settings.startAudioMuted, true);
  assert.equal(connection.transceivers[0].sender.track, null);
  assert.equal(client.audioOn, false);
});

test("a screen that ends by itself is told as such, one that is stopped isn't", async () => {
  const { client, named } = await joined();
  const share = async () => {
    const track = fakeTrack("video");
    await client.startScreenShare({ stream: { getVideoTracks: () => [track], getAudioTracks: () => [] } });
    return track;
  };
  await share();
  await client.stopScreenShare();
  assert.ok(named("localchange").every((one) => !one.ended));
  (await share()).end();
  await settle();
  assert.equal(named("localchange").filter((one) => one.ended === "screen").length, 1);
  assert.equal(requests("stopScreenSharing").length, 2);
});
