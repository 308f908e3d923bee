import assert from "node:assert/strict";
import { test } from "node:test";
import { news } from "../../../Sources/Web/Page/console/changes.js";
import { figures } from "../../../Sources/Web/Page/console/figures.js";
import { isAbove, matches, nameOf, places, quality, sort } from "../../../Sources/Web/Page/console/people.js";
import { FakeServer } from "./server.js";

function setUp() {
  const server = new FakeServer().add("weekly");
  const state = () => structuredClone({
    session: server.sessions.get("weekly").session, participants: server.sessions.get("weekly").people,
  });
  return { server, state, session: server.sessions.get("weekly").session };
}

test("hands come in the order in which they were raised, those who wait apart", () => {
  const { server, state } = setUp();
  server.join("weekly", "ada", { raisedHandAt: 30 });
  server.join("weekly", "ben");
  server.join("weekly", "cai", { raisedHandAt: 10 });
  server.join("weekly", "dee", { state: "waiting", raisedHandAt: 5 });
  server.join("weekly", "eve", { raisedHandAt: 30, state: "reconnecting" });
  const { inside, waiting, hands } = sort(state().participants);
  assert.deepEqual(inside.map(({ uid }) => uid), ["ada", "ben", "cai", "eve"]);
  assert.deepEqual(waiting.map(({ uid }) => uid), ["dee"]);
  assert.deepEqual(hands.map(({ uid }) => uid), ["cai", "ada", "eve"]);
});

test("a token's bearer can't act on those who stand as high, nor on oneself; an API key on everybody", () => {
  const people = [
    { uid: "a", scope: "moderator" }, { uid: "b", scope: "participant" }, { uid: "c", scope: "moderator" },
    { uid: "d", scope: "owner" },
  ];
  const below = (uid) => people.filter((one) => isAbove(one, people, uid)).map((one) => one.uid).join("");
  assert.equal(below("a"), "b");
  assert.equal(below("d"), "abc");
  assert.equal(below("b"), "");
  assert.equal(below(undefined), "abcd");
  assert.equal(below("somebody who isn't in"), "abcd");
});

test("people are found by name, uid and scope", () => {
  const one = { name: "Zoë Ł", uid: "zoe-7", scope: "moderator" };
  for (const text of ["zoë", " ZOE-7 ", "mod", ""]) assert.ok(matches(one, text), text);
  assert.ok(!matches(one, "ada"));
  assert.equal(nameOf({ name: "  ", uid: "u" }), "u");
  assert.equal(nameOf({}), "Somebody");
});

test("a connection is a level and a word; without a measurement there is none", () => {
  assert.deepEqual(quality(5), { level: 5, word: "very good" });
  assert.deepEqual(quality(0), { level: 0, word: "lost" });
  assert.deepEqual(quality(77), { level: 5, word: "very good" });
  assert.equal(quality(undefined), null);
});

test("what was there at first is no news", () => {
  const { server, state } = setUp();
  server.join("weekly", "ada");
  assert.deepEqual(news(null, state()), []);
  assert.deepEqual(news(state(), state()), []);
});

test("every change between two answers is told, of several people at once", () => {
  const { server, state, session } = setUp();
  const ada = server.join("weekly", "ada");
  const ben = server.join("weekly", "ben");
  const cai = server.join("weekly", "cai", { state: "waiting" });
  const dee = server.join("weekly", "dee", { audioMuted: true, audioLocked: true, raisedHandAt: 1 });
  const before = state();
  Object.assign(ada, { audioMuted: true, videoPaused: true });
  Object.assign(ben, { audioMuted: true, scope: "moderator", isPresenting: true });
  cai.state = "joined";
  Object.assign(dee, { audioLocked: false, raisedHandAt: 0, state: "reconnecting" });
  server.join("weekly", "eve", { state: "waiting" });
  Object.assign(session.settings, { locked: true, maxParticipants: 9 });
  assert.deepEqual(news(before, state()), [
    "ada and ben are muted", "ada is off camera", "ben shares the screen", "ben is moderator now",
    "cai joined", "dee lost the connection", "dee may unmute again", "dee has the hand down",
    "eve waits to be let in", "The meeting is locked", "The meeting has 9 places",
  ]);
});

test("those who go are told, and a crowd is counted", () => {
  const { server, state } = setUp();
  server.join("weekly", "wai", { state: "waiting" });
  for (const uid of ["a", "b", "c", "d"]) server.join("weekly", uid);
  const before = state();
  server.sessions.get("weekly").people.length = 0;
  assert.deepEqual(news(before, state()), ["wai waits no longer", "4 people left"]);
});

test("figures are listed with their units, however they are nested", () => {
  const pairs = Object.fromEntries(figures({
    participantId: "p", connectionQuality: 3,
    statistics: {
      bitrateBps: 1_234_567, roundTripMs: 41.6, lossFraction: 0.0123, layers: [{ rid: "h", active: false }],
    },
  }));
  assert.deepEqual(pairs, {
    Participant: "p", Connection: "fair, 3 of 5", Bitrate: "1.2 Mbit/s", "Round trip": "42 ms",
    "Loss fraction": "1.2 %", "Layers 1 · rid": "h", "Layers 1 · active": "no",
  });
});

test("each seat that somebody sits in says in a line what it gets, and why not more", () => {
  const seat = { kind: "video", muted: false, source: "camera", bitrateBps: 0, loss: 0 };
  const pairs = figures({
    participantId: "p",
    statistics: {
      link: { basis: "transportCC", estimateBps: 900_000 },
      seats: [
        { ...seat, mid: "3" },
        {
          ...seat, mid: "4", participantId: "a", layer: { rid: "h" }, bitrateBps: 480_000, loss: 0.02,
          reason: "bandwidth", neededBps: 1_700_000,
        },
        { ...seat, mid: "5", participantId: "b", reason: "paused" },
        { ...seat, mid: "6", participantId: "c", kind: "audio", source: "microphone", layer: {}, bitrateBps: 32_000 },
      ],
    },
  });
  assert.deepEqual(pairs.slice(2), [
    ["Link · basis", "transportCC"], ["Link · estimate", "900 kbit/s"],
    ["Seat 4", "camera · size h · 480 kbit/s · 2.0 % lost · as much as the link carries, more takes 1.7 Mbit/s"],
    ["Seat 5", "camera · nothing is sent · paused by the viewer"], ["Seat 6", "microphone · 32 kbit/s"],
  ]);
});

test("a connection that wasn't measured yet is said to be so", () => {
  assert.deepEqual(figures({ participantId: "p", deviceId: "d", name: "n" }), [
    ["Participant", "p"], ["Device", "d"], ["Connection", "not measured yet"],
  ]);
});

test("places say how many are taken", () => {
  assert.equal(places({ participantCount: 2, settings: { maxParticipants: 50 } }), "2 of 50");
  assert.equal(places({}), "0");
});
