import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { DEPENDENCY_DESCRIPTOR, FakePeerConnection, fakeTrack, FakeWebSocket, settle } from "./support/fakes.js";
import { agreeable, connected, joined, requests, tokenOf, welcome } from "./support/meeting.js";

beforeEach(() => {
  FakeWebSocket.all = [];
  FakePeerConnection.all = [];
});

test("the token travels in the URL, the scheme follows the server's", async () => {
  const { client } = await connected();
  const url = new URL(FakeWebSocket.last.url);
  assert.equal(`${url.protocol}//${url.host}${url.pathname}`, "wss://meet.example.org/v1/connect");
  assert.ok(url.searchParams.get("access_token"));
  assert.equal(client.state, "connected");
});

test("the token travels in a login on request", async () => {
  const answers = { ...agreeable(), login: () => ({ result: {} }) };
  await connected({ answers, access: { tokenIn: "login", token: "t" } });
  assert.equal(new URL(FakeWebSocket.last.url).search, "");
  assert.deepEqual(requests("login"), [{ token: "t" }]);
});

test("video seats ask for the dependency descriptor, nothing else does", async () => {
  const { connection } = await joined();
  const asking = connection.transceivers.filter(({ extensions }) => (
    extensions.find(({ uri }) => uri === DEPENDENCY_DESCRIPTOR).direction === "sendrecv"));
  assert.deepEqual(asking.map(({ kind, direction }) => `${kind} ${direction}`), ["video recvonly", "video recvonly"]);
  for (const { extensions } of connection.transceivers) assert.equal(extensions[0].direction, "sendrecv");
});

test("joining makes one offer: two lines to send, then the seats", async () => {
  const { client, connection } = await joined();
  const lines = connection.transceivers.map(({ kind, direction }) => `${kind} ${direction}`);
  assert.deepEqual(lines, [
    "audio sendonly", "video sendonly",
    "audio recvonly", "audio recvonly", "video recvonly", "video recvonly",
  ]);
  assert.equal(client.offerCount, 1);
  assert.deepEqual(connection.answers, ["first answer"]);
  const [params] = requests("joinSession");
  assert.equal(params.offer, "offer of 6 lines");
  assert.deepEqual(params.settings, {
    sessionType: "video", startAudioMuted: false, startVideoPaused: false, displayName: "Me",
  });
  assert.ok(params.callToken);
  assert.equal(client.seatOf("a").mid, "4");
  assert.equal(client.me.name, "Me");
});

test("with an auth token the session is named instead", async () => {
  const access = { token: tokenOf({ typ: "auth", exp: 9e9 }) };
  await joined({ access, join: { sessionId: "room" } });
  const [params] = requests("joinSession");
  assert.equal(params.sessionId, "room");
  assert.equal("callToken" in params, false);
});

test("without microphone and camera the lines are there and the others are told", async () => {
  const { client, connection } = await joined({ join: { audio: false, video: false } });
  assert.equal(connection.transceivers.length, 6);
  assert.equal(requests("joinSession")[0].settings.startAudioMuted, true);
  assert.equal(requests("joinSession")[0].settings.startVideoPaused, true);
  assert.equal(client.audioOn || client.videoOn, false);
});

test("a refused join rejects with the code, drops the connection and leaves the socket usable", async () => {
  const answers = agreeable();
  answers.joinSession = () => ({ error: { code: "ERR_CALL_FULL", message: "full" } });
  const { client } = await connected({ answers });
  await assert.rejects(client.joinSession({ audio: false, video: false }), { code: "ERR_CALL_FULL" });
  assert.equal(client.state, "connected");
  assert.equal(FakePeerConnection.last.closed, true);
  answers.joinSession = () => ({ result: welcome() });
  await client.joinSession({ audio: false, video: false });
  assert.equal(client.state, "joined");
  assert.equal(client.offerCount, 2);
});

test("events that overtake the answer of the join are taken in after it, once", async () => {
  const { client, answers, named } = await connected();
  answers.joinSession = () => {
    for (const seq of [5, 6]) {
      const participant = { participantId: `p${seq}`, name: "New" };
      FakeWebSocket.last.deliver({ event: "participantJoined", seq, data: { participant } });
    }
    return { result: welcome() };
  };
  await client.joinSession({ audio: false, video: false });
  assert.deepEqual(client.participants.map((one) => one.participantId), ["a", "me", "p6"]);
  assert.deepEqual(named("event").map((one) => one.seq), [6]);
});

test("every API event is dispatched under its name, with its data", async () => {
  const { client, socket } = await joined();
  const heard = [];
  client.addEventListener("participantHandRaised", ({ detail }) => heard.push(detail.hands));
  const data = { participantId: "a", hands: ["a"] };
  socket.deliver({ event: "participantHandRaised", seq: 6, at: 1, data });
  assert.deepEqual(heard, [["a"]]);
  assert.deepEqual(client.hands, ["a"]);
});

test("seats follow seatsChanged without an offer", async () => {
  const { client, socket } = await joined();
  const seats = [
    { mid: "4", participantId: "b", source: "camera" }, { mid: "5", participantId: "a", source: "camera" },
  ];
  socket.deliver({ event: "seatsChanged", seq: 6, data: { seats } });
  assert.equal(client.seatOf("a").mid, "5");
  assert.equal(client.seatOf("b").mid, "4");
  assert.equal(client.offerCount, 1);
});

test("a gap is told, and the roster is fetched anew", async () => {
  const { client, socket, answers, named } = await joined();
  const participants = [{ participantId: "me" }, { participantId: "z" }];
  answers.getParticipants = () => ({ result: { participants } });
  socket.deliver({ event: "participantAudioMuted", seq: 9, data: { participantId: "a" } });
  await settle();
  assert.deepEqual(named("gap"), [{ expected: 6, got: 9 }]);
  assert.deepEqual(client.participants.map((one) => one.participantId), ["me", "z"]);
});

test("muting silences the track at once, unmuting only after the server agreed", async () => {
  const { client, tracks, answers } = await joined();
  const muting = client.muteAudio();
  assert.equal(tracks.audio.enabled, false);
  await muting;
  answers.unmuteAudio = () => ({ error: { code: "ERR_AUDIO_LOCKED", message: "locked" } });
  await assert.rejects(client.unmuteAudio(), { code: "ERR_AUDIO_LOCKED" });
  assert.equal(tracks.audio.enabled, false);
  assert.equal(client.audioOn, false);
  answers.unmuteAudio = () => ({ result: {} });
  await client.unmuteAudio();
  assert.equal(tracks.audio.enabled, true);
  assert.equal(client.offerCount, 1);
});

test("a microphone muted by a moderator is off here too", async () => {
  const { client, socket, tracks, named } = await joined();
  socket.deliver({ event: "participantAudioMuted", seq: 6, data: { participantId: "me", by: "a" } });
  assert.equal(tracks.audio.enabled, false);
  assert.equal(client.audioOn, false);
  assert.deepEqual(named("localchange").at(-1), { by: "a" });
});

test("the camera goes off and on without an offer; a track of the caller's isn't stopped", async () => {
  const { client, connection, tracks } = await joined();
  const { sender } = connection.transceivers[1];
  await client.pauseVideo();
  assert.equal(sender.track, null);
  assert.equal(client.videoTrack, null);
  assert.equal(tracks.video.readyState, "live");
  await client.resumeVideo();
  assert.equal(sender.track, tracks.video);
  assert.equal(client.offerCount, 1);
});

test("a track that was handed over is stopped with the camera", async () => {
  const { client, tracks } = await joined({ join: { handOverTracks: true } });
  await client.pauseVideo();
  assert.equal(tracks.video.readyState, "ended");
});

const screenOf = (tracks) => ({ getVideoTracks: () => [tracks[0]], getAudioTracks: () => tracks.slice(1) });

test("sharing makes one offer for picture and sound, and none the next time", async () => {
  const { client, connection, socket } = await joined();
  const stream = screenOf([fakeTrack("video"), fakeTrack("audio")]);
  await client.startScreenShare({ stream });
  assert.equal(client.offerCount, 2);
  assert.deepEqual(requests("startScreenSharing"), [{ mid: "6", audioMid: "7" }]);
  assert.deepEqual(socket.sent.slice(-2).map((one) => one.method), ["startScreenSharing", "negotiate"]);
  await client.stopScreenShare();
  assert.equal(connection.transceivers[6].sender.track, null);
  await client.startScreenShare({ stream });
  assert.equal(client.offerCount, 2);
  assert.equal(connection.transceivers[6].sender.track.kind, "video");
});

test("a share that is ended while it starts is taken back after the start", async () => {
  const { client, connection, socket, answers } = await joined();
  const track = fakeTrack("video");
  answers.startScreenSharing = () => {
    track.dispatchEvent(new Event("ended"));
    return { result: {} };
  };
  await client.startScreenShare({ stream: screenOf([track]) });
  assert.equal(client.screenOn, false);
  assert.equal(connection.transceivers[6].sender.track, null);
  assert.equal(socket.sent.at(-1).method, "stopScreenSharing");
});

test("a share that the server refuses makes no offer that it would see", async () => {
  const { client, connection, answers } = await joined();
  answers.startScreenSharing = () => ({ error: { code: "ERR_PRESENTER_LIMIT", message: "no" } });
  const sharing = client.startScreenShare({ stream: screenOf([fakeTrack("video")]) });
  await assert.rejects(sharing, { code: "ERR_PRESENTER_LIMIT" });
  assert.deepEqual(requests("negotiate"), []);
  assert.deepEqual(requests("stopScreenSharing"), []);
  assert.equal(connection.signalingState, "stable");
  assert.equal(client.screenOn, false);
});

test("a share whose offer is refused leaves nothing behind", async () => {
  const { client, connection, answers } = await joined();
  answers.negotiate = () => ({ error: { code: "ERR_PUBLISH_NOT_ALLOWED", message: "no" } });
  const sharing = client.startScreenShare({ stream: screenOf([fakeTrack("video")]) });
  await assert.rejects(sharing, { code: "ERR_PUBLISH_NOT_ALLOWED" });
  assert.equal(client.screenOn, false);
  assert.equal(connection.signalingState, "stable");
  assert.equal(connection.transceivers[6].direction, "inactive");
  assert.equal(requests("stopScreenSharing").length, 1);
});

test("sharing ends when the browser's own button ends it", async () => {
  const { client } = await joined();
  const track = fakeTrack("video");
  await client.startScreenShare({ stream: screenOf([track]) });
  track.dispatchEvent(new Event("ended"));
  await settle();
  assert.equal(client.screenOn, false);
  assert.equal(requests("stopScreenSharing").length, 1);
});

test("a broken path is given two seconds, then ICE restarts; a failed one restarts at once", async () => {
  const { client, connection, timers } = await joined();
  connection.path("disconnected");
  await timers.advance(1_900);
  connection.path("connected");
  await timers.advance(5_000);
  assert.equal(connection.restarts, 0);
  connection.path("disconnected");
  await timers.advance(2_000);
  assert.equal(connection.restarts, 1);
  connection.path("failed");
  await timers.advance(0);
  assert.equal(connection.restarts, 2);
  assert.equal(client.offerCount, 3);
});

test("a restart that brings nothing is followed by another one", async () => {
  const { connection, timers } = await joined();
  connection.path("disconnected");
  await timers.advance(2_000);
  assert.equal(connection.restarts, 1);
  await timers.advance(8_000);
  assert.equal(connection.restarts, 2);
  await timers.advance(8_000);
  assert.equal(connection.restarts, 3);
  connection.path("connected");
  await timers.advance(60_000);
  assert.equal(connection.restarts, 3);
});

test("publish hints switch encodings by rid", async () => {
  const videoEncodings = [{ rid: "l", active: true }, { rid: "h", active: true }];
  const { connection, socket } = await joined({ join: { videoEncodings } });
  const encodings = [{ mid: "1", rid: "h", active: false }, { mid: "1", rid: "l", maxBitrateBps: 150_000 }];
  socket.deliver({ event: "publishHint", seq: 6, data: { encodings } });
  await settle();
  assert.deepEqual(connection.transceivers[1].sender.parameters.encodings, [
    { rid: "l", active: true, maxBitrate: 150_000 }, { rid: "h", active: false },
  ]);
});

test("a limit that is taken back leaves the application's own, and nothing is negotiated", async () => {
  const videoEncodings = [{ rid: "l", maxBitrate: 200_000 }, { rid: "h" }];
  const { client, connection, socket } = await joined({ join: { videoEncodings } });
  const { sender } = connection.transceivers[1];
  const hint = (seq, encodings) => {
    socket.deliver({ event: "publishHint", seq, data: { encodings: encodings.map((one) => ({ mid: "1", ...one })) } });
  };
  hint(6, [{ rid: "l", active: true, maxBitrateBps: 900_000 }, { rid: "h", active: true, maxBitrateBps: 900_000 }]);
  hint(7, [{ rid: "l", active: false }, { rid: "h", active: false, maxBitrateBps: 50_000 }]);
  await settle();
  assert.deepEqual(sender.parameters.encodings, [
    { rid: "l", maxBitrate: 200_000, active: false }, { rid: "h", active: false, maxBitrate: 50_000 },
  ]);
  hint(8, [{ rid: "l", active: true }, { rid: "h", active: true }]);
  await settle();
  assert.deepEqual(sender.parameters.encodings, [
    { rid: "l", maxBitrate: 200_000, active: true }, { rid: "h", active: true },
  ]);
  assert.equal(client.offerCount, 1);
});

test("a sender that refuses a hint doesn't keep the others from theirs, nor from the next", async () => {
  const { connection, socket } = await joined();
  const [microphone, camera] = connection.transceivers.map(({ sender }) => sender);
  const { setParameters } = microphone;
  microphone.setParameters = async () => { throw new Error("gone"); };
  const hint = (seq, active) => socket.deliver({
    event: "publishHint", seq, data: { encodings: [{ mid: "0", active }, { mid: "1", active }] },
  });
  hint(6, false);
  await settle();
  assert.equal(camera.parameters.encodings[0].active, false);
  microphone.setParameters = setParameters;
  hint(7, false);
  await settle();
  assert.equal(microphone.parameters.encodings[0].active, false);
});

test("who speaks is asked for at joining, and kept up to date", async () => {
  const { client, socket } = await joined({ join: { activeSpeakers: true } });
  assert.equal(requests("joinSession")[0].settings.activeSpeakers, true);
  assert.deepEqual(client.activeSpeakers, []);
  const speakers = [{ participantId: "b", level: 90 }, { participantId: "c", level: 70 }];
  socket.deliver({ event: "activeSpeakersChanged", seq: 6, data: { speakers } });
  assert.deepEqual(client.activeSpeakers, speakers);
  socket.deliver({ event: "participantLeft", seq: 7, data: { participant: { participantId: "b" }, reason: "left" } });
  assert.deepEqual(client.activeSpeakers, [speakers[1]]);
});

test("low power is asked for by its name", async () => {
  const { client, socket } = await joined();
  socket.answers.setReceiveLimits = () => ({ result: {} });
  await client.setReceiveLimits({ videoPaused: true });
  assert.deepEqual(requests("setReceiveLimits"), [{ videoPaused: true }]);
});

test("leaving tells the server, closes everything and can be repeated", async () => {
  const { client, connection, socket, named } = await joined();
  await client.leave();
  await client.leave();
  assert.equal(requests("leaveSession").length, 1);
  assert.equal(connection.closed, true);
  assert.equal(socket.closedWith, 1000);
  assert.deepEqual(named("ended"), [{ reason: "left" }]);
  assert.equal(client.offerCount, 1);
});

const finals = [[4003, "removed"], [4004, "ended"], [4009, "replaced"], [4001, "unauthorized"]];
for (const [code, reason] of finals) {
  test(`close code ${code} is final: ${reason}`, async () => {
    const { client, socket, timers, named } = await joined();
    socket.drop(code);
    await timers.advance(60_000);
    assert.equal(client.state, "closed");
    assert.equal(named("ended")[0].reason, reason);
    assert.equal(FakeWebSocket.all.length, 1);
  });
}

test("when somebody else is denied entry, those inside stay", async () => {
  const { client, socket } = await joined();
  socket.deliver({ event: "denied", seq: 6, data: { participantId: "x" } });
  assert.equal(client.state, "joined");
});

test("an expired call token isn't shown when resuming", async () => {
  const { client, socket, timers } = await joined();
  await timers.advance(301_000);
  socket.drop();
  await timers.advance(1_000);
  assert.equal(client.state, "joined");
  assert.equal(new URL(FakeWebSocket.last.url).search, "");
  assert.equal(FakeWebSocket.last.sent[0].method, "resumeSession");
});

test("an error that names no request is an event, and the meeting goes on", async () => {
  const { client, named } = await joined();
  const errors = [];
  client.addEventListener("error", ({ detail }) => errors.push(detail.code));
  const hand = client.raiseHand();
  FakeWebSocket.last.deliver({ error: { code: "ERR_BAD_REQUEST", message: "messages must be text" } });
  await hand;
  assert.deepEqual(errors, ["ERR_BAD_REQUEST"]);
  assert.equal(client.state, "joined");
  assert.deepEqual(named("ended"), []);
});
