import assert from "node:assert/strict";
import { test } from "node:test";
import { SeatTable } from "../../Sources/Web/Page/rostrum/seats.js";

const table = () => new SeatTable([
  { mid: "2", kind: "audio" }, { mid: "3", kind: "audio" }, { mid: "4", kind: "audio" },
  { mid: "5", kind: "video" }, { mid: "6", kind: "video" },
]);

test("seats are counted by kind, so that pairs carry the same index", () => {
  const indices = table().all.map(({ mid, index }) => `${mid}:${index}`);
  assert.deepEqual(indices, ["2:0", "3:1", "4:2", "5:0", "6:1"]);
});

test("tracks belong to a mid, whoever sits there", () => {
  const seats = table();
  assert.equal(seats.attach("5", "track", "stream"), true);
  assert.equal(seats.attach("0", "track", "stream"), false);
  seats.update([{ mid: "5", participantId: "a", source: "camera" }]);
  assert.equal(seats.find("a", "camera").track, "track");
  seats.update([{ mid: "5", participantId: "b", source: "screen" }]);
  assert.equal(seats.find("a", "camera"), null);
  assert.equal(seats.find("b", "screen").track, "track");
});

test("an update names those that changed and leaves the others", () => {
  const seats = table();
  const first = seats.update([
    { mid: "5", participantId: "a" }, { mid: "6", participantId: "b", source: "camera" },
  ]);
  assert.deepEqual(first.map((seat) => seat.mid), ["5", "6"]);
  assert.deepEqual(seats.update([{ mid: "5", participantId: "a", source: "camera", muted: true }]), []);
  assert.equal(seats.find("a", "camera").muted, true);
  assert.equal(seats.find("b", "camera").mid, "6");
});

test("a seat without a participant is empty", () => {
  const seats = table();
  seats.update([{ mid: "2", participantId: "a" }]);
  assert.equal(seats.find("a", "microphone").mid, "2");
  seats.update([{ mid: "2", source: "microphone" }]);
  assert.equal(seats.all[0].participantId, null);
  assert.equal(seats.all[0].source, null);
});

test("unknown mids and numbers for mids do no harm", () => {
  const seats = table();
  assert.deepEqual(seats.update([{ mid: "99", participantId: "a" }]), []);
  assert.equal(seats.update([{ mid: 6, participantId: "a" }]).length, 1);
});

test("vacating empties all seats and keeps their tracks", () => {
  const seats = table();
  seats.attach("5", "track", "stream");
  seats.update([{ mid: "5", participantId: "a" }]);
  seats.vacate();
  assert.equal(seats.find("a", "camera"), null);
  assert.equal(seats.all[3].track, "track");
});
