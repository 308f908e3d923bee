import assert from "node:assert/strict";
import { test } from "node:test";
import { idOf, Roster } from "../../Sources/Web/Page/rostrum/roster.js";

function joined() {
  const roster = new Roster();
  roster.reset({
    session: { sessionId: "s" },
    participants: [
      { participantId: "a", name: "Ada", audioMuted: false, raisedHandAt: 0, state: "joined" },
      { participantId: "b", name: "Bob", audioMuted: true, raisedHandAt: 0, state: "joined" },
      { participantId: "c", name: "Cy", audioMuted: false, raisedHandAt: 0, state: "joined" },
    ],
    hands: [], seq: 10,
  });
  return roster;
}

let seq = 10;
const event = (name, data, at = 100) => ({ event: name, seq: ++seq, at, data });
const start = () => {
  seq = 10;
  return joined();
};

test("a whole state replaces the one before", () => {
  const roster = start();
  roster.reset({ participants: [{ participantId: "z", raisedHandAt: 7 }], dominantSpeaker: "z" });
  assert.deepEqual([...roster.participants.keys()], ["z"]);
  assert.deepEqual(roster.hands, ["z"]);
  assert.equal(roster.dominantSpeaker, "z");
  assert.equal(roster.lastSeq, 0);
});

test("joining appends, leaving takes hand and floor along", () => {
  const roster = start();
  roster.apply(event("participantJoined", { participant: { participantId: "d", name: "Di" } }));
  assert.deepEqual([...roster.participants.keys()], ["a", "b", "c", "d"]);
  roster.apply(event("participantHandRaised", { participantId: "d", hands: ["d"] }));
  roster.apply(event("dominantSpeakerChanged", { participant: { participantId: "d" } }));
  roster.apply(event("participantLeft", { participant: { participantId: "d" }, reason: "left" }));
  assert.equal(roster.participants.has("d"), false);
  assert.deepEqual(roster.hands, []);
  assert.equal(roster.dominantSpeaker, null);
});

for (const [name, field, value] of [
  ["participantAudioMuted", "audioMuted", true],
  ["participantAudioUnmuted", "audioMuted", false],
  ["participantVideoPaused", "videoPaused", true],
  ["participantVideoResumed", "videoPaused", false],
  ["participantStartedScreenShare", "isPresenting", true],
  ["participantStoppedScreenShare", "isPresenting", false],
  ["participantConnectionLost", "state", "reconnecting"],
  ["participantConnectionRestored", "state", "joined"],
]) {
  test(`${name} sets ${field} to ${value}, with a bare id or the whole participant`, () => {
    for (const data of [{ participantId: "a" }, { participant: { participantId: "a" } }]) {
      const roster = start();
      roster.participants.get("a")[field] = "before";
      roster.apply(event(name, data));
      assert.equal(roster.participants.get("a")[field], value);
      assert.equal(roster.participants.get("a").name, "Ada");
    }
  });
}

test("a bare id of somebody unknown makes no participant", () => {
  const roster = start();
  roster.apply(event("participantAudioMuted", { participantId: "nobody" }));
  assert.equal(roster.participants.has("nobody"), false);
});

test("hands keep the server's order", () => {
  const roster = start();
  roster.apply(event("participantHandRaised", { participantId: "c", hands: ["c"] }));
  roster.apply(event("participantHandRaised", { participantId: "a", hands: ["c", "a"] }));
  assert.equal(roster.handPlace("c"), 1);
  assert.equal(roster.handPlace("a"), 2);
  assert.equal(roster.handPlace("b"), 0);
  roster.apply(event("participantHandLowered", { participantId: "c", hands: ["a"], by: "b" }));
  assert.deepEqual(roster.hands, ["a"]);
  assert.equal(roster.participants.get("c").raisedHandAt, 0);
});

test("hands may come as objects", () => {
  const roster = start();
  roster.apply(event("participantHandRaised", {
    participantId: "b", hands: [{ participantId: "b", raisedHandAt: 5 }],
  }));
  assert.deepEqual(roster.hands, ["b"]);
});

test("without an order from the server, hands queue by time and raising twice keeps the first place", () => {
  const roster = start();
  roster.apply(event("participantHandRaised", { participantId: "b" }, 100));
  roster.apply(event("participantHandRaised", { participantId: "a" }, 200));
  roster.apply(event("participantHandRaised", { participantId: "b" }, 300));
  assert.deepEqual(roster.hands, ["b", "a"]);
});

test("the full list drops those who are gone and keeps what it doesn't mention", () => {
  const roster = start();
  roster.apply(event("participantListChanged", {
    participants: [{ participantId: "c" }, { participantId: "a", name: "Ada L." }],
  }));
  assert.deepEqual([...roster.participants.keys()], ["c", "a"]);
  assert.equal(roster.participants.get("a").name, "Ada L.");
  assert.equal(roster.participants.get("a").state, "joined");
});

test("nobody dominant is null", () => {
  const roster = start();
  roster.apply(event("dominantSpeakerChanged", { participant: { participantId: "a" } }));
  roster.apply(event("dominantSpeakerChanged", { participant: null }));
  assert.equal(roster.dominantSpeaker, null);
});

test("events in order show no gap, a missing one does", () => {
  const roster = start();
  assert.deepEqual(roster.apply({ event: "x", seq: 11, data: {} }), { fresh: true, gap: null });
  const gap = { expected: 12, got: 14 };
  assert.deepEqual(roster.apply({ event: "x", seq: 14, data: {} }), { fresh: true, gap });
  assert.deepEqual(roster.apply({ event: "x", seq: 15, data: {} }), { fresh: true, gap: null });
});

test("an event seen before changes nothing", () => {
  const roster = start();
  roster.apply({ event: "participantAudioMuted", seq: 11, data: { participantId: "a" } });
  roster.apply({ event: "participantAudioUnmuted", seq: 12, data: { participantId: "a" } });
  const again = roster.apply({ event: "participantAudioMuted", seq: 11, data: { participantId: "a" } });
  assert.deepEqual(again, { fresh: false, gap: null });
  assert.equal(roster.participants.get("a").audioMuted, false);
});

test("app-wide events carry no seq and leave it alone", () => {
  const roster = start();
  assert.equal(roster.apply({ event: "incomingCallReceived", data: {} }).fresh, true);
  assert.equal(roster.lastSeq, 10);
});

test("an id is found wherever the server puts it", () => {
  assert.equal(idOf("a"), "a");
  assert.equal(idOf({ participantId: "a" }), "a");
  assert.equal(idOf({ participant: { participantId: "a" } }), "a");
  assert.equal(idOf({ participant: "a" }), "a");
  for (const nothing of [null, undefined, 7, {}, { participant: null }]) assert.equal(idOf(nothing), null);
});

test("who waits is known in the order of coming, until admitted or denied", () => {
  const roster = start();
  for (const participantId of ["x", "y", "z"]) {
    roster.apply(event("waitingParticipant", { participant: { participantId, name: participantId } }));
  }
  assert.deepEqual([...roster.waiting.keys()], ["x", "y", "z"]);
  roster.apply(event("admitted", { participant: { participantId: "y" }, by: {} }));
  roster.apply(event("denied", { participant: { participantId: "x" } }));
  assert.deepEqual([...roster.waiting.keys()], ["z"]);
  assert.ok(!roster.participants.has("z"));
  roster.reset({ participants: [] });
  assert.equal(roster.waiting.size, 0);
});
