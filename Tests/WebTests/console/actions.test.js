import assert from "node:assert/strict";
import { test } from "node:test";
import { ACTIONS, muting, removal, removeQuestion, settingsChange } from "../../../Sources/Web/Page/console/actions.js";
import { Api } from "../../../Sources/Web/Page/console/api.js";
import { Credential } from "../../../Sources/Web/Page/console/credential.js";
import {
  BANS, complaint, counted, isOver, isRefused, rate, refusal, since,
} from "../../../Sources/Web/Page/console/words.js";
import { RostrumError } from "../../../Sources/Web/Page/rostrum/errors.js";
import { tokenOf } from "../support/meeting.js";
import { API_KEY, FakeServer } from "./server.js";

test("every action takes effect on the one who is meant", async () => {
  const effects = {
    mute: { audioMuted: true }, lock: { audioMuted: true, audioLocked: true }, ask: {},
    pause: { videoPaused: true }, stopShare: { isPresenting: false }, lower: { raisedHandAt: 0 },
    unlock: { audioLocked: false }, scope: { scope: "viewer" }, admit: { state: "joined" },
  };
  for (const [action, effect] of Object.entries(effects)) {
    const server = new FakeServer().add("s");
    server.join("s", "other");
    const one = server.join("s", "ada", { isPresenting: true, raisedHandAt: 3, state: "waiting" });
    one.audioLocked = action === "unlock";
    const before = structuredClone(one);
    const api = new Api(API_KEY, { fetch: server.fetch });
    const act = (verb, body) => api.act("s", one.participantId, verb, body);
    await ACTIONS[action].run(act, { scope: "viewer" });
    assert.deepEqual(one, { ...before, ...effect }, action);
  }
});

test("who is removed or denied is gone", async () => {
  for (const action of ["remove", "deny"]) {
    const server = new FakeServer().add("s");
    const one = server.join("s", "ada");
    const api = new Api(API_KEY, { fetch: server.fetch });
    await ACTIONS[action].run((verb, body) => api.act("s", one.participantId, verb, body), { ban: "60" });
    assert.equal(server.sessions.get("s").people.length, 0);
  }
});

test("a removal carries the reason if there is one, and how long to stay out", () => {
  assert.deepEqual(removal({ reason: "", ban: "60" }), { banSeconds: 60 });
  assert.deepEqual(removal({ reason: "noise", ban: "-1" }), { banSeconds: -1, reason: "noise" });
  assert.deepEqual(removal({ ban: "other", seconds: "90" }), { banSeconds: 90 });
  assert.deepEqual(removal({ reason: "noise" }), { reason: "noise" });
  assert.ok(BANS.filter(([value]) => value !== "other").every(([value]) => Number.isInteger(Number(value))));
});

test("how long to stay out is asked for those whom the server knows again", () => {
  const names = ({ fields }) => fields.map((one) => one.name);
  assert.deepEqual(names(removeQuestion({ name: "Ada", uid: "ada" })), ["reason", "ban", "seconds"]);
  const guest = removeQuestion({ name: "Ada", uid: "guest-1f2e3d" });
  assert.deepEqual(names(guest), ["reason"]);
  assert.match(guest.text, /as another guest, unless the meeting is locked/u);
});

test("muting all leaves alone how newcomers come in, unless that is to change", () => {
  const answers = { video: false, lock: false, onEntry: false };
  assert.deepEqual(muting(answers, false), { kinds: ["audio"], lock: false });
  assert.deepEqual(muting(answers, true), { kinds: ["audio"], lock: false, onEntry: false });
  assert.deepEqual(muting({ video: true, lock: true, onEntry: true }, false), {
    kinds: ["audio", "video"], lock: true, onEntry: true,
  });
});

test("only the settings that were changed are sent", () => {
  const settings = { maxParticipants: 50, waitingRoom: true };
  const same = { maxParticipants: "50", waitingRoom: true, muteOnEntry: false };
  assert.deepEqual(settingsChange(same, settings), {});
  assert.deepEqual(settingsChange({ ...same, maxParticipants: "8", waitingRoom: false }, settings), {
    maxParticipants: 8, waitingRoom: false,
  });
});

/** As much of a browser's storage as is used. */
function fakeStorage() {
  const items = new Map();
  return {
    items, setItem: (key, value) => items.set(key, value), getItem: (key) => items.get(key) ?? null,
    removeItem: (key) => items.delete(key),
  };
}

test("a credential is kept in the storage that it is given, and forgotten whole", () => {
  const storage = fakeStorage();
  assert.equal(Credential.kept(storage), null);
  new Credential(API_KEY).keep(storage);
  assert.equal(Credential.kept(storage).text, API_KEY);
  Credential.forget(storage);
  assert.equal(storage.items.size, 0);
});

test("a browser without storage still lets in, until the page is loaded anew", () => {
  const broken = { setItem() { throw new Error("no"); }, getItem() { throw new Error("no"); } };
  new Credential(API_KEY).keep(broken);
  assert.equal(Credential.kept(broken), null);
});

test("a token is told from an API key, and says whom it speaks for", () => {
  const token = new Credential(tokenOf({ typ: "auth", sub: "ada" }));
  assert.deepEqual([token.isToken, token.isKey, token.uid], [true, false, "ada"]);
  for (const text of [API_KEY, "a.b.c", ""]) {
    const key = new Credential(text);
    assert.deepEqual([key.isKey, key.uid], [true, undefined]);
  }
});

test("an API key may come with its id before it; secrets and tokens with colons are tried as they stand", () => {
  const read = (text) => Credential.readings(text).map((one) => one.text);
  assert.deepEqual(read("secret"), ["secret"]);
  assert.deepEqual(read("dev:se:cret"), ["dev:se:cret", "se:cret"]);
  const token = tokenOf({ typ: "auth", sub: "ada" });
  assert.deepEqual(read(token), [token]);
  assert.ok(Credential.readings("dev:secret").every((one) => one.isKey));
});

test("a complaint has what failed, the server's words and the code", () => {
  const error = new RostrumError("ERR_GROUP_NO_CLEARANCE", "Ben stands as high.", { status: 403 });
  assert.equal(
    complaint("Couldn’t mute Ben", error), "Couldn’t mute Ben: Ben stands as high (ERR_GROUP_NO_CLEARANCE)");
  assert.match(refusal(new TypeError("x")), /x \(ERR_EXCEPTION\)/u);
  const wrong = new RostrumError("AUTH_ERR_APIKEY_NOT_FOUND", "this needs an API key, as Authorization: Bearer …");
  assert.match(refusal(wrong), /^Wrong key: .*\(AUTH_ERR_APIKEY_NOT_FOUND\)$/u);
  assert.doesNotMatch(refusal(wrong), /Bearer/u);
  assert.equal(isRefused(error), false);
  assert.equal(isRefused(new RostrumError("ERR_AUTH_TOKEN_EXPIRED", "", { status: 401 })), true);
  assert.equal(isOver(new RostrumError("ERR_CALL_SESSION_NOT_FOUND", "")), true);
});

test("times and rates are rough, and numbers are followed by the right word", () => {
  const minute = 60_000;
  assert.equal(since(0, minute - 1), "0 min");
  assert.equal(since(0, 59 * minute), "59 min");
  assert.equal(since(0, 125 * minute), "2 h 05 min");
  assert.equal(since(0, 52 * 60 * minute), "2 d 4 h");
  assert.equal(since(undefined, 5), "");
  assert.equal(since(9, 5), "0 min");
  assert.equal(rate(900), "900 bit/s");
  assert.equal(rate(64_400), "64 kbit/s");
  assert.equal(counted(1), "1 person");
  assert.equal(counted(0, "hand", "hands"), "0 hands");
});
