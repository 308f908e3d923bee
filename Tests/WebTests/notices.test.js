import assert from "node:assert/strict";
import { test } from "node:test";
import { Notices } from "../../Sources/Web/Page/page/notices.js";

/** Somebody in a meeting, and the banners about the own sources: what each says, and what its button does. */
function meeting({ audioOn = true, audioLocked = false } = {}) {
  const client = Object.assign(new EventTarget(), {
    audioOn, videoOn: true, screenOn: false, me: { audioLocked },
    participant: (id) => (id === "a" ? { name: "Ada" } : null),
  });
  const banners = new Map();
  const pressed = [];
  new Notices(client, (source) => pressed.push(source), {
    show: (key, text, options) => banners.set(key, { text, ...options }), hide: (key) => banners.delete(key),
  });
  const happens = (event, change = {}, detail = {}) => {
    Object.assign(client, change);
    client.dispatchEvent(new CustomEvent(event, { detail }));
  };
  const texts = () => [...banners].map(([key, { text }]) => `${key}: ${text}`);
  /** As the client does: first what is switched off here, then that something changed. */
  const isMuted = (by, audioLocked = false) => {
    happens("localchange", { audioOn: false, me: { audioLocked } }, { by });
    happens("rosterchange");
  };
  return { banners, pressed, happens, texts, isMuted };
}

test("of the microphone there is one notice: the newest", () => {
  const { banners, pressed, happens, texts, isMuted } = meeting();
  isMuted({}, true);
  assert.deepEqual(texts(), [
    "microphone: You were muted by the operator. You can’t unmute until a moderator lets you.",
  ]);
  happens("rosterchange", { me: { audioLocked: false } });
  assert.deepEqual(texts(), ["microphone: You can unmute again."]);
  happens("unmuteRequested");
  assert.deepEqual(texts(), ["microphone: You’re asked to speak."]);
  banners.get("microphone").onAction();
  assert.deepEqual(pressed, ["microphone"]);
  happens("localchange", { audioOn: true });
  assert.deepEqual(texts(), []);
});

test("a microphone that was off already is told its lock and the lock's end, each once", () => {
  const { texts, happens, banners } = meeting({ audioOn: false });
  happens("unmuteRequested");
  happens("rosterchange", { me: { audioLocked: true } });
  assert.deepEqual(texts(), ["microphone: Your microphone was locked. You can’t unmute until a moderator lets you."]);
  banners.clear();
  happens("rosterchange");
  assert.deepEqual(texts(), []);
  // On the way back into the meeting nothing is known of the lock.
  happens("rosterchange", { me: null });
  happens("rosterchange", { me: { audioLocked: true } });
  assert.deepEqual(texts(), []);
});

test("who comes in muted and locked is told so", () => {
  assert.match(meeting({ audioOn: false, audioLocked: true }).texts()[0], /^microphone: .* locked/u);
});

test("who speaks already isn't asked to", () => {
  const { texts, happens } = meeting();
  happens("unmuteRequested");
  assert.deepEqual(texts(), []);
});

test("notices of the microphone, the camera and the screen stand beside each other, until each is on again", () => {
  const { texts, happens, isMuted } = meeting();
  isMuted({ participantId: "a", uid: "ada" });
  happens("localchange", { videoOn: false }, { by: {} });
  assert.deepEqual(texts(), [
    "microphone: You were muted by Ada.", "camera: Your camera was switched off by the operator.",
  ]);
  happens("localchange", { videoOn: true });
  assert.deepEqual(texts(), ["microphone: You were muted by Ada."]);
});

test("a device that goes is told with the way to have it again, a screen without", () => {
  const { banners, happens, pressed } = meeting();
  happens("localchange", { videoOn: false }, { ended: "camera" });
  assert.deepEqual([banners.get("camera").kind, banners.get("camera").action], ["error", "Turn on"]);
  banners.get("camera").onAction();
  assert.deepEqual(pressed, ["camera"]);
  happens("localchange", {}, { ended: "screen" });
  assert.equal(banners.get("screen").action, undefined);
});

test("what one switches off oneself is no news", () => {
  const { texts, happens } = meeting();
  happens("localchange", { audioOn: false, videoOn: false });
  assert.deepEqual(texts(), []);
});
