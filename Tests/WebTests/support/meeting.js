import { RostrumClient } from "../../../Sources/Web/Page/rostrum.js";
import { FakePeerConnection, FakeTimers, fakeTrack, FakeWebSocket, settle } from "./fakes.js";

/** A token with this payload, as far as the client reads it. */
export const tokenOf = (payload) => `h.${btoa(JSON.stringify(payload))}.s`;

/** A call token that expires in this time. */
export function callToken(timers, seconds = 300) {
  return tokenOf({ typ: "call", exp: timers.now() / 1000 + seconds });
}

/** What the fake server answers to `joinSession`. */
export const welcome = (over = {}) => ({
  session: { sessionId: "s" },
  participant: { participantId: "me", uid: "u", name: "Me", audioMuted: false, videoPaused: false },
  participants: [
    { participantId: "a", name: "Ada", raisedHandAt: 0 },
    { participantId: "me", uid: "u", name: "Me", audioMuted: false, videoPaused: false, raisedHandAt: 0 },
  ],
  hands: [], seats: [{ mid: "4", kind: "video", participantId: "a", source: "camera" }],
  answer: "first answer", iceServers: [], resumeToken: "r1", seq: 5, ...over,
});

/** A server that agrees to everything; `answers` can be changed by the test. */
export const agreeable = () => ({
  ping: () => ({ result: {} }),
  joinSession: () => ({ result: welcome() }),
  negotiate: () => ({ result: { answer: "later answer" } }),
  resumeSession: () => ({ result: { events: [] } }),
  ...Object.fromEntries([
    "muteAudio", "unmuteAudio", "pauseVideo", "resumeVideo", "startScreenSharing", "stopScreenSharing",
    "raiseHand", "leaveSession",
  ].map((method) => [method, () => ({ result: {} })])),
});

/** A client connected to a fake server; `events` collects what it dispatches. */
export async function connected({ answers = agreeable(), access = {} } = {}) {
  const timers = new FakeTimers();
  FakeWebSocket.onCreate = (socket) => {
    socket.answers = answers;
    if (!answers.down) queueMicrotask(() => socket.accept());
    else queueMicrotask(() => socket.drop());
  };
  const environment = { WebSocket: FakeWebSocket, RTCPeerConnection: FakePeerConnection, timers };
  const client = new RostrumClient(environment);
  const events = [];
  for (const name of ["event", "ended", "gap", "resumed", "localchange", "statechange", "seatschange"]) {
    client.addEventListener(name, ({ detail }) => events.push([name, detail]));
  }
  const named = (name) => events.filter(([one]) => one === name).map(([, detail]) => detail);
  await client.connect({ server: "https://meet.example.org", token: callToken(timers), ...access });
  return { client, timers, answers, events, named };
}

/** The same, and in the session, with two audio and two video seats. */
export async function joined(options = {}) {
  const meeting = await connected(options);
  const tracks = { audio: fakeTrack("audio"), video: fakeTrack("video") };
  await meeting.client.joinSession({ name: "Me", ...tracks, audioSeats: 2, videoSeats: 2, ...options.join });
  await settle();
  return { ...meeting, tracks, socket: FakeWebSocket.last, connection: FakePeerConnection.last };
}

/** The parameters of every request of this method that reached the server. */
export const requests = (method) => FakeWebSocket.all
  .flatMap((socket) => socket.sent).filter((one) => one.method === method).map((one) => one.params);
